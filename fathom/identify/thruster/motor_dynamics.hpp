#pragma once
#include <Eigen/Core>

#include "fathom/model/thruster_map.hpp"

namespace fathom::identify {

using model::MotorRates;

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
