#include "fathom/identify/vehicle/internal/recording_sensors.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fathom/base/median.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::identify::internal {
namespace {

using filter::Readings;

constexpr double shortest_log = 5;        // s
constexpr std::size_t fewest_fixes = 50;  // of position, or of velocity

/// What `fathom simulate` and autopilots log beside sensors; docs/scenario-file.md.
constexpr std::array no_sensors = {"state", "reference", "thrusters", "wrench",
                                   "pilot", "control",   "water",     "tether"};

const model::Sensor* find(const model::Robot& robot, const std::string& name) {
  for (const model::Sensor& sensor : robot.sensors())
    if (sensor.name == name) return &sensor;
  return nullptr;
}

std::vector<std::string> sensor_names(const model::Robot& robot) {
  std::vector<std::string> names;
  for (const model::Sensor& sensor : robot.sensors()) names.push_back(sensor.name);
  return names;
}

/// Channels of this vehicle, without the prefix.
std::vector<std::string> own_channels(const Source& source, const std::string& prefix) {
  std::vector<std::string> names;
  for (const std::string& channel : source.channels())
    if (channel.starts_with(prefix)) names.push_back(channel.substr(prefix.size()));
  return names;
}

/// Every sensor that is asked for must be known, of use, and in the log.
void check_asked(const Source& source, const std::string& prefix, const model::Robot& robot,
                 const RecordingOptions& options) {
  Findings findings;
  const auto add_error_of = [&](std::string message, std::string hint) {
    findings.push_back(source.finding(Severity::error, std::move(message), std::move(hint)));
  };
  for (const std::string& name : options.sensors) {
    const model::Sensor* sensor = find(robot, name);
    if (!sensor && name != "state") {
      std::vector<std::string> known = sensor_names(robot);
      known.push_back("state");
      add_error_of(fmt::format("sensor '{}' is not one of robot {}", name, robot.name()),
                   suggestion(name, known, "it has " + listed(known)));
    } else if (!source.has(prefix + name)) {
      add_error_of(fmt::format("has no channel '{}{}' of sensor '{}'", prefix, name, name),
                   "its channels are " + listed(source.channels()));
    } else if (sensor && !SensorReader::knows(sensor->kind)) {
      add_error_of(
          fmt::format("sensor '{}' of kind {} does not show the motion", name, model::name_of(sensor->kind)),
          SensorReader::known_kinds() + " do");
    }
  }
  for (const std::string& name : options.without)
    if (!find(robot, name))
      add_error_of(fmt::format("sensor '{}' is to be left out, but is not one of robot {}", name, robot.name()),
                   suggestion(name, sensor_names(robot), "it has " + listed(sensor_names(robot))));
  if (!findings.empty()) throw InputError(std::move(findings));
}

/// Channels that look like sensors, but are not read.
void note_others(const Source& source, const std::string& prefix, const model::Robot& robot, SensorData& data) {
  for (const std::string& name : own_channels(source, prefix)) {
    if (is_no_sensor(name)) continue;
    if (prefix.empty() && name.find('.') != std::string::npos) continue;  // of another vehicle
    const model::Sensor* sensor = find(robot, name);
    if (!sensor)
      data.warnings.push_back(
          source.finding(Severity::warning,
                         fmt::format("channel '{}{}' is of no sensor of robot {}, and is not used", prefix,
                                     name, robot.name()),
                         suggestion(name, sensor_names(robot), "add the sensor to the robot file")));
    else if (!SensorReader::knows(sensor->kind))
      data.warnings.push_back(source.finding(
          Severity::note, fmt::format("sensor '{}' of kind {} is not used", name, model::name_of(sensor->kind)),
          SensorReader::known_kinds() + " show the motion"));
  }
}

void warn_of_gaps(const Source& source, const SensorData& data, const RecordingOptions& options,
                  Findings& warnings) {
  const auto look = [&](const std::vector<Readings>& list, const char* list_name) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      std::vector<double> steps;
      for (std::size_t k = 1; k < list[i].t.size(); ++k) steps.push_back(list[i].t[k] - list[i].t[k - 1]);
      const Steps of_clock = steps_of(std::move(steps));
      if (of_clock.gaps == 0) continue;
      const bool is_long = of_clock.longest > options.smoother.longest_gap;
      warnings.push_back(source.finding(is_long ? Severity::warning : Severity::note,
                                        fmt::format("{}: {} gaps, the longest {:.3g} s, at a step of {:.3g} s",
                                                    data.names.at(fmt::format("{} {}", list_name, i)),
                                                    of_clock.gaps, of_clock.longest, of_clock.median),
                                        is_long ? "a track is not used where nothing shows it" : ""));
    }
  };
  look(data.measurements.position, "position");
  look(data.measurements.attitude, "attitude");
  look(data.measurements.rate, "rate");
  look(data.measurements.depth, "depth");
  look(data.measurements.velocity, "velocity");
}

/// rad, of an attitude that rates were added up to.
constexpr double rebuilt_attitude = 0.05;

