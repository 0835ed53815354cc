#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fathom/filter/track.hpp"
#include "fathom/geometry/types.hpp"

namespace fathom::identify {

/// Samples of one sensor, in body axes (attitude: q_nb, w first), with the name of its channel.
struct CheckedSensor {
  std::string channel;
  filter::Readings readings;
};

/// Commands of thrusters, or the wrench that a log has.
struct CheckedCommands {
  std::string channel;
  std::vector<std::string> thrusters;  ///< empty where `inputs` is a wrench
  std::vector<double> t;               ///< s
  Eigen::MatrixXd inputs;        ///< N, a column per time: forces of thrusters with their lag, or a wrench
  Mat6X to_wrench_b;             ///< 6 x inputs
  double lag = 0;                ///< s, of the thrusters by the robot file
  Mat6 mass = Mat6::Identity();  ///< of body and water by the robot file
  double dry_mass = 0, dry_mass_sigma = 0;  ///< kg, by the robot file; 0: unknown
};

/// The sensors of one vehicle, the first of each kind, before anything is smoothed.
struct CheckedLog {
  std::optional<CheckedSensor> attitude, rate, acceleration, velocity, depth, position;
  std::optional<CheckedCommands> commands;
};

/// Two sensors that do not show the same motion.
struct Contradiction {
  std::vector<std::string> channels;  ///< those that disagree; the one to repair first where it is known
  bool named = false;                 ///< one repair explains it, and no other does
  /// No repair explains it, and it is small enough for effects that the comparison neglects: worth a note.
  bool is_slight = false;
  /// A place, an attitude or a latency of the sensor in the robot file explains it too.
  bool may_be_mounting = false;
  std::string message, remedy;
  double as_is = 0, repaired = 0;  ///< misfits
};

/// Compares sensors with each other and with the commands (docs/sensor-check.md), and scores repairs: units,
/// signs, axes, order of numbers, clocks, thrusters. A repair is named if its misfit is at most half of that
/// without it and of that of any other repair. Returns nothing where the sensors agree.
std::vector<Contradiction> find_contradictions(CheckedLog log);

}  // namespace fathom::identify
