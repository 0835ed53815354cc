#include <utility>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/log/csv_reader.hpp"
#include "fathom/loop/internal/scenario_fields.hpp"
#include "fathom/model/dof.hpp"
#include "fathom/model/fields.hpp"
#include "fathom/trajectory/trajectory_file.hpp"

namespace fathom::loop::internal {
namespace {

using Thrusters = std::vector<model::Thruster>;

std::optional<std::vector<int>> read_axes(const Field& field) {
  const std::vector<std::string_view> names(model::dof_names.begin(), model::dof_names.end());
  std::vector<int> axes;
  for (const Field& item : field.items())
    if (const auto k = choice(item, names)) axes.push_back(static_cast<int>(*k));
  return axes;
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
  if (const auto f = map.take("feed_forward_model")) {
    pid.feed_forward_model = read_named_robot(*f, beside, folders);
    if (!options.feed_forward) f->error("stands beside feed_forward: false", "leave one of them out");
  }
  return pid;
}

/// The unit in which entry k of a row of commands is meant.
std::string command_unit(OpenLoop::By by, const Thrusters& thrusters, std::size_t k) {
  switch (by) {
    case OpenLoop::By::wrench: return k < 3 ? "N" : "N m";
    case OpenLoop::By::force: return "N";
    case OpenLoop::By::rpm: return "rpm";
    case OpenLoop::By::pwm: return "us";
    case OpenLoop::By::command: break;
  }
  const std::string_view symbol = model::symbol_of(thrusters[k].command_unit());
  return std::string(symbol.empty() ? "1" : symbol);
}

/// What a row of commands holds: its width besides the time, in words too.
struct RowSpec {
  OpenLoop::By by;
  std::size_t width;
  std::string what;
};
RowSpec row_spec(OpenLoop::By by, const Thrusters& thrusters) {
  if (by == OpenLoop::By::wrench) return {by, 6, "time, then X Y Z K M N"};
  const std::size_t width = thrusters.size();
  return {by, width, fmt::format("time, then one for each of the {} thrusters", width)};
}

struct CommandRows {
  std::vector<double> times, values;
};

CommandRows read_command_file(const Field& rows, const RowSpec& spec, const Thrusters& thrusters,
                              const std::filesystem::path& beside) {
  CommandRows out;
  const auto file = rows.text();
  if (!file) return out;
  if (!std::filesystem::exists(beside / *file)) {
    rows.error(fmt::format("= {}, which does not exist", in_quotes(*file)),
               "a path is meant from the folder of the scenario");
    return out;
  }
  check_under(rows, [&] {
    log::Channel channel = log::read_channel(beside / *file);
    if (channel.width() != spec.width)
      rows.error(fmt::format("has {} columns besides t, expected {}", channel.width(), spec.width), spec.what);
    for (std::size_t k = 0; k < std::min(spec.width, channel.width()); ++k) {
      const Column& column = channel.info.columns[k];
      const std::string unit = command_unit(spec.by, thrusters, k);
      if (!column.unit.empty() && column.unit != unit)
        rows.error(fmt::format("has column {} in {}, expected {}", in_quotes(column.name), column.unit, unit),
                   "nothing is converted");
    }
    out = {std::move(channel.t), std::move(channel.values)};
  });
  return out;
}

CommandRows read_command_list(const Field& rows, const RowSpec& spec) {
  CommandRows out;
  for (const Field& item : rows.items())
    if (const auto row = item.numbers(1 + spec.width, spec.what)) {
      out.times.push_back(row->front());
      out.values.insert(out.values.end(), row->begin() + 1, row->end());
    }
  return out;
}

/// Commands by rpm or pwm need thrusters whose maps take them.
void check_command_maps(const Field& field, OpenLoop::By by, const Thrusters& thrusters) {
  if (by != OpenLoop::By::rpm && by != OpenLoop::By::pwm) return;
  for (const model::Thruster& thruster : thrusters) {
    const model::CommandUnit unit = thruster.command_unit();
    const bool ok = by == OpenLoop::By::rpm
                        ? unit == model::CommandUnit::rad_s
                        : unit == model::CommandUnit::pwm_us || unit == model::CommandUnit::normalized;
    if (ok) continue;
    field.error(fmt::format("commands {}, but thruster {} has no map from it",
                            by == OpenLoop::By::rpm ? "rpm" : "pwm", thruster.name),
                "give the robot file's thruster a map with that command unit, or command by force or wrench");
    return;
  }
}

std::optional<OpenLoop> read_open_loop(const Field& field, Map& map, const Thrusters& thrusters,
                                       const std::filesystem::path& beside) {
  auto by = OpenLoop::By::wrench;
  if (const auto f = map.require("by", "wrench, force, command, rpm or pwm"))
    if (const auto k = choice(*f, {"wrench", "force", "command", "rpm", "pwm"})) by = OpenLoop::By(*k);
  auto between = control::CommandSeries::Between::hold;
  if (const auto f = map.take("between"))
    if (const auto k = choice(*f, {"hold", "linear"})) between = control::CommandSeries::Between(*k);
  const RowSpec spec = row_spec(by, thrusters);
  const auto rows = map.require("commands", "the path of a CSV file, or a list of rows: " + spec.what);
  if (!rows) return std::nullopt;
  CommandRows told =
      rows->is_list() ? read_command_list(*rows, spec) : read_command_file(*rows, spec, thrusters, beside);
  std::optional<OpenLoop> result;
  check_under(*rows, [&] {
    result = OpenLoop{
        by, control::CommandSeries(std::move(told.times), std::move(told.values), spec.width, between)};
  });
  if (result) check_command_maps(field, by, thrusters);
  return result;
}

std::optional<Box> read_keep_in(const Field& field) {
  Map map(field);
  auto box = model::read_box(field, map, "m north, east, down");
  map.finish();
  return box;
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
  read(map, "point", "m forward, starboard, down", joystick.options.point_b);
  if (const auto f = map.take("keep_in")) joystick.options.keep_in = read_keep_in(*f);
  check_under(field, [&] { control::Joystick(joystick.options, 1, ""); });
  if (joystick.share > 1)
    field.error(fmt::format("share = {}, must be > 0 and <= 1", joystick.share),
                "of what the thrusters attain");
  return joystick;
}

std::optional<trajectory::Path> read_pose_path(const Field& field, const std::filesystem::path& beside) {
  const auto file = field.text();
  if (!file) return std::nullopt;
  const std::filesystem::path path = (beside / *file).lexically_normal();
  if (std::error_code none; !std::filesystem::exists(path, none)) {
    field.error(fmt::format("= {}, which does not exist", in_quotes(path.string())),
                "a path is meant from the folder of the scenario");
    return std::nullopt;
  }
  try {
    return trajectory::PosePath(trajectory::read_trajectory(path));
  } catch (const InputError& error) {
    Finding first = error.findings().front();
    const std::string hint = std::exchange(first.hint, "");
    field.error("cannot be used: " + first.text(), hint);
    return std::nullopt;
  }
}

}  // namespace

Control read_control(const Field& field, const Thrusters& thrusters, const std::filesystem::path& beside,
                     const Folders& folders) {
  Map map(field);
  Control control = Drift{};
  if (const auto kind = map.require("kind", "drift, pid, open_loop or joystick"))
    switch (choice(*kind, {"drift", "pid", "open_loop", "joystick"}).value_or(0)) {
      case 1: control = read_pid(map, beside, folders); break;
      case 2:
        if (auto open_loop = read_open_loop(field, map, thrusters, beside)) control = *std::move(open_loop);
        break;
      case 3: control = read_joystick(field, map); break;
      default: break;
    }
  map.finish();
  return control;
}

std::optional<trajectory::Path> read_reference(const Field& field, const std::filesystem::path& beside) {
  Map map(field);
  if (const auto f = map.take("trajectory")) {
    if (map.has("waypoints"))
      f->error("stands beside waypoints", "one of them says where to go");
    else
      map.finish();
    return read_pose_path(*f, beside);
  }
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
  constexpr double fastest = 30;  // m/s
  if (options.speed > fastest)
    map.take("speed")->error(fmt::format("= {:g} m/s, must be at most {:g}", options.speed, fastest),
                             "m/s, not mm/s or cm/s?");
  read(map, "acceleration", "m/s^2", options.acceleration);
  double rate_deg = options.turn_rate / degree, turn_deg = options.turn_acceleration / degree;
  read(map, "turn_rate_deg", "deg/s", rate_deg);
  read(map, "turn_acceleration_deg", "deg/s^2", turn_deg);
  options.turn_rate = rate_deg * degree;
  options.turn_acceleration = turn_deg * degree;
  map.finish();
  std::optional<trajectory::Path> reference;
  check_under(field, [&] { reference = trajectory::Waypoints(std::move(points), options); });
  return reference;
}

}  // namespace fathom::loop::internal
