#pragma once
#include <Eigen/Core>

#include "fathom/model/thruster_map.hpp"

namespace fathom::identify {

/// A DC motor that turns a propeller, J w' = k_q (V - k_t w) / R - k_f1 w - Q_ww |w| w (Nielsen 2019, eq. 5.13;
/// docs/model.md eq. 31), divided by its inertia: voltage and speed tell these three numbers and no more.
struct MotorRates {
  double drive = 0;      ///< rad/s^2 per V, k_q / (R J)
  double linear = 0;     ///< 1/s, (k_q k_t / R + k_f1) / J
  double quadratic = 0;  ///< 1/rad, Q_ww / J

  double acceleration(double volts, double speed) const {
    return drive * volts - (linear + quadratic * (speed < 0 ? -speed : speed)) * speed;
  }
  /// The motor with these rates, k_t [V s/rad] and R [ohm] being known and k_q equal to k_t, as energy has it.
  /// Throws InputError where friction comes out negative: they do not belong to this motor.
  model::DcMotor motor(double k_t, double resistance) const;
};

/// Speeds [rad/s] under `volts`, held over each step of dt, from the first speed.
Eigen::VectorXd simulate_motor(const MotorRates& rates, const Eigen::Ref<const Eigen::VectorXd>& volts,
                               double first_speed, double dt);

struct MotorDynamicsFit {
  MotorRates rates;
  Eigen::Vector3d sigma = Eigen::Vector3d::Zero();  ///< in their order, residuals that remember allowed for
  double r2 = 0;                                    ///< of the simulated speed
  bool converged = false;
};
/// The rates, none negative, whose simulated speed is nearest to the measured one. Throws InputError for fewer
/// than 20 samples, numbers that are not finite, or a motor that does not move.
MotorDynamicsFit fit_motor_dynamics(const Eigen::Ref<const Eigen::VectorXd>& volts,
                                    const Eigen::Ref<const Eigen::VectorXd>& speeds, double dt);

}  // namespace fathom::identify
