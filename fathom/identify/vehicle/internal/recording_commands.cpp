#include "fathom/identify/vehicle/internal/recording_commands.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/geometry/spectrum.hpp"
#include "fathom/identify/commanded/pilot_mixer.hpp"

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

/// Of a transient's fastest rate: classical Runge-Kutta then errs by less than 1e-7 of a change in each step.
constexpr double longest_step = 0.1;

using TransientState = Eigen::Vector2d;  // shaft speed or force, and the axial flow

TransientState transient_step(const dynamics::ThrusterModel& model, const TransientState& x, double target,
                              double voltage, double dt) {
  const auto rate = [&](const TransientState& at) {
    return TransientState(model.state_rate(at[0], target, 0), model.flow_rate(at[0], at[1], voltage));
  };
  const TransientState k1 = rate(x), k2 = rate(x + dt / 2 * k1), k3 = rate(x + dt / 2 * k2),
                       k4 = rate(x + dt * k3);
  return x + dt / 6 * (k1 + 2 * (k2 + k3) + k4);
}

/// Over a gap of a log that lasts longer than any motor, its steady state is reached on the way.
TransientState advance_transient(const dynamics::ThrusterModel& model, TransientState x, double target,
                                 double voltage, double dt) {
  while (dt > 0) {
    const double step = std::min(dt, longest_step / model.fastest_rate(x[0]));
    TransientState next = transient_step(model, x, target, voltage, step);
    if (((next - x).array().abs() <= 1e-15 * next.array().abs()).all()) return next;
    x = next;
    dt -= step;
  }
  return x;
}

constexpr double stick_rounding = 0.01;  // beyond 1: what a receiver's own rounding may overshoot

const std::array<Column, 6> wrench_columns = {
    {{"X", "N"}, {"Y", "N"}, {"Z", "N"}, {"K", "N m"}, {"M", "N m"}, {"N", "N m"}}};
const std::array<Column, 6> axis_columns = {
    {{"surge", ""}, {"sway", ""}, {"heave", ""}, {"roll", ""}, {"pitch", ""}, {"yaw", ""}}};

constexpr double most_command = 1e7;  // N or N m: no vehicle of ours has more

/// Six columns of a wrench that acts as logged. Where a number is missing it is unknown; the last one goes on,
/// as that of a thruster does, since what lags remembers it.
class LoggedWrench : public Input {
 public:
  LoggedWrench(const Rows& rows, const std::array<Column, 6>& columns) {
    for (std::size_t i = 0; i < 6; ++i) columns_[i] = rows.column(columns[i]);
  }
  void take(const Rows& rows) override {
    is_known_ = true;
    for (std::size_t i = 0; i < 6; ++i) {
      const double value = rows.values()[columns_[i]];
      if (std::abs(value) > most_command)
        rows.fail(fmt::format("column '{}' = {:g}, expected at most {:g}",
                              rows.info().columns[columns_[i]].name, value, most_command),
                  "a slip, or another unit?", rows.line());
      if (std::isfinite(value)) {
        ++numbers_[i];
        values_[static_cast<Eigen::Index>(i)] = value;
      } else {
        is_known_ = false;
      }
    }
  }
  void advance(double) override {}
  Vec6 wrench_b(const Vec6&) const override { return values_; }
  bool is_known() const override { return is_known_; }
  CommandRecord::Of kind() const override { return CommandRecord::Of::wrench; }
  std::span<const double> commands() const override { return {values_.data(), 6}; }
  void finish(const Rows& rows, Findings&) const override {
    for (std::size_t i = 0; i < 6; ++i)
      if (numbers_[i] == 0)
        rows.fail(fmt::format("column '{}' has no number", rows.info().columns[columns_[i]].name),
                  "an axis that is not driven has the wrench 0");
  }

 protected:
  Vec6 values_ = Vec6::Zero();

 private:
  std::array<std::size_t, 6> columns_{}, numbers_{};
  bool is_known_ = false;
};

/// Whether forces between command and thruster are looked for, or lose something there.
bool changes_forces(const model::Robot& robot) {
  return robot.command_path() && (robot.command_path()->dead_band || robot.command_path()->saturation);
}

class CommandedWrench : public LoggedWrench {
 public:
  CommandedWrench(const Rows& rows, const model::Robot& robot, const model::Environment& environment,
                  double voltage)
      : LoggedWrench(rows, wrench_columns),
        states_(robot, environment, voltage),
        inverse_(pseudo_inverse(model::allocation_matrix(robot))) {
    if (changes_forces(robot) && !states_.lag()) told_.assign(states_.size(), 0.0);
  }
  void take(const Rows& rows) override {
    LoggedWrench::take(rows);
    const Eigen::VectorXd forces = inverse_ * values_;
    for (std::size_t k = 0; k < states_.size(); ++k) {
      states_.ask(k, forces[static_cast<Eigen::Index>(k)]);
      if (!told_.empty()) told_[k] = states_.told(k);
    }
  }
  void advance(double dt) override { states_.advance(dt); }
  Vec6 wrench_b(const Vec6& nu_r_b) const override { return states_.wrench_b(nu_r_b); }
  bool turns_corners() const override { return states_.turns_corners(); }
  /// The thrusters' dead band and gain are looked for with the delay alone.
  CommandRecord::Of kind() const override { return CommandRecord::Of::none; }
  std::span<const double> asked() const override { return {values_.data(), 6}; }
  std::span<const double> told() const override { return told_; }

