#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "fathom/identify/vehicle/recording.hpp"

namespace fathom::cli {

/// Which logs of which robot, and how to read them: what verbs that learn from logs have in common.
struct LogOptions {
  std::string robot;
  std::vector<std::string> logs;
  std::vector<std::string> sensors;
  std::string vehicle;
  std::optional<double> from, until;  ///< s
  double voltage = identify::RecordingOptions().voltage;
  std::optional<double> density;

  /// As on a command line: " --robot R --log L ...".
  std::string command() const;
};

/// Adds --robot, --log, --sensors, --vehicle, --from, --until, --voltage and --density.
void add_log_options(CLI::App& app, LogOptions& options, const std::string& about_logs);

/// Throws InputError that names the option.
void require(bool holds, const char* option, const std::string& message);
void check(const LogOptions& options);

/// What is read: the robot file and the logs.
std::vector<std::filesystem::path> inputs_of(const LogOptions& options,
                                             const std::filesystem::path& robot_file);

/// Of the water that the robot was identified in, unless told.
model::Environment environment_of(const LogOptions& options, const model::Robot& robot);

/// Reads them one by one, with progress, and says what is odd about them on standard error. Logs of one name
/// get numbers.
std::vector<identify::Recording> read_logs(const LogOptions& options, const model::Robot& robot,
                                           const model::Environment& environment);

}  // namespace fathom::cli
