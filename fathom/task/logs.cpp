#include "fathom/task/logs.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "fathom/base/parallel_map.hpp"
#include "fathom/task/internal/option_table.hpp"

namespace fathom {

template <>
const fields::Keys& fields::Table<task::LogOptions>::fields() {
  using task::LogOptions;
  static const Keys keys{
      field<&LogOptions::robot>("robot")
          .required()
          .metavar("NAME|FILE")
          .doc("Robot that ships, or path of a robot file."),
      field<&LogOptions::log>("log").required().metavar("DIR|MCAP").doc("Folder of a log; may be repeated."),
      field<&LogOptions::sensors>("sensors")
          .metavar("NAME,...")
          .by_default("all that the log has")
          .doc("Sensors of the robot to use."),
      field<&LogOptions::without>("without")
          .metavar("NAME,...")
          .doc("Sensors of the robot to leave out; may be repeated."),
      field<&LogOptions::vehicle>("vehicle").metavar("NAME").doc("Vehicle to read, where the log has several."),
      field<&LogOptions::from>("from").unit("s").metavar("S").doc(
          "Time of the log before which nothing is used."),
      field<&LogOptions::until>("until").unit("s").metavar("S").doc(
          "Time of the log after which nothing is used."),
      field<&LogOptions::voltage>("voltage").unit("V").above(0).metavar("VOLTS").doc(
          "Thruster supply voltage."),
      field<&LogOptions::no_sensor_check>("no_sensor_check")
          .doc("Use logs even if their sensors contradict each other or the commands."),
      task::internal::water_density(field<&LogOptions::density>("density"))
          .by_default("that of the estimate in the robot file, or 1000")
          .doc("Water density.")};
  return keys;
}

}  // namespace fathom

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

/// A row for each number that may differ from zero.
void add_error(const filter::ConstantError& error, std::vector<LogSummary::ConstantError>& rows) {
  const auto is = [&](const char* kind) { return error.series.ends_with(kind); };
  const char* unit = is("attitude") || is("rate") ? "rad"
                     : is("velocity")             ? "m/s"
                     : is("force")                ? "m/s^2"
                                                  : "m";
  constexpr std::array axes = {"x", "y", "z", "heading"};
  for (Eigen::Index k = 0; k < error.value.size(); ++k)
    if (error.prior_sigma[k] > 0)
      rows.push_back({error.value.size() == 1
                          ? error.series
                          : fmt::format("{} {}", error.series, axes[static_cast<std::size_t>(k)]),
                      unit, error.value[k], error.sigma[k], error.prior_sigma[k]});
}

/// The robot's sensors by the names of channels too, as messages have them: rov.imu is imu.
std::vector<std::string> sensors_named(std::vector<std::string> names, const LogOptions& options,
                                       const model::Robot& robot) {
  const auto is_sensor = [&](const std::string& name) {
    return std::any_of(robot.sensors().begin(), robot.sensors().end(),
                       [&](const model::Sensor& sensor) { return sensor.name == name; });
  };
  for (std::string& name : names) {
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos || is_sensor(name)) continue;
    const bool is_of_vehicle = options.vehicle.empty() || name.substr(0, dot) == options.vehicle;
    if (is_of_vehicle && is_sensor(name.substr(dot + 1))) name.erase(0, dot + 1);
  }
  return names;
}

}  // namespace

void LogOptions::check() const {
  fields::check_values(*this);
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
                                           const model::Environment& environment, const Context& context,
                                           LogUse use) {
  identify::RecordingOptions reading;
  reading.split = use == LogUse::estimate;
  reading.vehicle = options.vehicle;
  reading.sensors = sensors_named(options.sensors, options, robot);
  reading.without = sensors_named(options.without, options, robot);
  reading.voltage = options.voltage;
  reading.from = options.from;
  reading.until = options.until;
  reading.check_sensors = !options.no_sensor_check;
  ThreadPool pool = context.pool();
  const auto count = static_cast<int>(options.log.size());
  const auto tell = [&](int ended) {
    context.at("reading logs", static_cast<double>(ended) / static_cast<double>(count),
               options.log[static_cast<std::size_t>(std::min(ended, count - 1))]);
  };
  tell(0);
  std::vector<identify::Recording> recordings = parallel_map(
      pool, count,
      [&](int k) {
        return identify::read_recording(options.log[static_cast<std::size_t>(k)], robot, environment, reading);
      },
      tell);
  if (context.warn)
    for (const identify::Recording& recording : recordings)
      for (const Finding& warning : recording.warnings) context.warn(warning);
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
  for (const filter::ConstantError& error : recording.constant_errors) add_error(error, s.constant_errors);
  s.contradictions = recording.contradictions;
  if (!recording.current_n.isZero()) s.current = {{recording.current_n.x(), recording.current_n.y()}};
  for (const Finding& warning : recording.warnings) s.warnings.push_back(warning.text());
  return s;
}

}  // namespace fathom::task
