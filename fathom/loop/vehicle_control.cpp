#include <algorithm>
#include <cmath>
#include <numbers>

#include "fathom/loop/internal/command_path.hpp"
#include "fathom/loop/internal/vehicle_loop.hpp"

// What a vehicle does of its own accord: from the reference to commands of the thrusters.

namespace fathom::loop::internal {

void VehicleLoop::make_control(const Scenario& scenario, std::uint64_t seed) {
  if (plant_.thruster_count() > 0) {
    allocator_.emplace(plant_.vehicle().allocation(), force_ranges(plant_));
    allocation_.emplace(allocator_->workspace());
  }
  if (const auto* pid = std::get_if<PidControl>(&scenario_->control)) {
    const dynamics::Vehicle believed(pid->believed ? *pid->believed : scenario_->robot, scenario.environment,
                                     scenario_->dof);
    std::optional<dynamics::Vehicle> feed_forward_model;
    if (pid->feed_forward_model)
      feed_forward_model.emplace(*pid->feed_forward_model, scenario.environment, scenario_->dof);
    pid_.emplace(believed, reachable(pid->options, allocator_, scenario_->dof), feed_forward_model);
  }
  if (const auto* joystick = std::get_if<JoystickControl>(&scenario_->control))
    joystick_.emplace(with_limits(*joystick, plant_.vehicle().allocation(), force_ranges(plant_)), seed,
                      scenario_->name + "/joystick");
}

void VehicleLoop::commands_from_forces() {
  for (std::size_t k = 0; k < forces_.size(); ++k) {
    const double full =
        known_share_[k] > 0 ? forces_[k] / known_share_[k] : 0;  // of one that is known to be weak
    commands_[k] = plant_.thruster(k).command_for(full, 0, plant_.voltage());
  }
}

void VehicleLoop::command_wrench(const Vec6& tau_b) {
  demanded_b_ = tau_b;
  if (!allocator_) return;
  const dynamics::Allocation& given = allocator_->allocate(tau_b, *allocation_);
  std::copy_n(given.forces.data(), forces_.size(), forces_.begin());
  achieved_b_ = given.achieved_b;
  was_saturated_ = falls_short(given, tau_b);
  commands_from_forces();
}

void VehicleLoop::command_open_loop(double t, const OpenLoop& open_loop) {
  using By = OpenLoop::By;
  if (open_loop.by == By::wrench) {
    Vec6 tau_b;
    open_loop.series.at(t, std::span(tau_b.data(), 6));
    command_wrench(tau_b);
  } else if (t < open_loop.series.begin()) {
    commands_ = neutral_;
  } else if (open_loop.by == By::force) {
    open_loop.series.at(t, forces_);
    command_forces();
  } else {
    open_loop.series.at(t, commands_);
    command_directly(open_loop.by);
  }
}

/// What `forces_` ask for, as far as the thrusters can give it.
void VehicleLoop::command_forces() {
  demanded_b_ = dynamics::thruster_wrench(plant_.vehicle(), forces_);
  commands_from_forces();
  was_saturated_ = false;
  for (std::size_t k = 0; k < forces_.size(); ++k) {
    const double wanted = forces_[k];
    forces_[k] = plant_.thruster(k).steady_force(commands_[k], 0, plant_.voltage());
    was_saturated_ |= std::abs(wanted - forces_[k]) > 1e-6 * (1 + std::abs(wanted));
  }
  achieved_b_ = dynamics::thruster_wrench(plant_.vehicle(), forces_);
}

/// `commands_`, which are in the unit of `by`, become the thrusters' own; what these give is what is asked for.
void VehicleLoop::command_directly(OpenLoop::By by) {
  was_saturated_ = false;
  for (std::size_t k = 0; k < commands_.size(); ++k) {
    const auto& map = scenario_->robot.thrusters()[k].map;
    double& command = commands_[k];
    if (by == OpenLoop::By::rpm) command *= 2 * std::numbers::pi / 60;
    if (by == OpenLoop::By::pwm && map->command.unit != model::CommandUnit::pwm_us)
      command = (command - 1500) / 400;  // us to [-1, 1], as hobby controllers do
    forces_[k] = plant_.thruster(k).steady_force(command, 0, plant_.voltage());
    was_saturated_ |= map && (command < map->command.min || command > map->command.max);
  }
  demanded_b_ = achieved_b_ = dynamics::thruster_wrench(plant_.vehicle(), forces_);
}

void VehicleLoop::steer(double t, double dt) {
  if (scenario_->reference) reference_ = scenario_->reference->at(t);
  if (pid_) {
    command_wrench(pid_->wrench(reference_, state_));
    pid_->advance(reference_, state_, demanded_b_, achieved_b_, dt);
  } else if (joystick_) {
    command_wrench(joystick_->at(t, state_));
  } else if (const auto* open_loop = std::get_if<OpenLoop>(&scenario_->control)) {
    command_open_loop(t, *open_loop);
  }
}

void VehicleLoop::obey(double t, std::span<const double> forces, bool saturated) {
  obeys_ = true;
  if (scenario_->reference) reference_ = scenario_->reference->at(t);
  std::copy(forces.begin(), forces.end(), forces_.begin());
  commands_from_forces();
  demanded_b_ = achieved_b_ = dynamics::thruster_wrench(plant_.vehicle(), forces_);
  was_saturated_ = saturated;
}

void VehicleLoop::steer_alone() {
  obeys_ = false;
  if (pid_) pid_->reset();
  if (!std::holds_alternative<Drift>(scenario_->control)) return;
  commands_ = neutral_;
  std::fill(forces_.begin(), forces_.end(), 0.0);
  demanded_b_ = achieved_b_ = Vec6::Zero();
  was_saturated_ = false;
}

}  // namespace fathom::loop::internal
