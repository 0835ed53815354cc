#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/log/csv_reader.hpp"
#include "fathom/loop/internal/scenario_builder.hpp"
#include "fathom/model_file/fields.hpp"
#include "fathom/trajectory/trajectory_file.hpp"

namespace fathom::loop::internal {
namespace {

/// A row of commands: time, then `width` numbers.
struct Row {
  OpenLoop::By by;
  const std::vector<model::Thruster>& thrusters;
  bool is_wrench = by == OpenLoop::By::wrench;
  std::size_t width = is_wrench ? 6 : thrusters.size();

  std::string what() const {
    return is_wrench ? "time, then X Y Z K M N"
                     : fmt::format("time, then one for each of the {} thrusters", width);
  }
  std::string unit(std::size_t k) const {
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
};

struct CommandTable {
  std::vector<double> times, values;
};

/// What no vehicle is commanded, in the unit of `by`.
double most_commanded(OpenLoop::By by) {
  switch (by) {
    case OpenLoop::By::wrench:
    case OpenLoop::By::force: return 1e7;
    case OpenLoop::By::rpm: return 1e6;
    case OpenLoop::By::pwm:
    case OpenLoop::By::command: break;
  }
  return 1e5;
}

void check_size(const yaml::Field& field, const Row& row, const std::string& place, double value,
                std::size_t k) {
  if (const double most = most_commanded(row.by); !(std::abs(value) <= most))
    field.error(fmt::format("{} is {:g} {}, expected at most {:g}", place, value, row.unit(k), most),
                "a slip, or another unit?");
}

CommandTable read_command_file(const yaml::Field& field, const Row& row, const std::filesystem::path& path) {
  log::Channel channel = log::read_channel(path);
  if (channel.width() != row.width)
    field.error(
        fmt::format("{} has {} columns besides t, expected {}", path.string(), channel.width(), row.width),
        row.what());
  for (std::size_t k = 0; k < std::min(row.width, channel.width()); ++k) {
    const Column& column = channel.info.columns[k];
    if (!column.unit.empty() && column.unit != row.unit(k))
      field.error(fmt::format("{} has column {} in {}, expected {}", path.string(), in_quotes(column.name),
                              column.unit, row.unit(k)),
                  "nothing is converted");
  }
  if (channel.width() == row.width)
    for (std::size_t i = 0; i < channel.values.size(); ++i)
      if (const std::size_t k = i % row.width; std::abs(channel.values[i]) > most_commanded(row.by)) {
        check_size(field, row,
                   fmt::format("= {}, where column {} at {:g} s", in_quotes(path.string()),
                               in_quotes(channel.info.columns[k].name), channel.t[i / row.width]),
                   channel.values[i], k);
        break;
      }
  return {std::move(channel.t), std::move(channel.values)};
}

CommandTable read_command_list(const yaml::Field& field, const Row& row) {
  CommandTable table;
  for (const yaml::Field& item : field.items())
    if (const auto numbers = item.numbers(1 + row.width, row.what())) {
      table.times.push_back(numbers->front());
      for (std::size_t k = 0; k < row.width; ++k)
        check_size(item, row, fmt::format("at {:g} s the command of column {}", numbers->front(), k + 1),
                   (*numbers)[k + 1], k);
      table.values.insert(table.values.end(), numbers->begin() + 1, numbers->end());
    }
  return table;
}

/// Commands by rpm or pwm need thrusters whose maps take them: the first that does not.
const model::Thruster* without_map(const Row& row) {
  using Unit = model::CommandUnit;
  for (const model::Thruster& thruster : row.thrusters) {
    const Unit unit = thruster.command_unit();
    if ((row.by == OpenLoop::By::rpm && unit != Unit::rad_s) ||
        (row.by == OpenLoop::By::pwm && unit != Unit::pwm_us && unit != Unit::normalized))
      return &thruster;
  }
  return nullptr;
}

/// A path is meant from the folder of the scenario.
std::optional<std::filesystem::path> existing(const yaml::Field& field, const std::filesystem::path& beside,
                                              bool shows_folder) {
  const auto file = field.text();
  if (!file) return std::nullopt;
  const std::filesystem::path path = (beside / *file).lexically_normal();
  if (std::error_code none; std::filesystem::exists(path, none)) return path;
  field.error(fmt::format("= {}, which does not exist", in_quotes(shows_folder ? path.string() : *file)),
              "a path is meant from the folder of the scenario");
  return std::nullopt;
}

}  // namespace

PidControl ScenarioBuilder::pid(const std::string& key, const PidEntry& entry) {
  const auto robot = [&](const Later& named) {
    return named.field ? model::read_named_robot(*named.field, beside_, folders_) : std::nullopt;
  };
  if (entry.feed_forward_model.field && !entry.options.feed_forward)
    error(key + ".feed_forward_model", "stands beside feed_forward: false", "leave one of them out");
  return {entry.options, robot(entry.believed), robot(entry.feed_forward_model)};
}

Control ScenarioBuilder::open_loop(const std::string& key, const OpenLoopEntry& entry,
                                   const Thrusters& thrusters) {
  if (!entry.commands.field) return Drift{};
  const yaml::Field& field = *entry.commands.field;
  const Row row{entry.by, thrusters};
  CommandTable table;
  std::optional<std::filesystem::path> path;
  if (field.is_list())
    table = read_command_list(field, row);
  else if ((path = existing(field, beside_, false)))
    check_under(field.key(), [&] { table = read_command_file(field, row, *path); });
  std::optional<OpenLoop> result;
  check_under(field.key(), [&] {
    try {
      result = OpenLoop{entry.by, control::CommandSeries(std::move(table.times), std::move(table.values),
                                                         row.width, entry.between)};
    } catch (const InputError& error) {
      if (!path) throw;
      Findings of_file = error.findings();
      for (Finding& finding : of_file) finding.file = path->string();
      throw InputError(std::move(of_file));
    }
  });
  if (!result) return Drift{};
  if (const model::Thruster* const thruster = without_map(row))
    error(key,
          fmt::format("commands {}, but thruster {} has no map from it", fields::word_of(entry.by),
                      thruster->name),
          "give the robot file's thruster a map with that command unit, or command by force or wrench");
  return *std::move(result);
}

Control ScenarioBuilder::control(const std::string& key, const ControlEntry& entry,
                                 const Thrusters& thrusters) {
  if (const auto* const joystick = std::get_if<JoystickControl>(&entry)) {
    check_under(key, [&] { control::Joystick(joystick->options, 1, ""); });
    return *joystick;
  }
  if (const auto* const loop = std::get_if<OpenLoopEntry>(&entry)) return open_loop(key, *loop, thrusters);
  if (const auto* const gains = std::get_if<PidEntry>(&entry)) return pid(key, *gains);
  return Drift{};
}

std::optional<trajectory::Path> ScenarioBuilder::reference(const std::string& key, const Guidance& guidance) {
  std::optional<trajectory::Path> result;
  if (!guidance.reference) return result;
  const ReferenceEntry& entry = *guidance.reference;
  if (!entry.trajectory.field) {
    check_under(key, [&] { result = trajectory::Waypoints(entry.waypoints, entry.options); });
  } else if (const auto path = existing(*entry.trajectory.field, beside_, true)) {
    try {
      result = trajectory::PosePath(trajectory::read_trajectory(*path));
    } catch (const InputError& error) {
      Finding first = error.findings().front();
      if (first.file.empty()) first.file = path->string();
      const std::string hint = std::exchange(first.hint, "");
      entry.trajectory.field->error("cannot be used: " + first.text(), hint);
    }
  }
  return result;
}

void ScenarioBuilder::set_guidance(const std::string& key, const Guidance& guidance, ClusterScenario& cluster) {
  Thrusters thrusters;
  for (const std::size_t k : cluster.vehicles) {
    const auto& own = scenario_.vehicles[k].robot.thrusters();
    thrusters.insert(thrusters.end(), own.begin(), own.end());
  }
  const std::string at_control = key + ".control";
  cluster.reference = reference(key + ".reference", guidance);
  cluster.control = control(at_control, guidance.control, thrusters);
  if (!std::holds_alternative<Drift>(cluster.control) && thrusters.empty())
    error(at_control, "steers, but its vehicles have no thrusters", "kind: drift");
  const auto* const open_loop = std::get_if<OpenLoop>(&cluster.control);
  if (open_loop && open_loop->by != OpenLoop::By::wrench && open_loop->by != OpenLoop::By::force)
    error(at_control, "commands several vehicles by something else than wrench or force",
          "by: wrench, of the whole, or by: force, of all thrusters in the order of the vehicles");
  // Whether gains are good does not depend on the robot, so any of the cluster's will do.
  const auto* const pid = std::get_if<PidControl>(&cluster.control);
  if (pid && !cluster.vehicles.empty())
    check_under(at_control, [&] {
      const model::Robot& robot = scenario_.vehicles[cluster.vehicles.front()].robot;
      control::PosePid(dynamics::Vehicle(robot), pid->options);
    });
}

}  // namespace fathom::loop::internal
