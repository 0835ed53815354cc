#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "fathom/base/error.hpp"
#include "fathom/log/dataset.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"
#include "fathom/model/supply.hpp"

namespace fathom::identify {

/// Vehicles of a log that is checked, and the part of the log.
struct LogCheckOptions {
  const model::Robot* robot = nullptr;  ///< places of its sensors, and its thrusters; null: unknown
  model::Environment environment;
  double voltage = model::usual_voltage;  ///< V, of the thrusters' supply
  std::optional<double> from, until;      ///< s of the log; of these at most 600 s
};

/// Result of check_log().
struct LogCheck {
  /// Contradictions as errors, those with commands behind a command path as warnings, and those that the
  /// mounting of a sensor may explain, or effects that the comparison neglects, as notes.
  Findings findings;
  /// Sensors and commands that are not compared, with the reason: notes; warnings where a robot was given.
  Findings skipped;
};

/// Returns whether the channel is read as a sensor: it has the columns of one, and its name is not that of a
/// state, a reference or a command.
bool is_sensor_channel(const log::ChannelInfo& channel);

/// Compares the sensors of each vehicle of a log with each other, and with the commands where the robot is
/// known (docs/sensor-check.md). Reads the kind of a sensor from its columns where no robot says it. Channels
/// that cannot be read are skipped.
LogCheck check_log(const std::filesystem::path& folder, const LogCheckOptions& options = LogCheckOptions());
/// The same from memory.
LogCheck check_log(const log::Dataset& dataset, const std::string& name,
                   const LogCheckOptions& options = LogCheckOptions());

}  // namespace fathom::identify
