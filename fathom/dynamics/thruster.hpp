#pragma once
#include <cmath>
#include <memory>
#include <optional>

#include "fathom/base/constants.hpp"
#include "fathom/geometry/types.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::dynamics {

/// One thruster of one robot in water of one density, ready to be evaluated: docs/model.md eqs. 25 to 36.
/// Immutable; threads share it; nothing here allocates after it is made.
///
/// A simulator calls `target` once per command and, at each stage of a step, `state_rate` and `force` with the
/// state that it integrates. Without a transient (`has_state` is false) the target itself is the state. With an
/// axial flow (`has_flow`) a second number goes along, `flow`, at rest 0: `flow_rate` and `force_in_flow`.
class ThrusterModel {
 public:
  /// Throws InputError unless the thruster's map and transient are good (check.hpp) and the density positive.
  ThrusterModel(const model::Thruster& thruster, double density);

  /// Speed of the thruster through the water along its axis, e . (v + omega x r) [m/s].
  double inflow(const Vec6& nu_r_b) const { return column_.dot(nu_r_b); }

  /// The force that a command settles at [N]. What lies beyond the command's range is clamped. `voltage`, the
  /// supply's, matters to tables alone; there it is clamped to the voltages of the table, NaN to the lowest.
  double steady_force(double command, double inflow, double voltage) const;
  /// The command that settles at `force`, clamped to what the thruster attains and its file allows; of several
  /// the one nearest neutral, so neutral itself for 0. Where inflow against the thrust leaves nothing of it,
  /// neutral too.
  double command_for(double force, double inflow, double voltage) const;
  /// What command_for can reach in still water.
  model::ForceRange force_range(double voltage = infinity) const;

  bool has_state() const { return has_state_; }
  /// The state is a shaft speed [rad/s]; else a force [N], or a command where the lag is before a map without
  /// shaft.
  bool has_shaft() const { return has_shaft_ && !lags_thrust_; }
  static double resting_state() { return 0; }
  /// What the state goes to: a shaft speed, a force, a command counted from neutral, or with a motor its
  /// voltage. Of a propeller whose lag is of the force it is the thrust in still water.
  double target(double command, double voltage) const;
  /// docs/model.md eqs. 30, 31, 34. The inflow's share of the propeller's torque is left out, as Nielsen 2019,
  /// eq. 5.13 does, so that nothing depends on `inflow` yet.
  double state_rate(double state, double target, [[maybe_unused]] double inflow) const {
    return is_motor_ ? rest_->motor.acceleration(target, state) : (target - state) * rate_;
  }
  /// Of the transient at this state [1/s]: how stiff it is. 0 without one.
  double fastest_rate(double state) const {
    const double own = is_motor_ ? rest_->motor.linear + 2 * rest_->motor.quadratic * std::abs(state) : rate_;
    return own > flow_rate_ ? own : flow_rate_;
  }
  /// In water that flows as it does in steady state. `voltage` matters to a table behind its lag alone; it has
  /// no default here and below, for without one such a table would give the forces of its lowest voltage.
  double force(double state, double inflow, double voltage) const {
    if (lags_command_) return force_of_state(state, voltage);
    return has_shaft_ ? model::propeller_thrust(thrust_, speed_of(state), inflow) : state;
  }

  bool has_flow() const { return has_flow_; }
  /// docs/model.md eq. 35, of the flow behind the blades in units of the shaft speed that it belongs to, or of
  /// the root of the force [N^0.5] where the map has no shaft. 0 without an axial flow.
  double flow_rate(double state, double flow, double voltage) const {
    return (pace(state, voltage) - flow) * flow_rate_;
  }
  /// docs/model.md eq. 36; `force` without an axial flow.
  double force_in_flow(double state, double flow, double inflow, double voltage) const {
    return has_flow_ ? model::thrust_in_flow(thrust_, rest_->axial, pace(state, voltage), flow, inflow)
                     : force(state, inflow, voltage);
  }
  double shaft_speed(double state) const { return has_shaft_ ? speed_of(state) : nan_; }  ///< rad/s or NaN
  /// Current of a motor, or by the map's curve over the force [A]; NaN if neither is given.
  double current(double state, double target, double inflow, double voltage) const;

  const Vec6& column() const { return column_; }  ///< of the allocation matrix, [e; r x e]

 private:
  static constexpr double nan_ = nan;
  /// Of a propeller, rad/s.
  double speed_of(double state) const {
    return lags_thrust_ ? model::propeller_speed(thrust_, state, 0) : state;
  }
  /// What the flow follows.
  double pace(double state, double voltage) const {
    if (has_shaft_) return speed_of(state);
    const double settled = lags_command_ ? force_of_state(state, voltage) : state;
    return std::copysign(std::sqrt(std::abs(settled)), settled);
  }
  /// Of a state that is a command.
  double force_of_state(double state, double voltage) const;

  /// What few thrusters need at each stage of a step, and none where hundreds are to stay in the cache.
  struct Rest {
    model::MotorRates motor;
    double k_t = nan_, resistance = nan_;  // of a motor that is known to its last number
    model::AxialFlow axial;
    model::ForceRange limit;                // of the file's `force`, or none
    std::optional<model::ThrusterMap> map;  // none: the command is the force
  };

  bool has_state_ = false, has_shaft_ = false, is_motor_ = false, has_current_ = false, has_flow_ = false;
  bool lags_thrust_ = false;                   // of a propeller: the lag is behind its law
  bool lags_command_ = false;                  // of a map without shaft: the lag is before it
  double rate_ = 0, flow_rate_ = 0;            // 1 / time constant
  model::ThrustSides thrust_{{1, 0}, {1, 0}};  // of the root of a force it is the force
  Vec6 column_;
  std::shared_ptr<const Rest> rest_;
};

}  // namespace fathom::dynamics
