#pragma once
#include <cstdint>
#include <vector>

#include "fathom/geometry/types.hpp"
#include "fathom/model/environment.hpp"

namespace fathom::simulate {

/// One row of a current that changes with depth.
struct CurrentAtDepth {
  double depth = 0;                ///< m, positive down
  Vec3 velocity_n = Vec3::Zero();  ///< m/s
};

enum class ProfileShape {
  linear,         ///< straight lines: exact to a coarse table, but the water's acceleration jumps at each row
  monotone_cubic  ///< once differentiable, no overshoot between rows (Fritsch and Carlson 1980)
};

enum class RampShape {
  smooth,                ///< quintic, twice differentiable: integrators keep their order
  constant_acceleration  ///< straight: acceleration is one number between the two times, and jumps at both
};

/// A current that changes from one velocity to another, once.
struct CurrentRamp {
  Vec3 before_n = Vec3::Zero(), after_n = Vec3::Zero();  ///< m/s
  double begin = 0, end = 0;  ///< s; equal times mean no ramp, then both velocities must agree
  RampShape shape = RampShape::smooth;
};

/// What the water does. The parts add up; all are off until they are given a value.
struct CurrentSpec {
  Vec3 constant_n = Vec3::Zero();  ///< m/s

  /// By increasing depth. Above the first and below the last row the current is that of the row. The vertical
  /// component must be the same in all rows, because water that sinks faster below would have to tear.
  std::vector<CurrentAtDepth> profile;
  /// Cubic, because a kink in the current is a jump in the force of added mass.
  ProfileShape profile_shape = ProfileShape::monotone_cubic;

  /// Slow random variation, the same everywhere: standard deviation per axis and time after which it has
  /// forgotten (correlation exp(-t/T)). Ten minutes is a usual choice for the eddies of a tidal flow.
  Vec3 variation_sigma_n = Vec3::Zero();  ///< m/s
  double variation_time = 600;            ///< s
  /// More tones repeat later and look more Gaussian, and cost one sine each per axis.
  int variation_tones = 16;
  /// Fastest tone times the correlation time. A true Gauss-Markov process has no derivative; this is where it
  /// is rounded. 20 leaves 3 % of its power out (it is given to the slower tones).
  double variation_cutoff = 20;

  CurrentRamp ramp;

  /// m/s, for the sum of what each part can reach. Above it is an error of units rather than a sea: the
  /// strongest tidal stream, Saltstraumen, reaches 10 m/s.
  double speed_limit = 10;
};

/// Everything that is wrong with `spec` as InputError.
void check(const CurrentSpec& spec);

/// The water's motion as a pure function of time and place; docs/water.md eqs. 1 to 6. Immutable, threads share
/// it, nothing after the constructor allocates. `seed` decides the random variation alone.
class CurrentField {
 public:
  CurrentField() : CurrentField(CurrentSpec{}, 1) {}
  explicit CurrentField(const CurrentSpec& spec, std::uint64_t seed = 1);

  /// The part that is the same everywhere, at one time: sines are computed once and serve a robot and all nodes
  /// of its tether. It refers to its field and must not outlive it.
  class Instant {
   public:
    /// `follower_n` is the velocity of whoever meets the water at p_n (the robot's origin, a tether's node).
    model::Current at(const Vec3& p_n, const Vec3& follower_n) const;
    bool is(const CurrentField& field, double t) const { return field_ == &field && t_ == t; }

   private:
    friend class CurrentField;
    const CurrentField* field_ = nullptr;
    double t_ = 0;  // s
    Vec3 velocity_n_, acceleration_n_;
  };
  Instant at_time(double t) const&;
  Instant at_time(double t) const&& = delete;

  model::Current at(double t, const Vec3& p_n, const Vec3& follower_n) const {
    return at_time(t).at(p_n, follower_n);
  }

  double largest_speed() const { return largest_speed_; }  ///< m/s, that cannot be exceeded

 private:
  struct Tone {
    double rate, phase;  ///< rad/s, rad
  };
  struct Row {
    double depth;
    Vec3 velocity_n, slope_n;  ///< slope at the row (cubic) or to the next one (linear)
  };
  void add_profile(double depth, Vec3& velocity_n, Vec3& by_depth_n) const;

  Vec3 constant_n_;
  CurrentRamp ramp_;
  ProfileShape profile_shape_;
  std::vector<Row> profile_;
  Vec3 tone_amplitude_n_ = Vec3::Zero();
  std::vector<Tone> tones_[3];  ///< north, east, down
  double largest_speed_ = 0;
};

}  // namespace fathom::simulate
