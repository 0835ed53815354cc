#pragma once
#include <string>
#include <vector>

#include "fathom/geometry/types.hpp"
#include "fathom/log/dataset.hpp"

namespace fathom::identify {

/// One run of a vehicle as foreign logs have it: the motion on an even grid, the commands on their own clock.
/// Unlike a Recording it needs no robot file: the vehicle's mass, drag and thrusters are unknown.
struct CommandedRun {
  std::string name;
  double t0 = 0, dt = 0;               ///< s, of the grid
  Mat6X nu_c = {};                     ///< [u v w p q r] at the velocity sensor, in body axes, lightly smoothed
  Eigen::Matrix3Xd down_b = {};        ///< unit vector; zero where the log has no attitude
  std::vector<double> command_t = {};  ///< s
  Mat6X commands = {};                 ///< a wrench [N, N m], or what a pilot asked of the six axes
  std::size_t repeated_values = 0;     ///< velocities that the log holds until the next one came: left out

  Eigen::Index size() const { return nu_c.cols(); }
  double t(Eigen::Index k) const { return t0 + dt * static_cast<double>(k); }
};

struct CommandedRunOptions {
  double dt = 0.02;             ///< s
  double velocity_sigma = 0.1;  ///< s, of the Gaussian over velocities and measured rates
  double attitude_sigma = 0.2;  ///< s, of that over roll, pitch and heading; its slope gives the rates
};

/// From velocities, and an attitude (roll, pitch, heading) whose slope is the angular rate: for logs whose own
/// rates are missing. `commands` has six columns, in the order of the axes. Throws InputError: too few samples,
/// values that are no numbers, clocks that do not overlap.
CommandedRun run_with_attitude(std::string name, const log::Channel& velocity, const log::Channel& attitude,
                               const log::Channel& commands, const CommandedRunOptions& options = {});

/// From a measured twist (u v w p q r), without an attitude.
CommandedRun run_with_twist(std::string name, const log::Channel& twist, const log::Channel& commands,
                            const CommandedRunOptions& options = {});

}  // namespace fathom::identify
