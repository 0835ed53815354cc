#include "fathom/identify/vehicle/internal/recording_thrusters.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

namespace fathom::identify::internal {
namespace {

/// Of a transient's fastest rate: classical Runge-Kutta then errs by less than 1e-7 of a change in each step.
constexpr double longest_step = 0.1;

using TransientState = Eigen::Vector2d;  // shaft speed or force, and the axial flow

TransientState transient_step(const dynamics::ThrusterModel& model, const TransientState& x, double target,
                              double dt) {
  const auto rate = [&](const TransientState& at) {
    return TransientState(model.state_rate(at[0], target, 0), model.flow_rate(at[0], at[1]));
  };
  const TransientState k1 = rate(x), k2 = rate(x + dt / 2 * k1), k3 = rate(x + dt / 2 * k2),
                       k4 = rate(x + dt * k3);
  return x + dt / 6 * (k1 + 2 * (k2 + k3) + k4);
}

/// Over a gap of a log that lasts longer than any motor, its steady state is reached on the way.
TransientState advance_transient(const dynamics::ThrusterModel& model, TransientState x, double target,
                                 double dt) {
  while (dt > 0) {
    const double step = std::min(dt, longest_step / model.fastest_rate(x[0]));
    TransientState next = transient_step(model, x, target, step);
    if (((next - x).array().abs() <= 1e-15 * next.array().abs()).all()) return next;
    x = next;
    dt -= step;
  }
  return x;
}

}  // namespace

ThrusterStates::ThrusterStates(const model::Robot& robot, const model::Environment& environment, double voltage)
    : voltage_(voltage), gain_(robot.thrust_gain()) {
  for (const model::Thruster& thruster : robot.thrusters()) {
    const bool is_first_order = thruster.transient &&
                                std::holds_alternative<model::FirstOrder>(thruster.transient->law) &&
                                !thruster.transient->flow;
    thrusters_.push_back({dynamics::ThrusterModel(thruster, environment.density()), is_first_order,
                          thruster.map ? 0 : robot.dead_band(), 0, 0, dynamics::ThrusterModel::resting_state(),
                          0});
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
    if (thruster.is_first_order) {
      thruster.state = thruster.target + (thruster.state - thruster.target) *
                                             std::exp(-thruster.model.fastest_rate(thruster.state) * dt);
      continue;
    }
    const TransientState next =
        advance_transient(thruster.model, {thruster.state, thruster.flow}, thruster.target, dt);
    thruster.state = next[0];
    thruster.flow = next[1];
  }
}

Vec6 ThrusterStates::wrench_b(const Vec6& nu_r_b) const {
  Vec6 tau_b = Vec6::Zero();
  for (const Thruster& thruster : thrusters_)
    tau_b += thruster.model.force_in_flow(thruster.state, thruster.flow, thruster.model.inflow(nu_r_b)) *
             thruster.model.column();
  return gain_ * tau_b;
}

}  // namespace fathom::identify::internal
