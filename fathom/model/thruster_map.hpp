#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fathom/base/error.hpp"

namespace fathom::model {

struct ForceRange {
  double min = 0, max = 0;  ///< N, min < 0 < max for a reversible thruster
  bool operator==(const ForceRange&) const = default;
};

/// What a thruster is told.
enum class CommandUnit { normalized, pwm_us, volt, rad_s, newton };
std::string_view name_of(CommandUnit unit);
/// As a log has it; empty for a number without unit.
std::string_view symbol_of(CommandUnit unit);

struct Command {
  CommandUnit unit = CommandUnit::normalized;
  double min = -1, max = 1, neutral = 0;  ///< what lies outside [min, max] is clamped; neutral gives no force
  bool operator==(const Command&) const = default;
};

/// Commands that give no force.
struct DeadBand {
  double min = 0, max = 0;
  bool operator==(const DeadBand&) const = default;
};

/// Panetsos, section II-B: c_1 x + ... + c_5 x^5 with x counted from the near edge of the dead band, so that
/// the force is zero there; docs/model.md eq. 25.
struct PolynomialPair {
  DeadBand dead_band;
  std::array<double, 5> forward{};  ///< above the dead band, x >= 0
  std::array<double, 5> reverse{};  ///< below it, x <= 0
  bool operator==(const PolynomialPair&) const = default;
};

/// Nielsen 2019, eq. 4.8: K_L x + K_Q |x| x; docs/model.md eq. 26. x is counted from neutral, or from the near
/// edge of the dead band where there is one.
struct LinearQuadratic {
  struct Gains {
    double linear = 0, quadratic = 0;
    bool operator==(const Gains&) const = default;
  };
  Gains forward;
  std::optional<Gains> reverse;  ///< as forward where absent
  std::optional<DeadBand> dead_band;
  bool operator==(const LinearQuadratic&) const = default;
};

/// Thrust of a propeller, T_ww |w| w + T_wu |w| u_a; docs/model.md eq. 27. w in rad/s.
struct ThrustCoefficients {
  double ww = 0;  ///< N s^2
  double wu = 0;  ///< N s^2/m; negative: thrust falls as the inflow grows
  bool operator==(const ThrustCoefficients&) const = default;
};

/// K_T = alpha0 + alpha1 J; docs/model.md eq. 28.
struct OpenWater {
  double diameter = 0;  ///< m
  double alpha0 = 0, alpha1 = 0;
  bool operator==(const OpenWater&) const = default;
};

/// The command is the shaft speed [rad/s], or with a motor its voltage.
struct DirectShaft {
  bool operator==(const DirectShaft&) const = default;
};
/// w = gain x, x as in LinearQuadratic.
struct LinearShaft {
  double gain = 0;
  std::optional<DeadBand> dead_band;
  bool operator==(const LinearShaft&) const = default;
};
/// |w| = max(0, a |x|^exponent + c), x = command - neutral. Nielsen 2019, eq. 5.19, with exponent = -b;
/// docs/model.md eq. 29.
struct PowerShaft {
  double a = 0, exponent = 1, c = 0;
  bool operator==(const PowerShaft&) const = default;
};
/// Measured points, between them as in ForceTable.
struct TableShaft {
  std::vector<double> commands;  ///< increasing
  std::vector<double> speeds;    ///< rad/s, not falling
  bool operator==(const TableShaft&) const = default;
};

struct Propeller {
  std::variant<ThrustCoefficients, OpenWater> thrust;
  std::variant<DirectShaft, LinearShaft, PowerShaft, TableShaft> shaft;
  std::optional<ThrustCoefficients> reverse = {};  ///< of a shaft that turns backwards; as forward where absent
  bool operator==(const Propeller&) const = default;
};

/// Measured forces over command and supply voltage. Between commands a cubic that keeps the shape of the points
/// (docs/model.md eq. 29a), between voltages straight lines. A voltage beyond the first or last counts as that
/// one.
struct ForceTable {
  std::vector<double> commands;             ///< increasing
  std::vector<double> voltages;             ///< V, increasing; one will do
  std::vector<std::vector<double>> forces;  ///< N, a row for each voltage, a column for each command
  bool operator==(const ForceTable&) const = default;
};

/// From a command to a steady force. A thruster without one is commanded in newton.
struct ThrusterMap {
  Command command;
  std::variant<PolynomialPair, LinearQuadratic, Propeller, ForceTable> law;
  /// Supply current i_0 + i_1 |f| + i_2 f^2 [A], where it is known; a DcMotor has its own.
  std::optional<std::array<double, 3>> current;
  std::string source;
  bool assumed = false;
  bool operator==(const ThrusterMap&) const = default;
};

/// What a lag delays: the force behind the static map, or what goes into it, the shaft speed or, where the map
/// has none, the command.
enum class ActsOn { force, shaft };
std::string_view name_of(ActsOn acts_on);

/// A first-order lag; docs/model.md eq. 30.
struct FirstOrder {
  double time_constant = 0;            ///< s
  std::optional<double> sigma = {};    ///< s, one standard deviation of it
  std::optional<ActsOn> acts_on = {};  ///< absent: nobody has said; acts_on_of()
  bool operator==(const FirstOrder&) const = default;
};

/// Nielsen 2019, eq. 5.13; docs/model.md eq. 31. The command is the voltage, the map a propeller.
struct DcMotor {
  double inertia = 0;     ///< kg m^2, J_m, with the water that turns with the propeller
  double k_t = 0;         ///< V s/rad, back-EMF
  double resistance = 0;  ///< ohm
  double k_q = 0;         ///< N m/A
  double k_f1 = 0;        ///< N m s, friction
  double Q_ww = 0;        ///< N m s^2, torque of the propeller
  bool operator==(const DcMotor&) const = default;
};

/// A DcMotor divided by its inertia, docs/model.md eq. 34: voltage and speed tell these three numbers and no
/// more.
struct MotorRates {
  double drive = 0;      ///< rad/s^2 per V, k_q / (R J)
  double linear = 0;     ///< 1/s, (k_q k_t / R + k_f1) / J
  double quadratic = 0;  ///< 1/rad, Q_ww / J

