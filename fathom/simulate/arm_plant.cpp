#include "fathom/simulate/arm_plant.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "fathom/base/error.hpp"

namespace fathom::simulate {
namespace {

constexpr double second_ripple = 1.49, full_turn = 2 * std::numbers::pi;
/// RungeKutta4 is stable to 2.78 on the real axis.
constexpr double fastest_per_step = 1.4;

void check_drive(const model::Joint& joint, const ArmDrive& drive) {
  if (!joint.actuator) reject(joint.name, "has no actuator; a plant with motors needs one on every joint");
  const double at_least_zero[] = {drive.damping, drive.backlash, drive.stiction, drive.ripple,
                                  drive.current_noise};
  const double above_zero[] = {drive.stiffness,   drive.stribeck_speed, drive.smooth_speed,
                               drive.current_lag, drive.ripple_hz,      joint.actuator->motor.inertia};
  for (const double x : at_least_zero)
    if (!(x >= 0) || !std::isfinite(x)) reject(joint.name, fmt::format("has a drive with {}, must be >= 0", x));
  for (const double x : above_zero)
    if (!(x > 0) || !std::isfinite(x))
      reject(joint.name, fmt::format("has a drive or motor with {}, must be > 0", x),
             "a shaft without inertia or a rigid one is dynamics::forward_dynamics with the motor's inertia");
}

std::span<double> span_of_numbers(Eigen::VectorXd& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

}  // namespace

ArmPlant::ArmPlant(const model::Arm& arm, std::vector<ArmDrive> drives, dynamics::Medium medium,
                   const Vec3& down_b, std::uint64_t seed)
    : robot_(arm),
      drives_(std::move(drives)),
      arm_(arm, model::Environment(), medium),
      command_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(arm.size()))),
      phase_(2 * static_cast<Eigen::Index>(arm.size())),
      workspace_(arm_),
      efforts_(command_),
      q_(command_),
      dq_(command_),
      ddq_(command_) {
  if (drives_.size() != arm.size())
    reject("drives", fmt::format("are {}, must be one for each of {} joints", drives_.size(), arm.size()));
  for (std::size_t j = 0; j < joints(); ++j) check_drive(arm.joints()[j], drives_[j]);
  base_.down_b = down_b;
  RandomStream random(seed, "current ripple");
  for (double& phase : phase_) phase = random.uniform(0, full_turn);
}

double ArmPlant::spring(std::size_t j, double q, double dq, double shaft, double speed, double* energy) const {
  const model::MotorAngle motor = model::motor_angle(actuator(j).transmission, q);
  const ArmDrive& drive = drives_[j];
  const double twist = shaft - motor.angle, play = 0.5 * drive.backlash;
  const double pressed = twist > play ? twist - play : twist < -play ? twist + play : 0;
  if (energy) *energy = 0.5 * drive.stiffness * pressed * pressed;
  if (pressed == 0) return 0;
  return drive.stiffness * pressed + drive.damping * (speed - motor.ratio * dq);
}

/// Stribeck's curve: what dry friction has beyond Coulomb's falls off as the film builds up.
double ArmPlant::motor_friction(std::size_t j, double speed) const {
  const ArmDrive& drive = drives_[j];
  const model::JointMotor& motor = actuator(j).motor;
  const double share = speed / drive.stribeck_speed;
  const double dry = motor.coulomb + drive.stiction * std::exp(-share * share);
  return motor.viscous * speed + dry * std::tanh(speed / drive.smooth_speed);
}

double ArmPlant::current(std::size_t j, double t, const Eigen::VectorXd& x) const {
  const auto n = static_cast<Eigen::Index>(joints()), i = static_cast<Eigen::Index>(j);
  const ArmDrive& drive = drives_[j];
  const double w = full_turn * drive.ripple_hz * t;
  return x[4 * n + i] + drive.ripple *
                            (std::sin(w + phase_[2 * i]) + std::sin(second_ripple * w + phase_[2 * i + 1])) /
                            std::numbers::sqrt2;
}