/// Where nothing shows the attitude but a gyro does, and velocities in body axes need no heading: its rates,
/// added up from a level start with heading 0.
void rebuild_attitude(const Source& source, SensorData& data) {
  filter::Measurements& m = data.measurements;
  if (!m.attitude.empty() || m.rate.empty() || !m.position.empty() || m.velocity.empty()) return;
  Readings& rate = m.rate.front();
  rate.bias_covariance.resize(0, 0);  // an attitude that is made of the rates shows nothing of their axes
  Readings rebuilt{{}, Eigen::MatrixXd(4, rate.values.cols()), Vec3::Constant(rebuilt_attitude), Vec3::Zero()};
  Quat q_nb = Quat::Identity();
  Vec3 before = Vec3::Zero();
  for (std::size_t k = 0; k < rate.t.size(); ++k) {
    const Vec3 omega_b = rate.values.col(static_cast<Eigen::Index>(k));
    if (!omega_b.allFinite()) continue;
    if (!rebuilt.t.empty())
      q_nb = (q_nb * exp_rotation(0.5 * (rate.t[k] - rebuilt.t.back()) * (before + omega_b))).normalized();
    before = omega_b;
    rebuilt.values.col(static_cast<Eigen::Index>(rebuilt.t.size())) << q_nb.w(), q_nb.x(), q_nb.y(), q_nb.z();
    rebuilt.t.push_back(rate.t[k]);
  }
  rebuilt.values.conservativeResize(Eigen::NoChange, static_cast<Eigen::Index>(rebuilt.t.size()));
  data.names["attitude 0"] = data.names.at("rate 0") + ", added up";
  m.attitude.push_back(std::move(rebuilt));
  data.warnings.push_back(source.finding(
      Severity::warning,
      "no sensor shows the attitude: rebuilt from the gyro's rates, level at the first sample",
      "its bias tilts it as time goes by; cut the log where the vehicle lies level, or add an ahrs"));
}

/// From the first to the last sample.
struct Extent {
  double begin = infinity, end = -begin;
  std::size_t samples = 0;
};

/// Of the samples that are numbers.
void extend(Extent& extent, const std::vector<Readings>& list) {
  for (const Readings& readings : list)
    for (std::size_t k = 0; k < readings.t.size(); ++k) {
      if (readings.values.col(static_cast<Eigen::Index>(k)).array().isNaN().any()) continue;
      extent.begin = std::min(extent.begin, readings.t[k]);
      extent.end = std::max(extent.end, readings.t[k]);
      ++extent.samples;
    }
}

void check_asked_times(const Source& source, const SensorData& data, const RecordingOptions& options) {
  if (options.from && *options.from >= data.end)
    source.fail(fmt::format("from = {:g} s, but the log ends at {:.6g} s", *options.from, data.end),
                "an earlier one");
  if (options.until && *options.until <= data.begin)
    source.fail(fmt::format("until = {:g} s, but the log begins at {:.6g} s", *options.until, data.begin),
                "a later one");
}

void check_enough(const Source& source, const std::string& prefix, const SensorData& data) {
  const filter::Measurements& m = data.measurements;
  std::string hint = fmt::format(
      "an ahrs or a position sensor shows the attitude (so do an imu and a dvl from a level start), a position "
      "sensor or a dvl the place; the log has {}",
      listed(own_channels(source, prefix)));
  for (const Finding& warning : data.warnings)
    if (warning.message == no_samples) hint = fmt::format("{}; {}", warning.text(), hint);
  if (source.has(prefix + "state")) hint += "; --sensors state takes that channel as exact";
  if (m.attitude.empty()) source.fail("no sensor shows the attitude", hint);
  if (m.position.empty() && m.velocity.empty())
    source.fail("no sensor shows the position or the velocity", hint);
  Extent attitude, motion;
  extend(attitude, m.attitude);
  extend(motion, m.position);
  extend(motion, m.velocity);
  const double seconds = std::min(attitude.end, motion.end) - std::max(attitude.begin, motion.begin);
  if (!(seconds >= shortest_log))
    source.fail(fmt::format("attitude and motion are both measured for {:.3g} s, too short to smooth: at least "
                            "{} s",
                            std::max(0.0, seconds), shortest_log),
                "a longer log, or from and until farther apart");
  if (motion.samples < fewest_fixes)
    source.fail(fmt::format("{} samples of position and velocity are too few to smooth: at least {}",
                            motion.samples, fewest_fixes),
                "a longer log, or a sensor with a higher rate");
}

}  // namespace

bool is_no_sensor(const std::string& name) {
  return std::find(no_sensors.begin(), no_sensors.end(), name) != no_sensors.end();
}

Steps steps_of(std::vector<double> steps) {
  if (steps.empty()) return {};
  Steps found;
  found.longest = *std::max_element(steps.begin(), steps.end());
  found.median = median(steps);
  found.gaps = static_cast<std::size_t>(
      std::count_if(steps.begin(), steps.end(), [&](double step) { return step > 1.5 * found.median; }));
  return found;
}

SensorData read_sensors(const Source& source, const std::string& prefix, const model::Robot& robot,
                        const RecordingOptions& options) {
  SensorData data;
  check_asked(source, prefix, robot, options);
  const auto asked = [&](const std::string& name) {
    return std::find(options.sensors.begin(), options.sensors.end(), name) != options.sensors.end();
  };
  SensorReader reader(options, data);
  const auto is_left_out = [&](const std::string& name) {
    return std::find(options.without.begin(), options.without.end(), name) != options.without.end();
  };
  for (const model::Sensor& sensor : robot.sensors()) {
    if ((!options.sensors.empty() && !asked(sensor.name)) || is_left_out(sensor.name)) continue;
    if (SensorReader::knows(sensor.kind) && source.has(prefix + sensor.name))
      reader.read(source.open(prefix + sensor.name), sensor);
  }
  // The truth of a simulation is no sensor, unless somebody says so.
  if (asked("state")) reader.read_state(source.open(prefix + "state"));
  if (options.sensors.empty()) note_others(source, prefix, robot, data);
  if (data.begin <= data.end) check_asked_times(source, data, options);
  rebuild_attitude(source, data);
  check_enough(source, prefix, data);
  if (data.moves) data.warnings.insert(data.warnings.end(), data.stuck.begin(), data.stuck.end());
  warn_of_gaps(source, data, options, data.warnings);
  return data;
}

}  // namespace fathom::identify::internal