 private:
  ThrusterStates states_;
  Eigen::MatrixXd inverse_;   // of the allocation matrix
  std::vector<double> told_;  // N, where there is a dead band
};

class PilotAxes : public LoggedWrench {
 public:
  PilotAxes(const Rows& rows, const model::Robot& robot, const model::Environment& environment, double voltage)
      : LoggedWrench(rows, axis_columns),
        mixer_(robot, voltage, environment.density()),
        gain_(robot.thrust_gain()) {}
  void take(const Rows& rows) override {
    LoggedWrench::take(rows);
    Eigen::Index axis = 0;
    const double most = values_.cwiseAbs().maxCoeff(&axis);
    if (most > 1 + stick_rounding)
      rows.fail(
          fmt::format("{} = {:g}, must be from -1 to 1", axis_columns[static_cast<std::size_t>(axis)].name,
                      values_[axis]),
          most > 500 ? "microseconds? (us - 1500) / 400: scale and offset of the description" : "scale it",
          rows.line());
    tau_b_ = gain_ * mixer_.wrench_b(values_);
  }
  Vec6 wrench_b(const Vec6&) const override { return tau_b_; }
  CommandRecord::Of kind() const override { return CommandRecord::Of::none; }
  std::span<const double> asked() const override { return {values_.data(), 6}; }

 private:
  PilotMixer mixer_;
  double gain_;
  Vec6 tau_b_ = Vec6::Zero();
};

}  // namespace

CommandedThrusters::CommandedThrusters(const Rows& rows, const model::Robot& robot,
                                       const model::Environment& environment, double voltage)
    : states_(robot, environment, voltage), changes_forces_(changes_forces(robot)) {
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
    last_.push_back(thruster.map ? thruster.map->command.neutral : 0);
  }
  if (changes_forces_ && !states_.lag()) told_.assign(states_.size(), 0.0);
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
    last_[k] = value;
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

ThrusterStates::ThrusterStates(const model::Robot& robot, const model::Environment& environment, double voltage)
    : voltage_(voltage), gain_(robot.thrust_gain()) {
  for (const model::Thruster& thruster : robot.thrusters()) {
    const bool is_first_order = thruster.transient &&
                                std::holds_alternative<model::FirstOrder>(thruster.transient->law) &&
                                !thruster.transient->flow;
    if (is_first_order && thruster.map && !std::holds_alternative<model::Propeller>(thruster.map->law))
      turns_corners_ = turns_corners_ ||
                       model::acts_on_of(thruster.map, std::get<model::FirstOrder>(thruster.transient->law)) ==
                           model::ActsOn::shaft;
    thrusters_.push_back({dynamics::ThrusterModel(thruster, environment.density()), is_first_order,
                          thruster.map ? 0 : robot.dead_band(), thruster.map ? infinity : robot.saturation(), 0,
                          0, dynamics::ThrusterModel::resting_state(), 0});
    command(thrusters_.size() - 1, thruster.map ? thruster.map->command.neutral : 0);
  }
}

void ThrusterStates::command(std::size_t k, double value) {
  Thruster& thruster = thrusters_[k];
  thruster.told = thruster.model.target(value, voltage_);
  thruster.target = model::delivered_force(thruster.told, thruster.dead_band, thruster.saturation);
  if (!thruster.model.has_state()) thruster.state = thruster.target;
}

void ThrusterStates::ask(std::size_t k, double force) {
  command(k, thrusters_[k].model.command_for(force, 0, voltage_));
}

bool ThrusterStates::lag() const {
  return std::any_of(thrusters_.begin(), thrusters_.end(),
                     [](const Thruster& t) { return t.model.has_state(); });
}

void ThrusterStates::advance(double dt) {
  if (!(dt > 0)) return;
  for (Thruster& thruster : thrusters_) {
    if (!thruster.model.has_state()) continue;
    if (thruster.is_first_order) {
      thruster.state = thruster.target + (thruster.state - thruster.target) *
                                             std::exp(-thruster.model.fastest_rate(thruster.state) * dt);
      continue;
    }
    const TransientState next =
        advance_transient(thruster.model, {thruster.state, thruster.flow}, thruster.target, voltage_, dt);
    thruster.state = next[0];
    thruster.flow = next[1];
  }
}

Vec6 ThrusterStates::wrench_b(const Vec6& nu_r_b) const {
  Vec6 tau_b = Vec6::Zero();
  for (const Thruster& thruster : thrusters_)
    tau_b +=
        thruster.model.force_in_flow(thruster.state, thruster.flow, thruster.model.inflow(nu_r_b), voltage_) *
        thruster.model.column();
  return gain_ * tau_b;
}

std::unique_ptr<Input> logged_wrench(const Rows& rows) {
  return std::make_unique<LoggedWrench>(rows, wrench_columns);
}

std::unique_ptr<Input> commanded_wrench(const Rows& rows, const model::Robot& robot,
                                        const model::Environment& environment, double voltage) {
  return std::make_unique<CommandedWrench>(rows, robot, environment, voltage);
}

std::unique_ptr<Input> pilot_axes(const Rows& rows, const model::Robot& robot,
                                  const model::Environment& environment, double voltage) {
  return std::make_unique<PilotAxes>(rows, robot, environment, voltage);
}

}  // namespace fathom::identify::internal
