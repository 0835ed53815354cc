#include "fathom/identify/internal/recording_thrusters.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

namespace fathom::identify::internal {
namespace {

/// Of a motor's fastest rate: classical Runge-Kutta then errs by less than 1e-7 of a change in each step.
constexpr double longest_step = 0.1;

double motor_step(const dynamics::ThrusterModel& model, double state, double target, double dt) {
  const double k1 = model.state_rate(state, target, 0);
  const double k2 = model.state_rate(state + dt / 2 * k1, target, 0);
  const double k3 = model.state_rate(state + dt / 2 * k2, target, 0);
  const double k4 = model.state_rate(state + dt * k3, target, 0);
  return state + dt / 6 * (k1 + 2 * (k2 + k3) + k4);
}

/// Over a gap of a log that lasts longer than any motor, its steady state is reached on the way.
double advance_motor(const dynamics::ThrusterModel& model, double state, double target, double dt) {
  while (dt > 0) {
    const double step = std::min(dt, longest_step / model.fastest_rate(state));
    const double next = motor_step(model, state, target, step);
    if (std::abs(next - state) <= 1e-15 * std::abs(next)) return next;
    state = next;
    dt -= step;
  }
  return state;
}

}  // namespace

ThrusterStates::ThrusterStates(const model::Robot& robot, const model::Environment& environment, double voltage)
    : voltage_(voltage), gain_(robot.thrust_gain()) {
  for (const model::Thruster& thruster : robot.thrusters()) {
    const bool is_first_order =
        thruster.transient && std::holds_alternative<model::FirstOrder>(thruster.transient->law);
    thrusters_.push_back({dynamics::ThrusterModel(thruster, environment.density()), is_first_order,
                          thruster.map ? 0 : robot.dead_band(), 0, 0,
                          dynamics::ThrusterModel::resting_state()});
    command(thrusters_.size() - 1, thruster.map ? thruster.map->command.neutral : 0);
  }
}

void ThrusterStates::command(std::size_t k, double value) {
  Thruster& thruster = thrusters_[k];
  thruster.told = thruster.model.target(value, voltage_);
  thruster.target = model::beyond_dead_band(thruster.told, thruster.dead_band);
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
    if (thruster.is_first_order)
      thruster.state = thruster.target + (thruster.state - thruster.target) *
                                             std::exp(-thruster.model.fastest_rate(thruster.state) * dt);
    else
      thruster.state = advance_motor(thruster.model, thruster.state, thruster.target, dt);
  }
}

Vec6 ThrusterStates::wrench_b(const Vec6& nu_r_b) const {
  Vec6 tau_b = Vec6::Zero();
  for (const Thruster& thruster : thrusters_)
    tau_b += thruster.model.force(thruster.state, thruster.model.inflow(nu_r_b)) * thruster.model.column();
  return gain_ * tau_b;
}

}  // namespace fathom::identify::internal
