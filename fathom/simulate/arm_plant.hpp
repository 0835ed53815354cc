#pragma once
#include <vector>

#include "fathom/base/random.hpp"
#include "fathom/dynamics/arm.hpp"
#include "fathom/simulate/ode.hpp"

namespace fathom::simulate {

/// What lies between a motor and its joint, and in its drive, that a fitted model leaves out. All of it on the
/// motor's side: a screw that gives way, gives way in turns of the shaft. Zero is without, but for `stiffness`.
struct ArmDrive {
  double stiffness = 1e-2;     ///< N m/rad of the shaft; > 0
  double damping = 0;          ///< N m s/rad of it, while in contact
  double backlash = 0;         ///< rad of it, from flank to flank
  double stiction = 0;         ///< N m, dry friction at rest beyond that of the motor
  double stribeck_speed = 20;  ///< rad/s at which 1/e of `stiction` is left
  double smooth_speed = 2;     ///< rad/s below which dry friction is not yet itself: tanh(speed / this)
  double current_lag = 1e-3;   ///< s, of the closed loop of current
  double ripple = 0;         ///< A, amplitude of the current that the drive adds by itself, at two frequencies
  double ripple_hz = 31.7;   ///< the first; the second is 1.49 times as high
  double current_noise = 0;  ///< A, standard deviation of a reading
};

/// An arm with its motors as one differential equation: links and shafts apart, joined by springs with
/// backlash, docs/arm-excitation.md eqs. 6 to 8. State: q, dq, shaft angles, shaft speeds, currents; a block of
/// each. The base stands still. One per thread: it holds scratch memory.
class ArmPlant : public Ode {
 public:
  /// Throws InputError where a joint has no actuator or a number cannot be. `seed`: phases of the ripple.
  ArmPlant(const model::Arm& arm, std::vector<ArmDrive> drives,
           dynamics::Medium medium = dynamics::Medium::water, const Vec3& down_b = Vec3::UnitZ(),
           std::uint64_t seed = 1);

  std::size_t joints() const { return drives_.size(); }
  Eigen::Index size() const override { return 5 * static_cast<Eigen::Index>(joints()); }
  void derivative(double t, const Eigen::VectorXd& x, Eigen::VectorXd& dx) const override;

  /// Currents that the drives are asked for, until the next call.
  void command(const Eigen::VectorXd& currents) { command_ = currents; }
  /// Moving as given, springs without twist, currents zero.
  Eigen::VectorXd state(const Eigen::VectorXd& q, const Eigen::VectorXd& dq) const;
  /// N m on the joint's side of the spring, felt by the shaft; with the spring's energy.
  double spring(std::size_t joint, double q, double dq, double shaft, double speed,
                double* energy = nullptr) const;
  double motor_friction(std::size_t joint, double speed) const;
  /// A, with ripple.
  double current(std::size_t joint, double t, const Eigen::VectorXd& x) const;

  /// What the drive reports: the shaft's angle in whole increments of its counter, the current with noise.
  double angle_reading(std::size_t joint, const Eigen::VectorXd& x) const;
  double current_reading(std::size_t joint, double t, const Eigen::VectorXd& x, RandomStream& random) const;

  /// s; a step of RungeKutta4 for which its fastest motion near q, seen alone, is well inside the region of
  /// stability.
  double stable_step(const Eigen::VectorXd& q) const;

 private:
  const model::Actuator& actuator(std::size_t joint) const { return *robot_.joints()[joint].actuator; }

  model::Arm robot_;
  std::vector<ArmDrive> drives_;
  dynamics::Arm arm_;
  dynamics::Motion base_;
  Eigen::VectorXd command_, phase_;
  mutable dynamics::ArmWorkspace workspace_;
  mutable Eigen::VectorXd efforts_, q_, dq_, ddq_;
};

}  // namespace fathom::simulate
