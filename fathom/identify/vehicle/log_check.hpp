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

/// What is known of the vehicles of a log that is checked, and which part of the log is.
struct LogCheckOptions {
  const model::Robot* robot = nullptr;  ///< places of its sensors, and its thrusters; null: unknown
  model::Environment environment;
  double voltage = model::usual_voltage;  ///< V, of the thrusters' supply
  std::optional<double> from, until;      ///< s of the log
};

/// Returns whether the channel is read as a sensor: it has the columns of one, and its name is not that of a
/// state, a reference or a command.
bool is_sensor_channel(const log::ChannelInfo& channel);

/// Compares the sensors of each vehicle of a log with each other, and with the commands where the robot is
/// known (docs/sensor-check.md). Reads the kind of a sensor from its columns where no robot says it. Returns
/// contradictions as errors, contradictions with commands behind a command path as warnings, and contradictions
/// that the mounting of a sensor may explain as notes. Throws nothing for channels that cannot be read.
Findings check_log(const std::filesystem::path& folder, const LogCheckOptions& options = LogCheckOptions());
/// The same from memory.
Findings check_log(const log::Dataset& dataset, const std::string& name,
                   const LogCheckOptions& options = LogCheckOptions());

}  // namespace fathom::identify
