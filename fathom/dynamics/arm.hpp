#pragma once
#include <span>
#include <vector>

#include "fathom/dynamics/drag.hpp"
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/geometry/pose.hpp"
#include "fathom/model/arm.hpp"
#include "fathom/model/environment.hpp"

namespace fathom::dynamics {

/// In air the water's share of everything is left out: buoyancy, added mass, drag.
enum class Medium { water, air };

/// A link and the joint that moves it, ready to be evaluated: docs/arms.md eqs. 1 to 5.
struct ArmLink {
  int parent = -1;  ///< -1: the base
  bool is_revolute = true;
  bool is_wet = false;  ///< else `M`, `water` and `drag` say nothing beyond mass, first_moment and inertia
  Mat3 R_fixed, R_sin, R_cos;  ///< R_pl(q) = R_fixed + sin(q) R_sin + cos(q) R_cos; R_fixed alone if prismatic
  Vec3 p_zero;                 ///< of the link's origin in the parent's frame, at q = 0
  Vec3 slide;                  ///< its way there per q, of a prismatic joint
  Vec3 axis;                   ///< of length one, in the link's frame
  double mass;
  Vec3 first_moment;  ///< m r_g
  Mat3 inertia;       ///< about the link's origin
  Mat6 M;             ///< with added mass, at the link's origin
  /// Gravity comes in as an acceleration of the base; the water that moves along has none, and buoyancy is
  /// against it: [A_11 + rho V I; A_21 + rho V S(r_b)].
  Mat63 water;
  std::vector<Drag> drag;
};

/// The constants of the equations of motion of an arm, computed once. Immutable; threads share it, each with a
/// workspace of its own. Joints and links count from 0, a joint moves the link of its number.
class Arm {
 public:
  explicit Arm(const model::Arm& arm, const model::Environment& environment = model::Environment(),
               Medium medium = Medium::water);

  std::size_t size() const { return links_.size(); }
  const std::vector<ArmLink>& links() const { return links_; }
  const model::Environment& environment() const { return environment_; }
  double density() const { return density_; }  ///< kg/m^3 of the medium; 0 in air
  /// Joint `j` is `i`, or on the way from the base to it.
  bool carries(std::size_t j, std::size_t i) const { return carries_[j * size() + i]; }
  /// Of the joints that have an actuator.
  const std::vector<std::optional<model::Transmission>>& transmissions() const { return transmissions_; }

 private:
  model::Environment environment_;
  double density_;
  std::vector<ArmLink> links_;
  std::vector<bool> carries_;
  std::vector<std::optional<model::Transmission>> transmissions_;
};

/// Scratch of the functions below, so that they do not allocate; and what the last of them found of each link,
/// in its own frame.
class ArmWorkspace {
 public:
  explicit ArmWorkspace(const Arm& arm);

  struct AtLink {
    Mat3 R;               ///< R_pl
    Vec3 p;               ///< of its origin in the parent's frame
    Vec3 v, w, a, alpha;  ///< twist and its derivative; a without gravity's share: a - g
    Vec3 g;               ///< gravity in its axes
    Vec3 force, moment;   ///< that its joint hands on to it
  };
  std::vector<AtLink> links;
  std::vector<Mat6> composite;                      ///< inertia of a link with all that it carries
  std::vector<Mat6X> twist_by, rate_by, wrench_by;  ///< derivatives by q (first half) and dq
  std::vector<Eigen::Matrix3Xd> gravity_by;
  Eigen::MatrixXd inertia;
  Eigen::VectorXd bias, zero;
  Eigen::LLT<Eigen::MatrixXd> llt;
};

/// Joint efforts [N m, N] without friction for a motion of the joints, on a base that moves as given (still,
/// upright, if Motion() has its defaults; its frame is that of the joints without a parent). Luh, Walker and
/// Paul's recursion (1980) with Kirchhoff's equations for each link; docs/arms.md eqs. 2 to 6. `base_wrench`:
/// that the base gives to the arm, at and in its frame.
void inverse_dynamics(const Arm& arm, const Motion& base, std::span<const double> q, std::span<const double> dq,
                      std::span<const double> ddq, ArmWorkspace& workspace, std::span<double> efforts,
                      Vec6* base_wrench = nullptr);

/// Frames of the links in the base's.
void link_poses(const Arm& arm, std::span<const double> q, std::span<Pose> poses);

/// Inertia of joints and base together, [base, coupling; coupling', joints] times [nu_dot; ddq] (docs/arms.md
/// eq. 7).
struct ArmInertia {
  Eigen::MatrixXd joints;
  Mat6X coupling;
  Mat6 base;  ///< of the arm alone, seen at the base's origin
};
void joint_inertia(const Arm& arm, std::span<const double> q, ArmWorkspace& workspace, ArmInertia& inertia);

/// ddq under joint efforts, on a base that moves as given. Throws InputError where the inertia is singular.
void forward_dynamics(const Arm& arm, const Motion& base, std::span<const double> q, std::span<const double> dq,
                      std::span<const double> efforts, ArmWorkspace& workspace, std::span<double> ddq);

/// C(q, dq) with M' - 2 C skew-symmetric and C dq the velocity terms of a still base, drag left out;
/// docs/arms.md eq. 8.
void coriolis_matrix(const Arm& arm, std::span<const double> q, std::span<const double> dq,
                     ArmWorkspace& workspace, Eigen::MatrixXd& C);

/// Derivatives of inverse_dynamics at a motion; that by ddq is ArmInertia::joints.
struct ArmDerivatives {
  Eigen::MatrixXd by_q, by_dq;
};
void inverse_derivatives(const Arm& arm, const Motion& base, std::span<const double> q,
                         std::span<const double> dq, std::span<const double> ddq, ArmWorkspace& workspace,
                         ArmDerivatives& derivatives);

}  // namespace fathom::dynamics