  double acceleration(double volts, double speed) const {
    return drive * volts - (linear + quadratic * (speed < 0 ? -speed : speed)) * speed;
  }
  /// The motor with these rates, k_t [V s/rad] and R [ohm] being known and k_q equal to k_t, as energy has it.
  /// Throws InputError where friction comes out negative: they do not belong to this motor.
  DcMotor motor(double k_t, double resistance) const;
  bool operator==(const MotorRates&) const = default;
};
MotorRates rates_of(const DcMotor& motor);

/// Water that the blades have set in motion (Healey et al. 1995; docs/model.md eqs. 35, 36): until it flows
/// they push harder, and once they stop it pushes them back.
struct AxialFlow {
  double share = 0;          ///< beta
  double time_constant = 0;  ///< s, of the flow towards the shaft speed that it belongs to
  double stopped_drag = 0;   ///< c, of blades slower than the flow
  bool operator==(const AxialFlow&) const = default;
};

/// How the force follows a command. A thruster without one follows at once.
struct Transient {
  std::variant<FirstOrder, DcMotor, MotorRates> law;
  std::string source;
  bool assumed = false;
  std::optional<AxialFlow> flow = {};
  bool operator==(const Transient&) const = default;
};
/// What the lag of a thruster with this map acts on: what the file says, else the shaft speed where the map has
/// one, and the force elsewhere.
ActsOn acts_on_of(const std::optional<ThrusterMap>& map, const FirstOrder& lag);
/// Of a transient with a motor, whichever way it is given.
std::optional<MotorRates> motor_rates(const std::optional<Transient>& transient);

// Maps without a shaft: command to force and back. The command is clamped, and so is the force; of several
// commands for one force the one nearest neutral is meant. `voltage` matters to tables alone.
double force_of_command(const ThrusterMap& map, double command, double voltage);
double command_of_force(const ThrusterMap& map, double force, double voltage);

// Maps with one, except DirectShaft under a motor.
double shaft_speed_of_command(const Propeller& propeller, const Command& range, double command);
double command_of_shaft_speed(const Propeller& propeller, const Command& range, double speed);

/// Of a shaft that turns forward.
ThrustCoefficients thrust_coefficients(const Propeller& propeller, double density);
/// T_ww |w| w + T_wu |w| u_a.
inline double propeller_thrust(const ThrustCoefficients& T, double speed, double inflow) {
  return (speed < 0 ? -speed : speed) * (T.ww * speed + T.wu * inflow);
}
/// The shaft speed of that thrust which turns the way the thrust points (0 for none): where inflow makes the
/// law fall near zero speed, the braking speeds are left out.
double propeller_speed(const ThrustCoefficients& T, double thrust, double inflow);

/// Coefficients of both ways of turning.
struct ThrustSides {
  ThrustCoefficients forward, reverse;
  const ThrustCoefficients& of(double speed) const { return speed < 0 ? reverse : forward; }
};
ThrustSides thrust_sides(const Propeller& propeller, double density);
inline double propeller_thrust(const ThrustSides& T, double speed, double inflow) {
  return propeller_thrust(T.of(speed), speed, inflow);
}
inline double propeller_speed(const ThrustSides& T, double thrust, double inflow) {
  return propeller_speed(T.of(thrust), thrust, inflow);
}
/// What the blades push in water that flows as it does in steady state at the speed `flow` [rad/s];
/// docs/model.md eq. 36. With flow = speed that is propeller_thrust.
double thrust_in_flow(const ThrustSides& T, const AxialFlow& axial, double speed, double flow, double inflow);

/// The speed at which a motor's torque and its load are in balance.
double steady_motor_speed(const MotorRates& motor, double voltage);
double steady_motor_voltage(const MotorRates& motor, double speed);
inline double steady_motor_speed(const DcMotor& motor, double voltage) {
  return steady_motor_speed(rates_of(motor), voltage);
}
inline double steady_motor_voltage(const DcMotor& motor, double speed) {
  return steady_motor_voltage(rates_of(motor), speed);
}

/// Forces at the ends of the command range, in still water, a table at its highest voltage.
ForceRange attained_force(const ThrusterMap& map, const std::optional<Transient>& transient, double density);

/// Where c_1 x + ... + c_5 x^5 falls within [0, length], exactly (the roots of its derivative, not samples).
std::optional<std::array<double, 2>> falls_between(const std::array<double, 5>& c, double length);

/// What is wrong with a map or transient of a thruster that has both; `key` is its own.
Findings check_thruster_map(const ThrusterMap& map, const std::optional<Transient>& transient,
                            const std::string& key);
Findings check_transient(const std::optional<ThrusterMap>& map, const Transient& transient,
                         const std::string& key);

}  // namespace fathom::model
