#include "fathom/identify/thruster/step_law.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/median.hpp"
#include "fathom/base/text.hpp"
#include "fathom/identify/thruster/internal/rotor_model.hpp"
#include "fathom/identify/thruster/internal/table_columns.hpp"

namespace fathom::identify {

namespace {

using Base = StepLaw::Base;
using Eigen::Index;
using Eigen::VectorXd;
using internal::lagged;
using internal::smoothed;

/// Signed, so that a shaft that is reversed passes through rest.
double steady_speed(const IdentifiedThruster& thruster, double command) {
  const IdentifiedThruster::AtVoltage& test = thruster.tests.front();
  const auto& side = command < thruster.map().command.neutral ? test.reverse_shaft : test.forward_shaft;
  return model::shaft_speed_of_command({{}, side->speed.shaft, {}}, thruster.map().command, command);
}

model::ThrustCoefficients table_thrust(const IdentifiedThruster::Shaft& side) { return {side.thrust.T_ww, 0}; }

/// The propeller of the table: with inflow, or by its shaft speeds.
model::ThrusterMap shaft_map(const IdentifiedThruster& thruster) {
  if (thruster.propeller) return *thruster.propeller;
  const IdentifiedThruster::AtVoltage& test = thruster.tests.front();
  return propeller_map(test.laws, table_thrust(*test.forward_shaft), table_thrust(*test.reverse_shaft));
}

model::ThrusterMap map_under(const IdentifiedThruster& thruster, const StepLaw& law) {
  if (law.base == Base::force) return thruster.tests.front().laws.map;
  model::ThrusterMap map = shaft_map(thruster);
  if (law.base == Base::motor) std::get<model::Propeller>(map.law).shaft = model::DirectShaft{};
  return map;
}

/// `goal` where the command is this one, larger by a share of it.
VectorXd raised(const VectorXd& goal, const VectorXd& commands, double command, double share) {
  if (share == 0) return goal;
  return (commands.array() == command).select(goal.array() * (1 + share), goal.array());
}

/// What a rotor's way depends on, beside its goal.
internal::RotorMemory::Numbers driving(const StepNumbers& numbers, double raise) {
  return {numbers.lag,     numbers.delay,     numbers.is_bent ? 1.0 : 0.0, numbers.bend,
          numbers.slowing, numbers.drive_lag, numbers.left.command,        raise};
}

double root_of(double force) { return std::copysign(std::sqrt(std::abs(force)), force); }

constexpr Eigen::Index fewest_step_rows = 20;
constexpr double longest_pause = 50;  // rows

void check_step_times(const log::NumberTable& table, const Eigen::VectorXd& times) {
  if (times.size() < fewest_step_rows)
    reject(table.file, 0, "", fmt::format("has {} rows, must have {} or more", times.size(), fewest_step_rows));
  for (Eigen::Index k = 1; k < times.size(); ++k)
    if (!(times[k] > times[k - 1]))
      reject(table.file, table.line(k), "",
             fmt::format("time {:g} s comes after {:g} s, must rise", times[k], times[k - 1]),
             "sort the rows; of two at one time leave one out");
  // A command is held from row to row: over a pause nobody knows what it was.
  std::vector<double> steps;
  for (Eigen::Index k = 1; k < times.size(); ++k) steps.push_back(times[k] - times[k - 1]);
  const double usual = median(steps);
  for (Eigen::Index k = 1; k < times.size(); ++k)
    if (times[k] - times[k - 1] > longest_pause * usual &&
        times[k] - times[k - 1] > 0.2 * (times[times.size() - 1] - times[0]))
      reject(table.file, table.line(k), "",
             fmt::format("the clock jumps from {:g} s to {:g} s, where rows are {:.3g} s apart", times[k - 1],
                         times[k], usual),
             "mend the time stamps, or cut the run into two files");
}

}  // namespace

std::string name_of(const StepLaw& law) {
  const std::string base = law.base == Base::force ? "force" : law.base == Base::shaft ? "shaft" : "motor";
  return base + (law.flow ? "+flow" : "");
}

const std::vector<StepLaw>& step_laws() {
  static const std::vector<StepLaw> laws = {{Base::force, false}, {Base::shaft, false}, {Base::motor, false},
                                            {Base::force, true},  {Base::shaft, true},  {Base::motor, true}};
  return laws;
}

StepLaw step_law_named(std::string_view name) {
  std::vector<std::string> names;
  for (const StepLaw& law : step_laws()) {
    if (name_of(law) == name) return law;
    names.push_back(name_of(law));
  }
  reject("--law", fmt::format("= {}, expected one of {}", in_quotes(name), join(names, ", ")));
}

bool knows_speed(const IdentifiedThruster& thruster) {
  return thruster.tests.front().forward_shaft && thruster.tests.front().reverse_shaft;
}

std::string why_not(const IdentifiedThruster& thruster, const StepLaw& law, const std::vector<StepRun>& runs) {
  const auto all = [&](auto member) {
    return std::all_of(runs.begin(), runs.end(), [&](const StepRun& run) { return (run.*member).has_value(); });
  };
  const bool speeds = all(&StepRun::speeds), forces = all(&StepRun::forces);
  if (law.flow && !forces) return "needs the force in every run";
  if (law.base == Base::force) {
    if (thruster.propeller) return "would lose the inflow of the table, whose map is a propeller";
    return forces ? "" : "needs the force in every run";
  }
  if (!thruster.propeller && !knows_speed(thruster)) return "needs the shaft speed on both sides of the table";
  if (law.base == Base::shaft) return speeds || thruster.propeller ? "" : "needs the shaft speed in every run";
  if (!speeds) return "needs the shaft speed in every run";
  if (thruster.unit != model::CommandUnit::volt || thruster.map().command.neutral != 0)
    return fmt::format("needs the motor's voltage as the command, about 0, not one in {}",
                       name_of(thruster.unit));
  return "";
}

StepModel::StepModel(const IdentifiedThruster& thruster, const StepLaw& law, const std::vector<StepRun>& runs)
    : law_(law) {
  if (const std::string why = why_not(thruster, law, runs); !why.empty())
    reject("--law", fmt::format("{} {}", name_of(law), why), "add the column, or choose another law");
  map_ = map_under(thruster, law);
  const auto* propeller = std::get_if<model::Propeller>(&map_.law);
  if (propeller) thrust_ = model::thrust_sides(*propeller, 1000);  // coefficients that know no density
  for (const StepRun& run : runs) {
    Goals goals;
    const Index n = run.times.size();
    goals.times = run.times;
    goals.commands = run.commands;
    goals.dt = VectorXd::Zero(n);
    goals.dt.tail(n - 1) = run.times.tail(n - 1) - run.times.head(n - 1);
    goals.pace = run.commands.unaryExpr([&](double command) {
      if (law_.base == Base::motor) return std::clamp(command, map_.command.min, map_.command.max);
      return law_.base == Base::shaft ? model::shaft_speed_of_command(*propeller, map_.command, command)
                                      : model::force_of_command(map_, command, 0);
    });
    goals.has_forces = run.forces.has_value();
    goals.has_speeds = run.speeds && (law_.base == Base::motor || knows_speed(thruster));
    if (goals.has_speeds && law_.base != Base::motor)
      goals.speeds = run.commands.unaryExpr([&](double command) { return steady_speed(thruster, command); });
    goals.is_one = law_.base == Base::shaft && goals.has_speeds && goals.speeds == goals.pace;
    const double most = goals.pace.cwiseAbs().maxCoeff();
    most_ = std::max(most_, law_.base == Base::force ? root_of(most) : most);
    goals_.push_back(std::move(goals));
  }
}

VectorXd StepModel::rotor(const Goals& goals, const VectorXd& goal, const StepNumbers& numbers) const {
  const bool is_straight = !numbers.is_bent || (numbers.bend == 0 && numbers.slowing == 1);
  const VectorXd driven = is_straight ? lagged(goals.times, goal, numbers.delay, numbers.lag)
                                      : internal::bent(goals.times, goal, numbers, most_);
  // Of two lags the order hardly matters.
  return numbers.is_bent ? smoothed(goals.dt, driven, numbers.drive_lag) : driven;
}

/// Speeds, or what stands for them: the root of a force.
VectorXd StepModel::paces(std::size_t run, const StepNumbers& numbers, internal::RotorMemory* memory) const {
  const Goals& goals = goals_[run];
  const auto raised_pace = [&] {
    return raised(goals.pace, goals.commands, numbers.left.command, numbers.left.pace);
  };
  if (law_.base == Base::motor) return internal::motor_speeds(goals.times, raised_pace(), numbers);
  if (law_.base == Base::force && !numbers.is_bent)
    return lagged(goals.times, raised_pace(), numbers.delay, numbers.lag).unaryExpr(&root_of);
  const auto drive = [&]() -> VectorXd {
    return rotor(goals, law_.base == Base::shaft ? raised_pace() : VectorXd(raised_pace().unaryExpr(&root_of)),
                 numbers);
  };
  return memory ? memory->way({run, 0}, driving(numbers, numbers.left.pace), drive) : drive();
}

/// Of the shaft, as the table tells them.
VectorXd StepModel::speeds(std::size_t run, const StepNumbers& numbers, internal::RotorMemory* memory) const {
  const Goals& goals = goals_[run];
  const auto drive = [&]() -> VectorXd {
    return rotor(goals, raised(goals.speeds, goals.commands, numbers.left.command, numbers.left.speed),
                 numbers);
  };
  return memory ? memory->way({run, 1}, driving(numbers, numbers.left.speed), drive) : drive();
}

StepResponse StepModel::simulate(std::size_t run, const StepNumbers& numbers,
                                 internal::RotorMemory* memory) const {
  const Goals& goals = goals_[run];
  const VectorXd pace = paces(run, numbers, memory);
  StepResponse response;
  if (goals.has_speeds) {
    const bool is_pace = law_.base == Base::motor || (goals.is_one && numbers.left.speed == numbers.left.pace);
    response.speeds =
        numbers.speed_scale *
        smoothed(goals.dt, is_pace ? pace : speeds(run, numbers, memory), numbers.tachometer_lag).cwiseAbs();
  }
  if (!goals.has_forces) return response;
  const VectorXd flow = law_.flow ? smoothed(goals.dt, pace, numbers.flow.time_constant) : pace;
  response.forces.resize(pace.size());
  for (Index k = 0; k < pace.size(); ++k)
    response.forces[k] =
        numbers.force_scale * model::thrust_in_flow(thrust_, numbers.flow, pace[k], flow[k], 0);
  response.forces = smoothed(goals.dt, response.forces, numbers.cell_lag + numbers.left.cell);
  return response;
}

model::Transient StepModel::transient(const StepNumbers& numbers, const std::string& source) const {
  model::Transient transient{model::FirstOrder{numbers.lag}, source, false};
  if (law_.base == Base::motor) transient.law = numbers.motor;
  if (law_.flow) transient.flow = numbers.flow;
  return transient;
}

StepRun step_run(const log::NumberTable& table, const ColumnChoice& choice, model::CommandUnit unit) {
  internal::check_column_choice(choice);
  const auto time = internal::find_column(table, "time", choice, true);
  const auto command = internal::find_column(table, "command", choice, true);
  const auto speed = internal::find_column(table, "speed", choice, false);
  const auto force = internal::find_column(table, "force", choice, !speed);
  if (const model::CommandUnit got = internal::command_unit(table, *command); got != unit)
    reject(table.file, table.has_header ? 1 : 0, "",
           fmt::format("has commands in {}, the bollard table in {}", name_of(got), name_of(unit)));
  StepRun run{std::filesystem::path(table.file).filename().string(), time->si(table), command->si(table)};
  check_step_times(table, run.times);
  if (speed) run.speeds = speed->si(table).cwiseAbs();
  if (force) run.forces = force->si(table);
  run.file = table.file;
  return run;
}

}  // namespace fathom::identify
