#pragma once
#include <cmath>
#include <optional>

#include "fathom/base/constants.hpp"
#include "fathom/geometry/types.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::dynamics {

/// One thruster of one robot in water of one density, ready to be evaluated: docs/model.md eqs. 25 to 33.
/// Immutable; threads share it; nothing here allocates after it is made.
///
/// A simulator calls `target` once per command and, at each stage of a step, `state_rate` and `force` with the
/// state that it integrates. Without a transient (`has_state` is false) the target itself is the state.
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
  bool has_shaft() const { return has_shaft_; }  ///< the state is a shaft speed [rad/s], else a force [N]
  static double resting_state() { return 0; }
  /// What the state goes to: a shaft speed, a force, or with a motor its voltage.
  double target(double command, double voltage) const;
  /// docs/model.md eqs. 30, 31. The inflow's share of the propeller's torque is left out, as Nielsen 2019,
  /// eq. 5.13 does, so that nothing depends on `inflow` yet.
  double state_rate(double state, double target, [[maybe_unused]] double inflow) const {
    if (!is_motor_) return (target - state) * rate_;
    return (target - motor_.k_t * state) * volt_rate_ - (friction_rate_ + drag_rate_ * std::abs(state)) * state;
  }
  /// Of the transient at this state [1/s]: how stiff it is. 0 without one.
  double fastest_rate(double state) const {
    if (!is_motor_) return rate_;
    return motor_.k_t * volt_rate_ + friction_rate_ + 2 * drag_rate_ * std::abs(state);
  }
  double force(double state, double inflow) const {
    return has_shaft_ ? model::propeller_thrust(thrust_, state, inflow) : state;
  }
  double shaft_speed(double state) const { return has_shaft_ ? state : nan_; }  ///< rad/s; NaN if unknown
  /// Current of a motor, or by the map's curve over the force [A]; NaN if neither is given.
  double current(double state, double target, double inflow = 0) const;

  const Vec6& column() const { return column_; }  ///< of the allocation matrix, [e; r x e]

 private:
  static constexpr double nan_ = nan;

  bool has_state_ = false, has_shaft_ = false, is_motor_ = false, has_current_ = false;
  double rate_ = 0;  // 1 / time constant
  model::ThrustCoefficients thrust_;
  double volt_rate_ = 0, friction_rate_ = 0, drag_rate_ = 0;  // eq. 31 divided by the inertia
  model::DcMotor motor_;
  Vec6 column_;
  model::ForceRange limit_;                // of the file's `force`, or none
  std::optional<model::ThrusterMap> map_;  // none: the command is the force
};

}  // namespace fathom::dynamics
