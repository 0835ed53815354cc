#pragma once
#include <Eigen/Core>

#include "fathom/identify/thruster/step_law.hpp"

// How a rotor, and what looks at it, goes on from row to row: hot where laws are fitted, so by closed forms
// (docs/model.md eqs. 30 and 34) wherever there is one.

namespace fathom::identify::internal {

/// A first-order lag behind goals that are held and come `delay` late; steady before the first.
Eigen::VectorXd lagged(const Eigen::VectorXd& times, const Eigen::VectorXd& goal, double delay,
                       double time_constant);

/// A first-order lag of an input that goes straight from row to row; steady before the first. `dt`: to the row
/// before.
Eigen::VectorXd smoothed(const Eigen::VectorXd& dt, const Eigen::VectorXd& input, double time_constant);

/// Speeds of a motor under volts that are held and come `numbers.delay` late.
Eigen::VectorXd motor_speeds(const Eigen::VectorXd& times, const Eigen::VectorXd& volts,
                             const StepNumbers& numbers);

/// A rotor whose load is partly quadratic (`numbers.bend`, at the speed `most`), and whose brakes are not its
/// drive (`numbers.slowing`).
Eigen::VectorXd bent(const Eigen::VectorXd& times, const Eigen::VectorXd& goal, const StepNumbers& numbers,
                     double most);

}  // namespace fathom::identify::internal
