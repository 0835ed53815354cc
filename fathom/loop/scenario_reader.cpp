#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/base/yaml.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/log/csv_reader.hpp"
#include "fathom/loop/scenario.hpp"
#include "fathom/model/catalogue.hpp"
#include "fathom/model/dof.hpp"
#include "fathom/model/robot_file.hpp"

namespace fathom::loop {
namespace {

using yaml::Field;
using yaml::Map;
using yaml::Reading;
using Folders = std::vector<std::filesystem::path>;

constexpr std::string_view format_word = "fathom-scenario-1";
constexpr std::size_t largest_scenario_file = 4u << 20;  // long series of commands stand in a log file
constexpr double most_steps = 1e8;                       // eleven days at 100 Hz
constexpr double fastest_sensor_hz = 1e5;
constexpr int most_substeps = 1000;
constexpr double degree = std::numbers::pi / 180;

// ---- single values; each reader leaves `out` alone where the key is absent or wrong ----

void read(Map& map, std::string_view key, std::string_view unit, double& out) {
  if (const auto field = map.take(key))
    if (const auto value = field->number(unit)) out = *value;
}

std::string with_unit(double value, std::string_view unit) {
  return unit.empty() ? fmt::format("{}", value) : fmt::format("{} {}", value, unit);
}

void read_positive(Map& map, std::string_view key, std::string_view unit, double& out) {
  const auto field = map.take(key);
  if (!field) return;
  const auto value = field->number(unit);
  if (value && !(*value > 0))
    field->error(fmt::format("= {}, must be > 0", with_unit(*value, unit)), "");
  else if (value)
    out = *value;
}

std::optional<Vec3> vec3(const Field& field, std::string_view what) {
  const auto v = field.numbers(3, what);
  return v ? std::optional(Vec3((*v)[0], (*v)[1], (*v)[2])) : std::nullopt;
}

void read(Map& map, std::string_view key, std::string_view what, Vec3& out) {
  if (const auto field = map.take(key))
    if (const auto value = vec3(*field, what)) out = *value;
}

bool read_flag(const Field& field, bool otherwise) {
  const auto word = field.text();
  if (!word) return otherwise;
  if (*word == "true" || *word == "yes" || *word == "on") return true;
  if (*word == "false" || *word == "no" || *word == "off") return false;
  field.error(fmt::format("= {}, expected true or false", in_quotes(*word)), "");
  return otherwise;
}

/// The position of a word among those allowed.
std::optional<std::size_t> choice(const Field& field, const std::vector<std::string_view>& words) {
  const auto word = field.text();
  if (!word) return std::nullopt;
  const auto found = std::find(words.begin(), words.end(), *word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const std::string nearest = nearest_word(*word, words);
  field.error(fmt::format("= {}, expected one of {}", in_quotes(*word), fmt::join(words, ", ")),
              nearest.empty() ? "" : fmt::format("did you mean {}?", nearest));
  return std::nullopt;
}

/// Runs a check that throws, and puts its problems under the field's key.
template <class Check>
void judge(const Field& field, const Check& check) {
  if (has_errors(field.reading().problems())) return;  // what could not be read must not be judged
  try {
    check();
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) {
      const bool said = problem.key.empty() || field.key().ends_with(problem.key);
      field.error(said ? problem.message : fmt::format("{} {}", problem.key, problem.message), problem.hint);
    }
  }
}

/// `position` and one of `attitude_deg` [roll, pitch, yaw] or `yaw_deg`.
Vec3 read_attitude(Map& map) {
  Vec3 rpy_deg = Vec3::Zero();
  const auto attitude = map.take("attitude_deg"), yaw = map.take("yaw_deg");
  if (attitude && yaw) yaw->error("stands beside attitude_deg", "keep one of them");
  if (attitude)
    rpy_deg = vec3(*attitude, "roll, pitch, yaw in degrees").value_or(rpy_deg);
  else if (yaw)
    rpy_deg.z() = yaw->number("deg").value_or(0);
  return degree * rpy_deg;
}

// ---- environment ----

simulate::CurrentSpec read_current(const Field& field) {
  simulate::CurrentSpec spec;
  if (field.is_list()) {
    spec.constant_n = vec3(field, "m/s north, east, down").value_or(spec.constant_n);
    return spec;
  }
  Map map(field);
  read(map, "constant", "m/s north, east, down", spec.constant_n);
  if (const auto profile = map.take("profile"))
    for (const Field& item : profile->items()) {
      Map row(item);
      simulate::CurrentAtDepth at;
      if (const auto f = row.require("depth", "m, positive down")) at.depth = f->number("m").value_or(0);
      if (const auto f = row.require("velocity", "m/s north, east, down"))
        at.velocity_n = vec3(*f, "m/s north, east, down").value_or(at.velocity_n);
      row.finish();
      spec.profile.push_back(at);
    }
  if (const auto f = map.take("profile_shape"))
    if (const auto k = choice(*f, {"linear", "monotone_cubic"}))
      spec.profile_shape = simulate::ProfileShape(*k);
  if (const auto variation = map.take("variation")) {
    Map part(*variation);
    read(part, "sigma", "m/s north, east, down", spec.variation_sigma_n);
    read(part, "time", "s", spec.variation_time);
    part.finish();
  }
  if (const auto ramp = map.take("ramp")) {
    Map part(*ramp);
    read(part, "before", "m/s north, east, down", spec.ramp.before_n);
    read(part, "after", "m/s north, east, down", spec.ramp.after_n);
    read(part, "begin", "s", spec.ramp.begin);
    read(part, "end", "s", spec.ramp.end);
    if (const auto f = part.take("shape"))
      if (const auto k = choice(*f, {"smooth", "constant_acceleration"}))
        spec.ramp.shape = simulate::RampShape(*k);
    part.finish();
  }
  map.finish();
  return spec;
}

std::optional<simulate::Tank> read_tank(const Field& field) {
  Map map(field);
  simulate::Tank tank;
  bool complete = true;
  for (const auto& [key, side] : {std::pair{"min", &tank.min_n}, std::pair{"max", &tank.max_n}}) {
    const auto f = map.require(key, "m north, east, down");
    const auto value = f ? vec3(*f, "m north, east, down") : std::nullopt;
    complete = complete && value;
    if (value) *side = *value;
  }
  map.finish();
  if (!complete) return std::nullopt;
  if (!(tank.min_n.array() < tank.max_n.array()).all())
    field.error("has a side where min is not below max", "north, east, down; down is positive");
  else if (tank.min_n.z() > 0 || tank.max_n.z() <= 0)
    field.error(fmt::format("reaches from {} to {} m down, but the surface of the water is at 0",
                            tank.min_n.z(), tank.max_n.z()),
                "down is positive: min [.., .., 0], max [.., .., depth]");
  return tank;
}

void read_environment(const Field& field, Scenario& scenario) {
  Map map(field);
  double density = model::fresh_water, gravity = 9.81;
  read_positive(map, "density", "kg/m^3", density);
  read_positive(map, "gravity", "m/s^2", gravity);
  scenario.environment = model::Environment(density, gravity);
  if (const auto f = map.take("current")) {
    scenario.current = read_current(*f);
    judge(*f, [&] { simulate::check(scenario.current); });
  }
  if (const auto f = map.take("tank")) scenario.tank = read_tank(*f);
  if (const auto f = map.take("usbl")) {
    Map usbl(*f);
    read(usbl, "position", "m north, east, down", scenario.usbl_transceiver.p_pc_p);
    scenario.usbl_transceiver.q_pc = quaternion_from_euler(read_attitude(usbl));
    usbl.finish();
  }
  map.finish();
}

// ---- control ----

std::optional<std::vector<int>> read_axes(const Field& field) {
  const std::vector<std::string_view> names(model::dof_names.begin(), model::dof_names.end());
  std::vector<int> axes;
  for (const Field& item : field.items())
    if (const auto k = choice(item, names)) axes.push_back(static_cast<int>(*k));
  return axes;
}

std::optional<model::Robot> read_named_robot(const Field& field, const std::filesystem::path& beside,
                                             const Folders& folders, std::string* file = nullptr) {
  auto name = field.text();
  if (!name) return std::nullopt;
  // A path in the scenario is meant from where the scenario lies.
  const bool is_path = name->find('/') != std::string::npos || name->ends_with(".yaml");
  if (is_path && std::filesystem::path(*name).is_relative())
    name = (beside / *name).lexically_normal().string();
  if (is_path && name->find('/') == std::string::npos) name = "./" + *name;
  std::error_code none;
  if (is_path && !std::filesystem::exists(*name, none)) {
    field.error(fmt::format("= {}, which does not exist", in_quotes(*name)),
                "a path is meant from the folder of the scenario");
    return std::nullopt;
  }
  try {
    const auto found = model::find_robot_file(*name, folders);
    if (file) *file = found.string();
    return model::read_robot(found);
  } catch (const InputError& error) {
    Problem first = error.problems().front();
    const std::string hint = std::exchange(first.hint, "");
    field.error(first.file.empty() ? first.message : "cannot be used: " + first.text(), hint);
    return std::nullopt;
  }
}

PidControl read_pid(Map& map, const std::filesystem::path& beside, const Folders& folders) {
  PidControl pid;
  control::PosePidOptions& options = pid.options;
  if (const auto f = map.take("bandwidth")) {
    if (const auto v = f->numbers(6, "rad/s: surge, sway, heave, roll, pitch, yaw"))
      options.bandwidth = Eigen::Map<const Vec6>(v->data());
  }
  read(map, "damping", "", options.damping);
  read(map, "integral", "", options.integral);
  if (const auto f = map.take("feed_forward")) options.feed_forward = read_flag(*f, true);
  if (const auto f = map.take("axes")) {
    options.axes.fill(false);
    for (const int axis : read_axes(*f).value_or(std::vector<int>()))
      options.axes[static_cast<std::size_t>(axis)] = true;
  }
  if (const auto f = map.take("believed")) pid.believed = read_named_robot(*f, beside, folders);
  return pid;
}

std::optional<OpenLoop> read_open_loop(const Field& field, Map& map, const model::Robot& robot,
                                       const std::filesystem::path& beside) {
  auto by = OpenLoop::By::wrench;
  if (const auto f = map.require("by", "wrench, force, command, rpm or pwm"))
    if (const auto k = choice(*f, {"wrench", "force", "command", "rpm", "pwm"})) by = OpenLoop::By(*k);
  auto between = control::CommandSeries::Between::hold;
  if (const auto f = map.take("between"))
    if (const auto k = choice(*f, {"hold", "linear"})) between = control::CommandSeries::Between(*k);
  const std::size_t width = by == OpenLoop::By::wrench ? 6 : robot.thrusters().size();
  const std::string what = by == OpenLoop::By::wrench
                               ? "time, then X Y Z K M N"
                               : fmt::format("time, then one for each of the {} thrusters", width);
  std::vector<double> times, values;
  const auto rows = map.require("commands", "the path of a CSV file, or a list of rows: " + what);
  if (!rows) return std::nullopt;
  if (!rows->is_list()) {
    if (const auto file = rows->text(); file && !std::filesystem::exists(beside / *file))
      rows->error(fmt::format("= {}, which does not exist", in_quotes(*file)),
                  "a path is meant from the folder of the scenario");
    else if (file)
      judge(*rows, [&] {
        log::Channel channel = log::read_channel(beside / *file);
        if (channel.width() != width)
          rows->error(fmt::format("has {} columns besides t, expected {}", channel.width(), width), what);
        times = std::move(channel.t);
        values = std::move(channel.values);
      });
  } else {
    for (const Field& item : rows->items())
      if (const auto row = item.numbers(1 + width, what)) {
        times.push_back(row->front());
        values.insert(values.end(), row->begin() + 1, row->end());
      }
  }
  std::optional<OpenLoop> result;
  judge(*rows, [&] {
    result = OpenLoop{by, control::CommandSeries(std::move(times), std::move(values), width, between)};
  });
  if (!result) return std::nullopt;
  for (const model::Thruster& thruster : robot.thrusters()) {
    const auto unit = thruster.map ? thruster.map->command.unit : model::CommandUnit::newton;
    const bool ok = by == OpenLoop::By::rpm ? unit == model::CommandUnit::rad_s
                    : by == OpenLoop::By::pwm
                        ? unit == model::CommandUnit::pwm_us || unit == model::CommandUnit::normalized
                        : true;
    if (ok) continue;
    field.error(fmt::format("commands {}, but thruster {} has no map from it",
                            by == OpenLoop::By::rpm ? "rpm" : "pwm", thruster.name),
                "give the robot file's thruster a map with that command unit, or command by force or wrench");
    break;
  }
  return result;
}

JoystickControl read_joystick(const Field& field, Map& map) {
  JoystickControl joystick;
  read_positive(map, "share", "", joystick.share);
  if (const auto f = map.take("axes")) joystick.axes = read_axes(*f).value_or(joystick.axes);
  if (const auto f = map.take("hold"))
    if (const auto v = f->numbers(2, "[shortest, longest] in s")) {
      joystick.options.shortest = (*v)[0];
      joystick.options.longest = (*v)[1];
    }
  read(map, "rest_share", "", joystick.options.rest_share);
  read(map, "stick_time", "s", joystick.options.stick_time);
  judge(field, [&] { control::Joystick(joystick.options, 1, ""); });
  if (joystick.share > 1)
    field.error(fmt::format("share = {}, must be > 0 and <= 1", joystick.share),
                "of what the thrusters attain");
  return joystick;
}

Control read_control(const Field& field, const model::Robot& robot, const std::filesystem::path& beside,
                     const Folders& folders) {
  Map map(field);
  Control control = Drift{};
  if (const auto kind = map.require("kind", "drift, pid, open_loop or joystick"))
    switch (choice(*kind, {"drift", "pid", "open_loop", "joystick"}).value_or(0)) {
      case 1: control = read_pid(map, beside, folders); break;
      case 2:
        if (auto open_loop = read_open_loop(field, map, robot, beside)) control = *std::move(open_loop);
        break;
      case 3: control = read_joystick(field, map); break;
      default: break;
    }
  map.finish();
  return control;
}

std::optional<trajectory::Waypoints> read_reference(const Field& field) {
  Map map(field);
  std::vector<trajectory::Waypoint> points;
  if (const auto list = map.require("waypoints", "a list of {position: [north, east, down], yaw_deg, hold}"))
    for (const Field& item : list->items()) {
      Map entry(item);
      trajectory::Waypoint point;
      if (const auto f = entry.require("position", "m north, east, down"))
        point.p_nb_n = vec3(*f, "m north, east, down").value_or(point.p_nb_n);
      point.attitude_rpy = read_attitude(entry);
      read(entry, "hold", "s", point.hold);
      entry.finish();
      points.push_back(point);
    }
  trajectory::WaypointOptions options;
  read(map, "speed", "m/s", options.speed);
  read(map, "acceleration", "m/s^2", options.acceleration);
  double rate_deg = options.turn_rate / degree, turn_deg = options.turn_acceleration / degree;
  read(map, "turn_rate_deg", "deg/s", rate_deg);
  read(map, "turn_acceleration_deg", "deg/s^2", turn_deg);
  options.turn_rate = rate_deg * degree;
  options.turn_acceleration = turn_deg * degree;
  map.finish();
  std::optional<trajectory::Waypoints> reference;
  judge(field, [&] { reference.emplace(std::move(points), options); });
  return reference;
}

// ---- what a vehicle carries and suffers ----

template <class Part>
std::optional<std::size_t> index_of(const Field& field, const std::vector<Part>& parts, std::string_view what,
                                    const std::string& robot) {
  const auto name = field.text();
  if (!name) return std::nullopt;
  std::vector<std::string_view> names;
  for (const Part& part : parts) names.push_back(part.name);
  const auto found = std::find(names.begin(), names.end(), *name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::string nearest = nearest_word(*name, names);
  field.error(fmt::format("= {}, but {} has no such {}", in_quotes(*name), robot, what),
              !nearest.empty() ? fmt::format("did you mean {}?", nearest)
              : names.empty()  ? fmt::format("it has no {} at all", what)
                               : fmt::format("it has {}", fmt::join(names, ", ")));
  return std::nullopt;
}

std::vector<std::size_t> all_sensors(const model::Robot& robot) {
  std::vector<std::size_t> all(robot.sensors().size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
  return all;
}

std::vector<std::size_t> read_sensors(const Field& field, const model::Robot& robot) {
  if (!field.is_list()) {
    if (choice(field, {"all", "none"}) == 1u) return {};
    return all_sensors(robot);
  }
  std::vector<std::size_t> sensors;
  for (const Field& item : field.items()) {
    const auto k = index_of(item, robot.sensors(), "sensor", robot.name());
    if (!k) continue;
    if (std::find(sensors.begin(), sensors.end(), *k) != sensors.end())
      item.error("stands here twice", "");
    else
      sensors.push_back(*k);
  }
  return sensors;
}

void read_fault(const Field& field, VehicleScenario& vehicle) {
  Map map(field);
  double at = 0;
  if (const auto f = map.require("at", "s, when it happens")) at = f->number("s").value_or(0);
  if (at < 0) field.error(fmt::format("at = {} s, must be >= 0", at), "");
  const auto thruster = map.take("thruster"), sensor = map.take("sensor");
  if (thruster.has_value() == sensor.has_value()) {
    field.error("names neither or both of thruster and sensor", "a fault befalls one of them");
  } else if (thruster) {
    ThrusterFault fault{.at = at};
    if (const auto k = index_of(*thruster, vehicle.robot.thrusters(), "thruster", vehicle.robot.name()))
      fault.thruster = *k;
    if (const auto f = map.take("becomes"))
      if (const auto k = choice(*f, {"dead", "stuck", "weak"})) fault.kind = ThrusterFault::Kind(*k);
    read(map, "factor", "", fault.factor);
    if (!(fault.factor >= 0 && fault.factor <= 1))
      field.error(fmt::format("factor = {}, must be 0 to 1", fault.factor),
                  "the share of its force that is left");
    if (const auto f = map.take("known_at")) {
      fault.known_at = f->number("s");
      if (fault.known_at && *fault.known_at < at)
        f->error(fmt::format("= {} s, before it happens at {} s", *fault.known_at, at), "");
    }
    vehicle.thruster_faults.push_back(fault);
  } else {
    SensorFault fault{.at = at, .until = HUGE_VAL};
    if (const auto k = index_of(*sensor, vehicle.robot.sensors(), "sensor", vehicle.robot.name()))
      fault.sensor = *k;
    if (std::find(vehicle.sensors.begin(), vehicle.sensors.end(), fault.sensor) == vehicle.sensors.end())
      sensor->error("is not among the sensors of this vehicle in this scenario", "name it under sensors");
    if (const auto f = map.take("becomes"))
      if (const auto k = choice(*f, {"silent", "frozen"})) fault.kind = SensorFault::Kind(*k);
    if (const auto f = map.take("until")) {
      fault.until = f->number("s").value_or(HUGE_VAL);
      if (fault.until <= at) f->error(fmt::format("= {} s, not after at = {} s", fault.until, at), "");
    }
    vehicle.sensor_faults.push_back(fault);
  }
  map.finish();
}

simulate::TetherSpec read_tether(const Field& field) {
  simulate::TetherSpec spec;
  Map map(field);
  if (const auto f = map.require("anchor", "m north, east, down"))
    spec.anchor_n = vec3(*f, "m north, east, down").value_or(spec.anchor_n);
  read(map, "attachment", "m forward, starboard, down", spec.attachment_b);
  if (const auto f = map.require("length", "m")) spec.length = f->number("m").value_or(spec.length);
  if (const auto f = map.take("segments"))
    if (const auto n = f->number("")) {
      if (*n >= 1 && *n <= 1000 && *n == std::floor(*n))
        spec.segments = static_cast<int>(*n);
      else
        f->error(fmt::format("= {}, expected a whole number from 1 to 1000", *n), "");
    }
  read(map, "diameter", "m", spec.diameter);
  read(map, "mass_per_length", "kg/m", spec.mass_per_length);
  read(map, "axial_stiffness", "N", spec.axial_stiffness);
  map.finish();
  return spec;
}

dynamics::State read_start(const Field& field) {
  Map map(field);
  dynamics::State start;
  read(map, "position", "m north, east, down", start.p_nb_n);
  start.q_nb = quaternion_from_euler(read_attitude(map));
  Vec3 velocity = Vec3::Zero(), rates = Vec3::Zero();
  read(map, "velocity", "m/s forward, starboard, down", velocity);
  read(map, "rates", "rad/s about forward, starboard, down", rates);
  start.nu_b << velocity, rates;
  map.finish();
  return start;
}

bool is_plain(const std::string& name) {
  return !name.empty() && name.size() <= 64 && std::isalnum(static_cast<unsigned char>(name.front())) &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; });
}

/// What a robot may be but a simulation cannot do with.
void check_parts(const Field& field, const VehicleScenario& vehicle) {
  const model::Robot& robot = vehicle.robot;
  for (const std::size_t k : vehicle.sensors) {
    const model::Sensor& sensor = robot.sensors()[k];
    static constexpr std::array<std::string_view, 6> own = {"state",   "reference", "thrusters",
                                                            "control", "water",     "tether"};
    const auto complain = [&](std::string what, std::string hint) {
      field.error(fmt::format("takes sensor {} of {}, {}", in_quotes(sensor.name), robot.name(), what),
                  std::move(hint));
    };
    if (std::find(own.begin(), own.end(), sensor.name) != own.end())
      complain("which has the name of a channel of the log", "give it another name in the robot file");
    else if (!is_plain(sensor.name))
      complain("whose name cannot be part of a file's name", "letters, digits, - and _");
    if (!sensor.rate_hz)
      complain("which has no rate_hz",
               "give it one in the robot file, or name the sensors to use: 'sensors: none'");
    else if (sensor.rate_hz->value > fastest_sensor_hz)
      complain(fmt::format("which has {} Hz, more than {:g}", sensor.rate_hz->value, fastest_sensor_hz), "");
    for (const model::Thruster& thruster : robot.thrusters()) {
      const bool has_shaft = thruster.map && std::holds_alternative<model::Propeller>(thruster.map->law);
      const bool has_motor =
          thruster.transient && std::holds_alternative<model::DcMotor>(thruster.transient->law);
      if (sensor.kind == "thruster_rate" && !has_shaft) {
        complain(fmt::format("but thruster {} has no shaft", thruster.name), "a propeller map has one");
        break;
      }
      if (sensor.kind == "thruster_current" && !has_motor && !(thruster.map && thruster.map->current)) {
        complain(fmt::format("but the current of thruster {} is not known", thruster.name),
                 "a dc_motor, or map.current");
        break;
      }
    }
  }
  for (const model::Thruster& thruster : robot.thrusters())
    if (!is_plain(thruster.name))
      field.error(fmt::format("names robot {}, whose thruster {} cannot be a column of a log", robot.name(),
                              in_quotes(thruster.name)),
                  "letters, digits, - and _");
}

std::optional<VehicleScenario> read_vehicle(const Field& field, const std::filesystem::path& beside,
                                            const Folders& folders) {
  Map map(field);
  const auto robot_field =
      map.require("robot", "the name of a robot (fathom models), or the path of a robot file");
  std::string file;
  auto robot = robot_field ? read_named_robot(*robot_field, beside, folders, &file) : std::nullopt;
  if (!robot) return std::nullopt;  // what else is said about it cannot be judged
  VehicleScenario vehicle{.name = robot->name(), .robot = *robot, .robot_file = file};
  if (const auto f = map.take("name")) vehicle.name = f->text().value_or(vehicle.name);
  if (const auto f = map.take("dof")) {
    const auto n = f->number("");
    if (n && *n != 3 && *n != 4 && *n != 6)
      f->error(fmt::format("= {}, expected 3, 4 or 6", *n), "");
    else if (n)
      vehicle.dof = model::Dof(static_cast<int>(*n));
  }
  read_positive(map, "voltage", "V", vehicle.voltage);
  if (const auto f = map.take("reference")) vehicle.reference = read_reference(*f);
  if (const auto f = map.take("start")) {
    vehicle.start = read_start(*f);
  } else if (vehicle.reference) {
    const auto first = vehicle.reference->at(0);
    vehicle.start = {first.q_nb, first.p_nb_n, first.nu_b};
  }
  const auto control = map.take("control");
  if (control) vehicle.control = read_control(*control, vehicle.robot, beside, folders);
  if (const auto* pid = std::get_if<PidControl>(&vehicle.control)) {
    if (vehicle.robot.thrusters().empty())
      control->error(fmt::format("steers, but {} has no thrusters", vehicle.robot.name()), "kind: drift");
    if (!vehicle.reference && !has_errors(field.reading().problems()))
      control->error("follows a reference, but the vehicle has none", "add reference: {waypoints: [...]}");
    judge(*control, [&] { control::PosePid(dynamics::Vehicle(vehicle.robot), pid->options); });
  }
  const auto sensors = map.take("sensors");
  vehicle.sensors = sensors ? read_sensors(*sensors, vehicle.robot) : all_sensors(vehicle.robot);
  check_parts(sensors ? *sensors : *robot_field, vehicle);
  if (const auto f = map.take("tether")) {
    vehicle.tether = read_tether(*f);
    judge(*f, [&] { simulate::check(*vehicle.tether); });
  }
  if (const auto f = map.take("faults"))
    for (const Field& item : f->items()) read_fault(item, vehicle);
  map.finish();
  return vehicle;
}

/// A name that can be part of a file's name.
void check_name(const Field& field, const std::string& name) {
  if (!is_plain(name))
    field.error(fmt::format("= {}, expected at most 64 letters, digits, - and _, a letter or digit first",
                            in_quotes(name)),
                "names become file names");
}

/// Nobody starts or goes inside a wall.
void check_inside(const Field& field, const Scenario& scenario, const VehicleScenario& vehicle) {
  if (!scenario.tank || has_errors(field.reading().problems())) return;
  const dynamics::Vehicle body(vehicle.robot, scenario.environment);
  const simulate::Contact contact(vehicle.robot, body, *scenario.tank);
  const auto check = [&](const dynamics::State& state, const std::string& what) {
    const simulate::ContactLoad load = contact.load(state);
    for (const simulate::Wall wall : {simulate::Wall::north, simulate::Wall::south, simulate::Wall::east,
                                      simulate::Wall::west, simulate::Wall::floor}) {
      const double depth = load.at(wall).penetration;
      if (depth <= 0.01) continue;
      const std::string_view name = simulate::to_string(wall);
      field.error(fmt::format("{} [{:g}, {:g}, {:g}] with its hull {:.2g} m inside the {}{}", what,
                              state.p_nb_n.x(), state.p_nb_n.y(), state.p_nb_n.z(), depth, name,
                              wall == simulate::Wall::floor ? "" : " wall"),
                  "north, east, down, in m");
      return;
    }
  };
  check(vehicle.start, "starts at");
  if (!vehicle.reference) return;
  for (const trajectory::Waypoint& point : vehicle.reference->points())
    check({quaternion_from_euler(point.attitude_rpy), point.p_nb_n, Vec6::Zero()}, "has a way-point at");
}

void check_stiffness(const Field& field, const Scenario& scenario, const VehicleScenario& vehicle) {
  if (!vehicle.tether || scenario.adaptive || has_errors(field.reading().problems())) return;
  const double step = simulate::Tether(*vehicle.tether, scenario.environment).stable_step();
  if (scenario.step > most_substeps * step)
    field.error(fmt::format("has a tether so stiff and short-segmented that it needs steps of {:.2g} s", step),
                "less axial_stiffness, fewer segments, or integrator: dormand_prince");
}

void read_integrator(const Field& field, Scenario& scenario) {
  if (!field.is_map()) {
    if (choice(field, {"rk4", "dormand_prince"}) == 1u) scenario.adaptive.emplace();
    return;
  }
  Map map(field);
  const auto kind = map.require("kind", "rk4 or dormand_prince");
  if (kind && choice(*kind, {"rk4", "dormand_prince"}) == 1u) {
    scenario.adaptive.emplace();
    read_positive(map, "relative", "", scenario.adaptive->relative);
    read_positive(map, "absolute", "", scenario.adaptive->absolute);
  }
  map.finish();
}

Scenario read_spec(const Field& root, const std::filesystem::path& beside, const Folders& folders) {
  Scenario scenario;
  Map map(root);
  if (const auto f = map.require("format", fmt::format("begin with 'format: {}'", format_word))) {
    const auto word = f->text();
    if (word && *word == "fathom-robot-1") {
      f->error("= 'fathom-robot-1': this is a robot, not a scenario", "name it under vehicles: [{robot: ...}]");
      throw InputError(f->reading().problems());
    }
    if (word && *word != format_word)
      f->error(fmt::format("= {}, expected {}", in_quotes(*word), format_word),
               "was it written for a newer Fathom?");
  }
  if (const auto f = map.require("name", "a word for the folder of its results")) {
    scenario.name = f->text().value_or("");
    check_name(*f, scenario.name);
  }
  if (const auto f = map.take("title")) scenario.title = f->text().value_or("");
  const auto duration = map.require("duration", "s, how long it runs");
  if (duration) {
    const auto value = duration->number("s");
    if (value && !(*value > 0))
      duration->error(fmt::format("= {} s, must be > 0", *value), "");
    else if (value)
      scenario.duration = *value;
  }
  if (const auto f = map.take("step")) {
    const auto value = f->number("s");
    if (value && !(*value > 0 && *value <= 10))
      f->error(fmt::format("= {} s, must be > 0 and <= 10", *value), "");
    else if (value)
      scenario.step = *value;
  }
  if (duration && scenario.duration > most_steps * scenario.step)
    duration->error(
        fmt::format("asks for {:.3g} steps: duration = {} s in steps of {} s; at most {:g}",
                    scenario.duration / scenario.step, scenario.duration, scenario.step, most_steps),
        "seconds, not milliseconds?");
  if (const auto f = map.take("integrator")) read_integrator(*f, scenario);
  if (const auto f = map.take("environment")) read_environment(*f, scenario);
  if (const auto f = map.require("vehicles", "a list of {robot: bluerov2-heavy, ...}")) {
    const auto items = f->items();
    if (f->is_list() && items.empty()) f->error("is empty", "at least one {robot: bluerov2-heavy, ...}");
    for (const Field& item : items)
      if (auto vehicle = read_vehicle(item, beside, folders)) {
        check_name(item, vehicle->name);
        check_inside(item, scenario, *vehicle);
        check_stiffness(item, scenario, *vehicle);
        for (const VehicleScenario& other : scenario.vehicles)
          if (other.name == vehicle->name)
            item.error(fmt::format("has the name {} of an earlier vehicle", in_quotes(other.name)),
                       "give each its own 'name: ...'");
        scenario.vehicles.push_back(*std::move(vehicle));
      }
  }
  map.finish();
  return scenario;
}

}  // namespace

Scenario parse_scenario(const std::string& text, const std::string& file, const Folders& robot_folders) {
  Reading reading(file);
  const YAML::Node document = yaml::parse_document(text, file, "one scenario per file",
                                                   fmt::format("begin with 'format: {}'", format_word));
  Scenario scenario =
      read_spec(Field(document, "", reading), std::filesystem::path(file).parent_path(), robot_folders);
  if (has_errors(reading.problems())) throw InputError(reading.problems());
  scenario.file = file;
  return scenario;
}

Scenario read_scenario(const std::filesystem::path& path, const Folders& robot_folders) {
  return parse_scenario(read_file(path, largest_scenario_file), path.string(), robot_folders);
}

}  // namespace fathom::loop
