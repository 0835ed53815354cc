#include "fathom/task/logs.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace fathom::task {
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

OptionList option_list(LogOptions& o, const std::string& about_logs) {
  return {
      {.key = "robot",
       .value = &o.robot,
       .doc = "A robot that ships, or the path of a robot file",
       .form = "NAME|FILE",
       .required = true},
      {.key = "log", .value = &o.log, .doc = about_logs, .form = "DIR|MCAP", .required = true},
      {"sensors", &o.sensors, "Of the robot, to use; default all that the log has", "NAME,..."},
      {"vehicle", &o.vehicle, "Which one, where the log has several", "NAME"},
      {"from", &o.from, "Seconds of the log before which nothing is used", "S", "time"},
      {"until", &o.until, "Seconds of the log after which nothing is used", "S", "time"},
      {"voltage", &o.voltage, "Of the thrusters' supply, volts", "V=16", "voltage"},
      {"density", &o.density, "Of the water, kg/m^3; default that of the estimate in the robot file, or 1000",
       "KG_M3", "density"}};
}

void LogOptions::check() const {
  for (const auto& [name, value] : {std::pair("--from", from), std::pair("--until", until)})
    require(!value || std::isfinite(*value), name, "must be a number of seconds");
  require(!from || !until || *from < *until, "--until",
          fmt::format("= {}, must be later than --from {}", until.value_or(0), from.value_or(0)));
  require(!until || from || *until > 0, "--until",
          fmt::format("= {} s, must be above 0: logs begin there", until.value_or(0)));
  std::set<std::filesystem::path> seen;
  for (const std::string& one : log) {
    require(!one.empty(), "--log", "is empty: the path of a folder");
    std::error_code error;
    require(seen.insert(std::filesystem::weakly_canonical(one, error)).second, "--log",
            one + " is given twice: a log counts once");
  }
  require(voltage > 0 && std::isfinite(voltage), "--voltage", fmt::format("= {}, must be above 0", voltage));
}

std::vector<std::filesystem::path> LogOptions::inputs(const std::filesystem::path& robot_file) const {
  std::vector<std::filesystem::path> all(log.begin(), log.end());
  all.push_back(robot_file);
  return all;
}

model::Environment LogOptions::environment(const model::Robot& of) const {
  const auto& identified = of.identified();
  const double rho = density.value_or(identified ? identified->density : model::fresh_water);
  return identified ? model::Environment(rho, identified->gravity) : model::Environment(rho);
}

std::vector<identify::Recording> read_logs(const LogOptions& options, const model::Robot& robot,
                                           const model::Environment& environment, const Context& context) {
  identify::RecordingOptions reading;
  reading.vehicle = options.vehicle;
  reading.sensors = options.sensors;
  reading.voltage = options.voltage;
  reading.from = options.from;
  reading.until = options.until;
  std::vector<identify::Recording> recordings;
  for (const std::string& log : options.log) {
    context.at("reading logs", static_cast<double>(recordings.size()) / static_cast<double>(options.log.size()),
               log);
    recordings.push_back(identify::read_recording(log, robot, environment, reading));
    if (context.warn)
      for (const Finding& warning : recordings.back().warnings) context.warn(warning);
  }
  make_names_unique(recordings);
  return recordings;
}

LogSummary summary_of(const identify::Recording& recording) {
  LogSummary s{.name = recording.name,
               .samples = recording.size(),
               .usable = std::count(recording.usable.begin(), recording.usable.end(), 1),
               .interval_s = recording.track.dt,
               .jerk = recording.jerk,
               .angular_jerk = recording.angular_jerk};
  for (const auto& drop : recording.dropped) s.dropped.push_back({drop.why, drop.samples});
  for (const auto& c : recording.sensors)
    s.sensors.push_back({c.name, c.used, c.missing, c.outliers, c.innovation_rms});
  for (const Finding& warning : recording.warnings) s.warnings.push_back(warning.text());
  return s;
}

}  // namespace fathom::task
