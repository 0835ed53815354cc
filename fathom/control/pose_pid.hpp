#pragma once
#include <array>
#include <optional>

#include "fathom/dynamics/vehicle.hpp"
#include "fathom/trajectory/reference.hpp"

namespace fathom::control {

struct PosePidOptions {
  /// rad/s, of each body axis. Slow against the lag of a thruster (10 rad/s), fast against a tank's lengths; in
  /// roll and pitch fast enough to hold the Munk moment of a vehicle that is blown sideways.
  Vec6 bandwidth = (Vec6() << 1.2, 1.2, 1.2, 3, 3, 2).finished();
  double damping = 1;        ///< ratio: no overshoot
  double integral = 0.3;     ///< corner of the integral action as a share of the bandwidth; must be < 2 damping
  bool feed_forward = true;  ///< add the wrench that the model needs to follow the reference
  std::array<bool, 6> axes = {true, true, true, true, true, true};  ///< axes to be held
};

/// PID on the pose, in body axes, with the gains laid out on the vehicle's own inertia:
/// Kp = M_ii w^2, Kd = 2 z w M_ii - D_ii(0), Ki = c w Kp, so that each axis has the poles of
/// s^3 + 2 z w s^2 + w^2 s + c w^3 as far as the axes do not couple.
/// The integral of the force is kept in world axes, because what it makes up for, current, tether and weight,
/// does not turn with the hull.
/// While the thrusters cannot give what is asked, the integral moves back by what is missing (back-calculation,
/// Astrom and Hagglund 2006, 3.5).
class PosePid {
 public:
  /// The feed-forward is that of `feed_forward_model` where there is one: then the gains do not move with it.
  /// Throws InputError where a gain would make the loop unstable.
  explicit PosePid(const dynamics::Vehicle& model, const PosePidOptions& options = {},
                   const std::optional<dynamics::Vehicle>& feed_forward_model = {});

  /// The wrench for this instant, zero on axes that are not held. Changes nothing.
  Vec6 wrench(const trajectory::Reference& reference, const dynamics::State& state) const;
  /// Moves the integral on by dt: the error of (reference, state), and what the thrusters gave of the wrench.
  void advance(const trajectory::Reference& reference, const dynamics::State& state, const Vec6& demanded_b,
               const Vec6& achieved_b, double dt);
  void reset() { integral_.setZero(); }

  /// Force in n, moment in b.
  const Vec6& integral() const { return integral_; }

 private:
  dynamics::Vehicle feed_forward_model_;
  PosePidOptions options_;
  Vec6 kp_, ki_, kd_, held_;      // held_: 1 or 0
  Vec6 integral_ = Vec6::Zero();  // N, N m
};

/// From state to reference in body axes: [R_nb' (p_ref - p); Log(R_nb' R_ref)].
Vec6 pose_error(const trajectory::Reference& reference, const dynamics::State& state);

}  // namespace fathom::control
