#include "cli/verbs/recordings.hpp"

#include <cmath>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "fathom/base/error.hpp"

#include "cli/terminal/interrupt.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/verb.hpp"

namespace fathom::cli {
namespace {

/// The first of a name keeps it; the others get a number that makes a name which no log has.
void make_names_unique(std::vector<identify::Recording>& recordings) {
  std::set<std::string> given, taken;
  for (const auto& recording : recordings) taken.insert(recording.name);
  for (auto& recording : recordings) {
    const std::string name = recording.name;
    for (int number = 2; !given.insert(recording.name).second; ++number) {
      std::string other = fmt::format("{}-{}", name, number);
      if (taken.insert(other).second) recording.name = std::move(other);
    }
  }
}

}  // namespace

std::string LogOptions::command() const {
  std::string text = " --robot " + shell_word(robot);
  for (const std::string& log : logs) text += " --log " + shell_word(log);
  for (const std::string& sensor : sensors) text += " --sensors " + shell_word(sensor);
  if (!vehicle.empty()) text += " --vehicle " + shell_word(vehicle);
  if (from) text += fmt::format(" --from {}", *from);
  if (until) text += fmt::format(" --until {}", *until);
  if (voltage != LogOptions().voltage) text += fmt::format(" --voltage {}", voltage);
  if (density) text += fmt::format(" --density {}", *density);
  return text;
}

void add_log_options(CLI::App& app, LogOptions& options, const std::string& about_logs) {
  app.add_option("--robot", options.robot, "A robot that ships, or the path of a robot file")
      ->required()
      ->option_text("NAME|FILE REQUIRED");
  app.add_option("--log", options.logs, about_logs)
      ->required()
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text("DIR|MCAP REQUIRED");
  app.add_option("--sensors", options.sensors, "Of the robot, to use; default all that the log has")
      ->delimiter(',')
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text("NAME,...");
  app.add_option("--vehicle", options.vehicle, "Which one, where the log has several")->option_text("NAME");
  app.add_option("--from", options.from, "Seconds of the log before which nothing is used")
      ->check(is_number("time"))
      ->option_text("S");
  app.add_option("--until", options.until, "Seconds of the log after which nothing is used")
      ->check(is_number("time"))
      ->option_text("S");
  app.add_option("--voltage", options.voltage, "Of the thrusters' supply, volts")
      ->check(is_number("voltage"))
      ->option_text("V=16");
  app.add_option("--density", options.density,
                 "Of the water, kg/m^3; default that of the estimate in the robot file, or 1000")
      ->check(is_density())
      ->option_text("KG_M3");
}

void require(bool holds, const char* option, const std::string& message) {
  if (!holds) reject(option, message);
}

void check(const LogOptions& options) {
  for (const auto& [name, value] : {std::pair("--from", options.from), std::pair("--until", options.until)})
    require(!value || std::isfinite(*value), name, "must be a number of seconds");
  require(
      !options.from || !options.until || *options.from < *options.until, "--until",
      fmt::format("= {}, must be later than --from {}", options.until.value_or(0), options.from.value_or(0)));
  require(!options.until || options.from || *options.until > 0, "--until",
          fmt::format("= {} s, must be above 0: logs begin there", options.until.value_or(0)));
  std::set<std::filesystem::path> seen;
  for (const std::string& log : options.logs) {
    require(!log.empty(), "--log", "is empty: the path of a folder");
    std::error_code error;
    require(seen.insert(std::filesystem::weakly_canonical(log, error)).second, "--log",
            log + " is given twice: a log counts once");
  }
  require(options.voltage > 0 && std::isfinite(options.voltage), "--voltage",
          fmt::format("= {}, must be above 0", options.voltage));
}

std::vector<std::filesystem::path> inputs_of(const LogOptions& options,
                                             const std::filesystem::path& robot_file) {
  std::vector<std::filesystem::path> inputs(options.logs.begin(), options.logs.end());
  inputs.push_back(robot_file);
  return inputs;
}

model::Environment environment_of(const LogOptions& options, const model::Robot& robot) {
  const auto& identified = robot.identified();
  const double density = options.density.value_or(identified ? identified->density : model::fresh_water);
  return identified ? model::Environment(density, identified->gravity) : model::Environment(density);
}

std::vector<identify::Recording> read_logs(const LogOptions& options, const model::Robot& robot,
                                           const model::Environment& environment) {
  identify::RecordingOptions reading;
  reading.vehicle = options.vehicle;
  reading.sensors = options.sensors;
  reading.voltage = options.voltage;
  reading.from = options.from;
  reading.until = options.until;
  Progress progress("reading logs");
  std::vector<identify::Recording> recordings;
  for (const std::string& log : options.logs) {
    throw_if_interrupted();
    progress.at(static_cast<double>(recordings.size()) / static_cast<double>(options.logs.size()), log);
    recordings.push_back(identify::read_recording(log, robot, environment, reading));
    for (const Finding& warning : recordings.back().warnings)
      warn(fmt::format("fathom: {}: {}", to_string(warning.severity), warning.text()));
  }
  make_names_unique(recordings);
  return recordings;
}

}  // namespace fathom::cli
