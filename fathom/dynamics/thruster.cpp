#include "fathom/dynamics/thruster.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"

namespace fathom::dynamics {
namespace {

using model::DcMotor;
using model::FirstOrder;
using model::ForceRange;
using model::Propeller;

void require_good(const model::Thruster& thruster, double density) {
  if (!(density > 0 && density < infinity))
    reject("density", fmt::format("= {}, must be > 0", density), "kg/m^3");
  Findings findings;
  if (thruster.transient) findings = model::check_transient(thruster.map, *thruster.transient, "transient");
  if (thruster.map && findings.empty())
    findings = model::check_thruster_map(*thruster.map, thruster.transient, "map");
  if (!findings.empty()) throw InputError(std::move(findings));
}

}  // namespace

ThrusterModel::ThrusterModel(const model::Thruster& thruster, double density) {
  require_good(thruster, density);
  const Vec3 e = thruster.axis_b();
  column_ << e, thruster.position_b.value.cross(e);
  Rest rest;
  rest.map = thruster.map;
  rest.limit = thruster.force ? thruster.force->value : ForceRange{-infinity, infinity};
  if (rest.map) {
    has_current_ = rest.map->current.has_value();
    if (const auto* propeller = std::get_if<Propeller>(&rest.map->law)) {
      has_shaft_ = true;
      thrust_ = model::thrust_sides(*propeller, density);
    }
  }
  if (thruster.transient) {
    has_state_ = true;
    if (thruster.transient->flow) {
      has_flow_ = true;
      rest.axial = *thruster.transient->flow;
      flow_rate_ = 1 / rest.axial.time_constant;
    }
    if (const auto* first_order = std::get_if<FirstOrder>(&thruster.transient->law)) {
      rate_ = 1 / first_order->time_constant;
      const model::ActsOn acts_on = model::acts_on_of(thruster.map, *first_order);
      lags_thrust_ = has_shaft_ && acts_on == model::ActsOn::force;
      lags_command_ = thruster.map && !has_shaft_ && acts_on == model::ActsOn::shaft;
    } else {
      is_motor_ = true;
      rest.motor = *model::motor_rates(thruster.transient);
    }
    if (const auto* motor = std::get_if<DcMotor>(&thruster.transient->law)) {
      rest.k_t = motor->k_t;
      rest.resistance = motor->resistance;
    }
  }
  rest_ = std::make_shared<const Rest>(std::move(rest));
}

double ThrusterModel::target(double command, double voltage) const {
  if (!rest_->map) return std::clamp(command, rest_->limit.min, rest_->limit.max);
  if (is_motor_) return std::clamp(command, rest_->map->command.min, rest_->map->command.max);
  if (has_shaft_) {
    const double speed =
        model::shaft_speed_of_command(std::get<Propeller>(rest_->map->law), rest_->map->command, command);
    return lags_thrust_ ? model::propeller_thrust(thrust_, speed, 0) : speed;
  }
  if (lags_command_)
    return std::clamp(command, rest_->map->command.min, rest_->map->command.max) - rest_->map->command.neutral;
  return model::force_of_command(*rest_->map, command, voltage);
}

double ThrusterModel::steady_force(double command, double inflow, double voltage) const {
  const double goal = target(command, voltage);
  return force(is_motor_ ? model::steady_motor_speed(rest_->motor, goal) : goal, inflow, voltage);
}

double ThrusterModel::force_of_state(double state, double voltage) const {
  return model::force_of_command(*rest_->map, state + rest_->map->command.neutral, voltage);
}

double ThrusterModel::command_for(double wanted, double inflow, double voltage) const {
  const double f = std::clamp(wanted, rest_->limit.min, rest_->limit.max);
  if (!rest_->map) return f;
  if (!has_shaft_) return model::command_of_force(*rest_->map, f, voltage);
  const double w = model::propeller_speed(thrust_, f, inflow);
  const double command =
      is_motor_ ? std::clamp(model::steady_motor_voltage(rest_->motor, w), rest_->map->command.min,
                             rest_->map->command.max)
                : model::command_of_shaft_speed(std::get<Propeller>(rest_->map->law), rest_->map->command, w);
  // At the end of the range thrust may be left with the other sign: then none at all is nearer.
  return steady_force(command, inflow, voltage) * f < 0 ? rest_->map->command.neutral : command;
}

ForceRange ThrusterModel::force_range(double voltage) const {
  if (!rest_->map) return rest_->limit;
  return {std::max(rest_->limit.min, steady_force(rest_->map->command.min, 0, voltage)),
          std::min(rest_->limit.max, steady_force(rest_->map->command.max, 0, voltage))};
}

double ThrusterModel::current(double state, double target, double inflow, double voltage) const {
  if (rest_->k_t >= 0) return (target - rest_->k_t * state) / rest_->resistance;  // docs/model.md eq. 33
  if (!has_current_) return nan_;
  const auto& i = *rest_->map->current;
  const double f = std::abs(force(state, inflow, voltage));
  return i[0] + f * (i[1] + f * i[2]);
}

}  // namespace fathom::dynamics
