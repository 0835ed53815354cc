#pragma once
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fathom/identify/vehicle/recording.hpp"
#include "fathom/task/context.hpp"
#include "fathom/task/result.hpp"

namespace fathom::task {

/// Which logs of which robot, and how to read them: the options that tasks on logs share.
struct LogOptions {
  std::string robot;                      ///< name of a shipped robot, or path of a robot file
  std::vector<std::string> log = {};      ///< folders or .mcap files
  std::vector<std::string> sensors = {};  ///< of the robot, to use; empty: all that the log has
  std::vector<std::string> without = {};  ///< sensors of the robot to leave out
  std::string vehicle = {};               ///< prefix of its channels; empty: the only one there is
  std::optional<double> from = {};        ///< s of the log; nothing before it is used
  std::optional<double> until = {};       ///< s of the log; nothing after it is used
  double voltage = identify::RecordingOptions().voltage;  ///< V, of the thrusters' supply
  bool no_sensor_check = false;  ///< reads logs whose sensors contradict each other (docs/sensor-check.md)
  std::optional<double> density = {};  ///< kg/m^3; absent: that of the robot's estimate, or fresh water

  /// Throws InputError that names the option.
  void check() const;
  /// Returns what is read: the logs and that robot file.
  std::vector<std::filesystem::path> inputs(const std::filesystem::path& robot_file) const;
  /// Returns the water that the robot was identified in, unless `density` says otherwise.
  model::Environment environment(const model::Robot& of) const;
};

/// What is done with logs: an estimate needs the error of velocities, a prediction does not.
enum class LogUse { estimate, predict };

/// Reads the logs, several at a time. Logs of one name get numbers.
std::vector<identify::Recording> read_logs(const LogOptions& options, const model::Robot& robot,
                                           const model::Environment& environment, const Context& context,
                                           LogUse use = LogUse::estimate);

/// What a summary tells of a log.
struct LogSummary {
  struct Drop {
    std::string why;
    std::size_t samples = 0;
  };
  struct Sensor {
    std::string name;
    std::size_t used = 0, missing = 0, outliers = 0;
    double innovation_rms = 0;
  };
  /// An error that all samples of a sensor share; the motion is free of its value.
  struct ConstantError {
    std::string name, unit;  ///< such as "ahrs attitude y"
    double value = 0, sigma = 0, prior_sigma = 0;
  };
  std::string name;
  std::ptrdiff_t samples = 0, usable = 0;
  double interval_s = 0;
  std::vector<Drop> dropped = {};
  std::vector<Sensor> sensors = {};
  std::vector<ConstantError> constant_errors = {};
  std::vector<std::string> contradictions = {};  ///< of sensors, that no single repair explains
  std::vector<std::string> warnings = {};
  double jerk = 0, angular_jerk = 0;
  /// m/s, north and east; where it differs from that of other logs and was estimated by itself
  IfAny<std::array<double, 2>> current = {};
};
LogSummary summary_of(const identify::Recording& recording);

}  // namespace fathom::task
