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
    refuse("density", fmt::format("= {}, must be > 0", density), "kg/m^3");
  Findings findings;
  if (thruster.transient) findings = model::check_transient(thruster.map, *thruster.transient, "transient");
  if (thruster.map && findings.empty())
    findings = model::check_thruster_map(*thruster.map, thruster.transient, "map");
  if (!findings.empty()) throw InputError(std::move(findings));
}

}  // namespace

ThrusterModel::ThrusterModel(const model::Thruster& thruster, double density) : map_(thruster.map) {
  require_good(thruster, density);
  const Vec3 e = thruster.axis_b();
  column_ << e, thruster.position_b.value.cross(e);
  limit_ = thruster.force ? thruster.force->value : ForceRange{-infinity, infinity};
  if (map_) {
    has_current_ = map_->current.has_value();
    if (const auto* propeller = std::get_if<Propeller>(&map_->law)) {
      has_shaft_ = true;
      thrust_ = model::thrust_sides(*propeller, density);
    }
  }
  if (!thruster.transient) return;
  has_state_ = true;
  if (thruster.transient->flow) {
    has_flow_ = true;
    axial_ = *thruster.transient->flow;
    flow_rate_ = 1 / axial_.time_constant;
  }
  if (const auto* first_order = std::get_if<FirstOrder>(&thruster.transient->law)) {
    rate_ = 1 / first_order->time_constant;
    return;
  }
  is_motor_ = true;
  motor_ = *model::motor_rates(thruster.transient);
  if (const auto* motor = std::get_if<DcMotor>(&thruster.transient->law)) {
    k_t_ = motor->k_t;
    resistance_ = motor->resistance;
  }
}

double ThrusterModel::target(double command, double voltage) const {
  if (!map_) return std::clamp(command, limit_.min, limit_.max);
  if (is_motor_) return std::clamp(command, map_->command.min, map_->command.max);
  if (has_shaft_) return model::shaft_speed_of_command(std::get<Propeller>(map_->law), map_->command, command);
  return model::force_of_command(*map_, command, voltage);
}

double ThrusterModel::steady_force(double command, double inflow, double voltage) const {
  const double goal = target(command, voltage);
  return force(is_motor_ ? model::steady_motor_speed(motor_, goal) : goal, inflow);
}

double ThrusterModel::command_for(double wanted, double inflow, double voltage) const {
  const double f = std::clamp(wanted, limit_.min, limit_.max);
  if (!map_) return f;
  if (!has_shaft_) return model::command_of_force(*map_, f, voltage);
  const double w = model::propeller_speed(thrust_, f, inflow);
  const double command =
      is_motor_ ? std::clamp(model::steady_motor_voltage(motor_, w), map_->command.min, map_->command.max)
                : model::command_of_shaft_speed(std::get<Propeller>(map_->law), map_->command, w);
  // At the end of the range thrust may be left with the other sign: then none at all is nearer.
  return steady_force(command, inflow, voltage) * f < 0 ? map_->command.neutral : command;
}

ForceRange ThrusterModel::force_range(double voltage) const {
  if (!map_) return limit_;
  return {std::max(limit_.min, steady_force(map_->command.min, 0, voltage)),
          std::min(limit_.max, steady_force(map_->command.max, 0, voltage))};
}

double ThrusterModel::current(double state, double target, double inflow) const {
  if (k_t_ >= 0) return (target - k_t_ * state) / resistance_;  // docs/model.md eq. 33
  if (!has_current_) return nan_;
  const auto& i = *map_->current;
  const double f = std::abs(force(state, inflow));
  return i[0] + f * (i[1] + f * i[2]);
}

}  // namespace fathom::dynamics