void ArmPlant::derivative(double t, const Eigen::VectorXd& x, Eigen::VectorXd& dx) const {
  const auto n = static_cast<Eigen::Index>(joints());
  q_ = x.head(n), dq_ = x.segment(n, n);
  dx.resize(5 * n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto j = static_cast<std::size_t>(i);
    const model::Actuator& driven = actuator(j);
    const ArmDrive& drive = drives_[j];
    const double speed = x[3 * n + i];
    const double torque = spring(j, q_[i], dq_[i], x[2 * n + i], speed);
    const model::JointFriction& friction = robot_.joints()[j].friction;
    const double ratio = model::motor_angle(driven.transmission, q_[i]).ratio;
    const double way = std::tanh(dq_[i] * std::abs(ratio) / drive.smooth_speed);
    const double dry = dq_[i] > 0 ? friction.coulomb_forward.value : friction.coulomb_backward.value;
    efforts_[i] = ratio * torque - friction.viscous.value * dq_[i] - dry * way;
    dx[2 * n + i] = speed;
    dx[3 * n + i] =
        (driven.motor.k_t * current(j, t, x) - motor_friction(j, speed) - torque) / driven.motor.inertia;
    dx[4 * n + i] = (command_[i] - x[4 * n + i]) / drive.current_lag;
  }
  dynamics::forward_dynamics(arm_, base_, span_of_numbers(q_), span_of_numbers(dq_), span_of_numbers(efforts_),
                             workspace_, span_of_numbers(ddq_));
  dx.head(n) = dq_;
  dx.segment(n, n) = ddq_;
}

Eigen::VectorXd ArmPlant::state(const Eigen::VectorXd& q, const Eigen::VectorXd& dq) const {
  const auto n = static_cast<Eigen::Index>(joints());
  Eigen::VectorXd x = Eigen::VectorXd::Zero(5 * n);
  x.head(n) = q, x.segment(n, n) = dq;
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto motor = model::motor_angle(actuator(static_cast<std::size_t>(i)).transmission, q[i]);
    x[2 * n + i] = motor.angle;
    x[3 * n + i] = motor.ratio * dq[i];
  }
  return x;
}

double ArmPlant::angle_reading(std::size_t j, const Eigen::VectorXd& x) const {
  const double shaft = x[static_cast<Eigen::Index>(2 * joints() + j)];
  const auto& increments = actuator(j).increments;
  return increments ? full_turn / *increments * std::floor(shaft * *increments / full_turn) : shaft;
}

double ArmPlant::current_reading(std::size_t j, double t, const Eigen::VectorXd& x,
                                 RandomStream& random) const {
  return current(j, t, x) + drives_[j].current_noise * random.normal();
}

double ArmPlant::stable_step(const Eigen::VectorXd& q) const {
  dynamics::ArmInertia inertia;
  Eigen::VectorXd at = q;
  dynamics::joint_inertia(arm_, span_of_numbers(at), workspace_, inertia);
  const Eigen::MatrixXd inverse = inertia.joints.inverse();
  double fastest = 0;
  for (std::size_t j = 0; j < joints(); ++j) {
    const auto i = static_cast<Eigen::Index>(j);
    const ArmDrive& drive = drives_[j];
    const model::JointMotor& motor = actuator(j).motor;
    const double ratio = model::motor_angle(actuator(j).transmission, q[i]).ratio;
    const double mobility = 1 / motor.inertia + ratio * ratio * inverse(i, i);
    const double friction =
        (motor.viscous + (motor.coulomb + drive.stiction) / drive.smooth_speed) / motor.inertia;
    fastest = std::max({fastest, std::sqrt(drive.stiffness * mobility) + drive.damping * mobility, friction,
                        1 / drive.current_lag});
  }
  return fastest_per_step / fastest;
}

}  // namespace fathom::simulate
