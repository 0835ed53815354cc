#include "fathom/identify/vehicle/internal/recording_commands.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"

namespace fathom::identify::internal {
namespace {

constexpr std::string_view column_begin = "command_";
constexpr double small_excess = 0.01;      // of the range: what an autopilot's own rounding may overshoot
constexpr double at_end_tolerance = 1e-6;  // of the range
constexpr double odd_share_at_end = 0.01;

/// The thrusters that the columns are of.
std::vector<std::string> logged_thrusters(const log::ChannelInfo& info) {
  std::vector<std::string> names;
  for (const Column& column : info.columns)
    if (column.name.starts_with(column_begin)) names.push_back(column.name.substr(column_begin.size()));
  return names;
}

std::vector<std::string> without(std::vector<std::string> names, const std::vector<std::string>& others) {
  std::erase_if(names, [&](const std::string& name) {
    return std::find(others.begin(), others.end(), name) != others.end();
  });
  return names;
}

void check_same_thrusters(const Rows& rows, const model::Robot& robot) {
  const std::vector<std::string> logged = logged_thrusters(rows.info());
  std::vector<std::string> known;
  for (const model::Thruster& thruster : robot.thrusters()) known.push_back(thruster.name);
  const std::vector<std::string> strange = without(logged, known), missing = without(known, logged);
  if (strange.size() > 1)  // not a slip in a name, but another robot
    rows.fail(fmt::format("commands {}, which robot {} does not have{}", listed(strange), robot.name(),
                          missing.empty() ? "" : ", and not its " + listed(missing)),
              "is it the robot that swam?");
  Findings findings;
  for (const std::string& name : missing)
    findings.push_back(rows.finding(Severity::error,
                                    fmt::format("has no column 'command_{}' of thruster '{}'", name, name),
                                    suggestion(name, logged, "the log commands " + listed(logged))));
  for (const std::string& name : strange)
    findings.push_back(
        rows.finding(Severity::error,
                     fmt::format("commands thruster '{}', which robot {} does not have", name, robot.name()),
                     suggestion(name, known, "it has " + listed(known))));
  if (!findings.empty()) throw InputError(std::move(findings));
}

std::string share(std::size_t part, std::size_t whole) { return fmt::format("{} of {} rows", part, whole); }

}  // namespace

CommandedThrusters::CommandedThrusters(const Rows& rows, const model::Robot& robot,
                                       const model::Environment& environment, double voltage)
    : states_(robot, environment, voltage) {
  check_same_thrusters(rows, robot);
  if (robot.thrusters().empty()) rows.fail("has no column command_<thruster>", "the robot has no thrusters");
  for (const model::Thruster& thruster : robot.thrusters()) {
    Command command;
    command.name = thruster.name;
    command.unit = model::symbol_of(thruster.command_unit());
    command.column = rows.column({std::string(column_begin) + thruster.name, command.unit});
    command.min = thruster.map     ? thruster.map->command.min
                  : thruster.force ? thruster.force->value.min
                                   : -infinity;
    command.max = thruster.map     ? thruster.map->command.max
                  : thruster.force ? thruster.force->value.max
                                   : infinity;
    commands_.push_back(std::move(command));
  }
  if (robot.command_path() && robot.command_path()->dead_band && !states_.lag())
    told_.assign(states_.size(), 0.0);
}

void CommandedThrusters::take(const Rows& rows) {
  ++rows_;
  unknown_ = 0;
  for (std::size_t k = 0; k < commands_.size(); ++k) {
    Command& command = commands_[k];
    const double value = rows.values()[command.column];
    if (!std::isfinite(value)) {
      ++unknown_;  // the last one goes on, but what it does is a guess
      continue;
    }
    judge(command, value, rows.line());
    states_.command(k, value);
    if (!told_.empty()) told_[k] = states_.told(k);
  }
}

void CommandedThrusters::judge(Command& command, double value, int line) {
  ++command.numbers;
  const double range = command.max - command.min;
  if (!std::isfinite(range)) return;
  const double excess = std::max(value - command.max, command.min - value);
  if (excess >= -at_end_tolerance * range) ++command.at_end;
  if (excess <= at_end_tolerance * range) return;
  Count& count = excess > small_excess * range ? command.beyond : command.clamped;
  const double middle = command.min + range / 2;
  if (count.rows++ == 0) count.first_line = line;
  if (count.rows == 1 || std::abs(value - middle) > std::abs(count.extreme - middle)) count.extreme = value;
}

void CommandedThrusters::finish(const Rows& rows, Findings& warnings) const {
  Findings errors;
  for (const Command& command : commands_) {
    const std::string range = fmt::format("[{:.6g}, {:.6g}]{}{}", command.min, command.max,
                                          command.unit.empty() ? "" : " ", command.unit);
    const auto outside = [&](const Count& count) {
      return fmt::format("command_{} is outside {} of the thruster's map in {}, as far as {:.6g}", command.name,
                         range, share(count.rows, rows_), count.extreme);
    };
    if (command.numbers == 0)
      errors.push_back(rows.finding(Severity::error,
                                    fmt::format("column 'command_{}' has no number", command.name),
                                    "a thruster that stands still has its neutral command"));
    if (command.beyond.rows > 0)
      errors.push_back(rows.finding(Severity::error, outside(command.beyond),
                                    command.unit.empty() && command.beyond.extreme > 500
                                        ? "microseconds? the map takes (us - 1500) / 400"
                                        : "another unit, or another thruster's map?",
                                    command.beyond.first_line));
    if (command.clamped.rows > 0)
      warnings.push_back(rows.finding(Severity::warning, outside(command.clamped) + "; clamped", "",
                                      command.clamped.first_line));
    if (static_cast<double>(command.at_end) > odd_share_at_end * static_cast<double>(rows_))
      warnings.push_back(rows.finding(
          Severity::warning,
          fmt::format("command_{} is at an end of {} in {}", command.name, range, share(command.at_end, rows_)),
          "saturated: the wrench is as good as the end of the map"));
  }
  if (!errors.empty()) throw InputError(std::move(errors));
}

}  // namespace fathom::identify::internal
