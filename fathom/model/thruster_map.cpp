#include "fathom/model/thruster_map.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "fathom/base/sign.hpp"

namespace fathom::model {
namespace {

// ---- one side of a PolynomialPair or LinearQuadratic: force c_1 x + ... + c_5 x^5 at x >= 0 beyond `edge`

struct Side {
  std::array<double, 5> c{};
  double edge = 0;    ///< of the dead band
  double length = 0;  ///< from the edge to the end of the command range
};

double value(const std::array<double, 5>& c, double x) {
  return x * (c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4]))));
}

double slope(const std::array<double, 5>& c, double x) {
  return c[0] + x * (2 * c[1] + x * (3 * c[2] + x * (4 * c[3] + x * 5 * c[4])));
}

/// In reverse x and the force both change their sign.
Side side_of(const PolynomialPair& law, const Command& range, bool forward) {
  if (forward) return {law.forward, law.dead_band.max, range.max - law.dead_band.max};
  const auto& c = law.reverse;
  return {{c[0], -c[1], c[2], -c[3], c[4]}, law.dead_band.min, law.dead_band.min - range.min};
}

Side side_of(const LinearQuadratic& law, const Command& range, bool forward) {
  const DeadBand band = law.dead_band.value_or(DeadBand{range.neutral, range.neutral});
  const LinearQuadratic::Gains gains = forward ? law.forward : law.reverse.value_or(law.forward);
  return {{gains.linear, gains.quadratic, 0, 0, 0},
          forward ? band.max : band.min,
          forward ? range.max - band.max : band.min - range.min};
}

template <class Law>
double two_sided_force(const Law& law, const Command& range, double command) {
  const Side forward = side_of(law, range, true);
  if (command > forward.edge) return value(forward.c, command - forward.edge);
  const Side reverse = side_of(law, range, false);
  if (command < reverse.edge) return -value(reverse.c, reverse.edge - command);
  return std::isnan(command) ? command : 0;
}

/// K_L x + K_Q x^2 = f by the formula that does not cancel.
double solve_quadratic(double linear, double quadratic, double f) {
  return 2 * f / (linear + std::sqrt(std::max(0.0, linear * linear + 4 * quadratic * f)));
}

/// x in [0, length] with value(c, x) = f, for c that does not fall there and 0 < f < value(c, length): Newton's
/// method inside a bracket that every step shrinks, from the parabola with the same slope at 0 and the same
/// end.
double solve_increasing(const std::array<double, 5>& c, double length, double f) {
  double low = 0, high = length;
  double x = solve_quadratic(c[0], (value(c, length) / length - c[0]) / length, f);
  if (!(x > low && x < high)) x = 0.5 * length;
  for (int k = 0; k < 200; ++k) {
    const double s = slope(c, x), residual = value(c, x) - f;
    if (residual == 0) return x;
    (residual < 0 ? low : high) = x;
    double next = s > 0 ? x - residual / s : low;
    const bool inside = next > low && next < high;
    // A step of Newton's doubles the digits; where the slope vanishes it still shrinks the residual.
    if (std::abs(residual) <= 1e-10 * f) return inside ? next : x;
    if (!inside) next = 0.5 * (low + high);
    if (next == x) return x;
    x = next;
  }
  return x;
}

double solve(const PolynomialPair&, const Side& side, double f) {
  return solve_increasing(side.c, side.length, f);
}
double solve(const LinearQuadratic&, const Side& side, double f) {
  return solve_quadratic(side.c[0], side.c[1], f);
}

template <class Law>
double two_sided_command(const Law& law, const Command& range, double force) {
  if (force == 0) return range.neutral;
  const bool forward = force > 0;
  const Side side = side_of(law, range, forward);
  const double f = std::abs(force), most = value(side.c, side.length);
  if (std::isnan(force)) return force;
  if (!(most > 0)) return range.neutral;
  const double x = f >= most ? side.length : std::min(side.length, solve(law, side, f));
  return std::clamp(forward ? side.edge + x : side.edge - x, range.min, range.max);
}

// ---- tables

/// A row of a table at one voltage: entries of two rows in the given shares.
struct ForceRow {
  const std::vector<double>*a, *b;
  double share_b;
  double operator[](std::size_t k) const { return (*a)[k] + share_b * ((*b)[k] - (*a)[k]); }
};

ForceRow row_at(const ForceTable& table, double voltage) {
  const std::vector<double>& v = table.voltages;
  if (!(voltage > v.front())) return {&table.forces.front(), &table.forces.front(), 0};  // NaN too
  if (voltage >= v.back()) return {&table.forces.back(), &table.forces.back(), 0};
  const auto k = static_cast<std::size_t>(std::upper_bound(v.begin(), v.end(), voltage) - v.begin());
  return {&table.forces[k - 1], &table.forces[k], (voltage - v[k - 1]) / (v[k] - v[k - 1])};
}

/// A stretch between two points: y = f0 + x (d0 + x (c2 + x c3)), x from its first point on.
struct Stretch {
  double f0, d0, c2, c3, length;
  double at(double x) const { return f0 + x * (d0 + x * (c2 + x * c3)); }
  double slope(double x) const { return d0 + x * (2 * c2 + x * 3 * c3); }
};

/// The slope at the first of three points, of which the first two have the secant m0 over h0: by the parabola
/// through all, but with the sign of m0 and no steeper than three times it (Fritsch and Butland 1984).
double end_slope(double h0, double m0, double h1, double m1) {
  const double slope = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1);
  return std::clamp(slope, 0.0, 3 * m0);
}

/// The cubic between points k and k + 1 that does not fall where the points do not: docs/model.md eq. 29a. A
/// level stretch, such as a dead band, is one piece and what rises beside it another: the corner between them
/// stays. The stretch around a neutral command that is no point stays straight, so that it gives nothing there.
Stretch stretch_at(const std::vector<double>& x, const ForceRow& row, double neutral, std::size_t k) {
  const auto step = [&](std::size_t i) { return x[i + 1] - x[i]; };
  const auto secant = [&](std::size_t i) { return (row[i + 1] - row[i]) / step(i); };
  const auto bends = [&](std::size_t i) {  // rises, and is no straight stretch around neutral
    return i + 1 < x.size() && row[i + 1] > row[i] && !(x[i] < neutral && neutral < x[i + 1]);
  };
  const double h = step(k), m = secant(k);
  if (!bends(k)) return {row[k], m, 0, 0, h};
  const bool before = k > 0 && bends(k - 1), after = bends(k + 1);
  const auto inner = [&](std::size_t i) {  // at point i + 1: weighted harmonic mean of both secants
    const double w1 = 2 * step(i + 1) + step(i), w2 = step(i + 1) + 2 * step(i);
    return (w1 + w2) / (w1 / secant(i) + w2 / secant(i + 1));
  };
  const double d0 = before ? inner(k - 1) : after ? end_slope(h, m, step(k + 1), secant(k + 1)) : m;
  const double d1 = after ? inner(k) : before ? end_slope(h, m, step(k - 1), secant(k - 1)) : m;
  return {row[k], d0, (3 * m - 2 * d0 - d1) / h, (d0 + d1 - 2 * m) / (h * h), h};
}

double interpolate(const std::vector<double>& commands, const ForceRow& row, double neutral, double command) {
  if (!(command > commands.front())) return std::isnan(command) ? command : row[0];
  if (command >= commands.back()) return row[commands.size() - 1];
  const auto k =
      static_cast<std::size_t>(std::upper_bound(commands.begin(), commands.end(), command) - commands.begin());
  return stretch_at(commands, row, neutral, k - 1).at(command - commands[k - 1]);
}

/// x within the stretch where it is `wanted`, which lies between its ends: Newton's steps inside a bracket.
double invert(const Stretch& stretch, double wanted) {
  double low = 0, high = stretch.length;
  double x = high * (wanted - stretch.f0) / (stretch.at(high) - stretch.f0);
  for (int k = 0; k < 100; ++k) {
    const double residual = stretch.at(x) - wanted;
    if (residual == 0) break;
    (residual < 0 ? low : high) = x;
    const double slope = stretch.slope(x);
    double next = slope > 0 ? x - residual / slope : low;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - x) <= 1e-15 * stretch.length) break;
    x = next;
  }
  return x;
}

/// The command nearest neutral that gives `wanted`.
double invert(const std::vector<double>& commands, const ForceRow& row, const Command& range, double wanted) {
  if (std::isnan(wanted)) return wanted;
  if (wanted == 0) return range.neutral;
  const double least = interpolate(commands, row, range.neutral, range.min),
               most = interpolate(commands, row, range.neutral, range.max);
  if (wanted > 0 ? !(most > 0) : !(least < 0)) return range.neutral;
  wanted = std::clamp(wanted, least, most);
  std::size_t low = 0, high = commands.size() - 1;  // row[low] <= wanted <= row[high]
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    const bool go_left = wanted > 0 ? row[middle] >= wanted : row[middle] > wanted;
    (go_left ? high : low) = middle;
  }
  const Stretch stretch = stretch_at(commands, row, range.neutral, low);
  const double end = stretch.length;
  const double x = !(row[high] > row[low]) ? (wanted > 0 ? 0.0 : end)
                   : wanted <= row[low]    ? 0
                   : wanted >= row[high]   ? end
                                           : invert(stretch, wanted);
  return std::clamp(commands[low] + x, range.min, range.max);
}

/// w = gain x is f = K_L x with another name.
LinearQuadratic as_quadratic(const LinearShaft& shaft) {
  return {{shaft.gain, 0}, std::nullopt, shaft.dead_band};
}

}  // namespace

std::string_view name_of(CommandUnit unit) {
  switch (unit) {
    case CommandUnit::normalized: return "normalized";
    case CommandUnit::pwm_us: return "pwm_us";
    case CommandUnit::volt: return "volt";
    case CommandUnit::rad_s: return "rad_s";
    case CommandUnit::newton: return "newton";
  }
  return "";
}

std::string_view name_of(ActsOn acts_on) { return acts_on == ActsOn::shaft ? "shaft" : "force"; }

ActsOn acts_on_of(const std::optional<ThrusterMap>& map, const FirstOrder& lag) {
  const bool has_shaft = map && std::holds_alternative<Propeller>(map->law);
  return lag.acts_on.value_or(has_shaft ? ActsOn::shaft : ActsOn::force);
}

std::string_view symbol_of(CommandUnit unit) {
  switch (unit) {
    case CommandUnit::normalized: return "";
    case CommandUnit::pwm_us: return "us";
    case CommandUnit::volt: return "V";
    case CommandUnit::rad_s: return "rad/s";
    case CommandUnit::newton: return "N";
  }
  return "";
}

double force_of_command(const ThrusterMap& map, double command, double voltage) {
  command = std::clamp(command, map.command.min, map.command.max);
  if (const auto* pair = std::get_if<PolynomialPair>(&map.law))
    return two_sided_force(*pair, map.command, command);
  if (const auto* quadratic = std::get_if<LinearQuadratic>(&map.law))
    return two_sided_force(*quadratic, map.command, command);
  const auto& table = std::get<ForceTable>(map.law);
  return interpolate(table.commands, row_at(table, voltage), map.command.neutral, command);
}

double command_of_force(const ThrusterMap& map, double force, double voltage) {
  if (const auto* pair = std::get_if<PolynomialPair>(&map.law))
    return two_sided_command(*pair, map.command, force);
  if (const auto* quadratic = std::get_if<LinearQuadratic>(&map.law))
    return two_sided_command(*quadratic, map.command, force);
  const auto& table = std::get<ForceTable>(map.law);
  return invert(table.commands, row_at(table, voltage), map.command, force);
}

double shaft_speed_of_command(const Propeller& propeller, const Command& range, double command) {
  command = std::clamp(command, range.min, range.max);
  if (std::holds_alternative<DirectShaft>(propeller.shaft)) return command;
  if (const auto* shaft = std::get_if<LinearShaft>(&propeller.shaft))
    return two_sided_force(as_quadratic(*shaft), range, command);
  if (const auto* shaft = std::get_if<PowerShaft>(&propeller.shaft)) {
    const double x = command - range.neutral;
    return x == 0 ? 0
                  : sign_of(x) * std::max(0.0, shaft->a * std::pow(std::abs(x), shaft->exponent) + shaft->c);
  }
  const auto& shaft = std::get<TableShaft>(propeller.shaft);
  return interpolate(shaft.commands, {&shaft.speeds, &shaft.speeds, 0}, range.neutral, command);
}

double command_of_shaft_speed(const Propeller& propeller, const Command& range, double speed) {
  if (std::holds_alternative<DirectShaft>(propeller.shaft)) return std::clamp(speed, range.min, range.max);
  if (const auto* shaft = std::get_if<LinearShaft>(&propeller.shaft))
    return two_sided_command(as_quadratic(*shaft), range, speed);
  if (const auto* shaft = std::get_if<PowerShaft>(&propeller.shaft)) {
    if (speed == 0) return range.neutral;
    const double end = shaft_speed_of_command(propeller, range, speed > 0 ? range.max : range.min);
    if (std::abs(speed) >= std::abs(end)) return end == 0 ? range.neutral : speed > 0 ? range.max : range.min;
    const double x = std::pow((std::abs(speed) - shaft->c) / shaft->a, 1 / shaft->exponent);
    return std::clamp(range.neutral + sign_of(speed) * x, range.min, range.max);
  }
  const auto& shaft = std::get<TableShaft>(propeller.shaft);
  return invert(shaft.commands, {&shaft.speeds, &shaft.speeds, 0}, range, speed);
}

ThrustCoefficients thrust_coefficients(const Propeller& propeller, double density) {
  if (const auto* T = std::get_if<ThrustCoefficients>(&propeller.thrust)) return *T;
  // docs/model.md eq. 28. n = w / 2 pi in rev/s gives the 4 pi^2 and, with J = u_a / (n D), the 2 pi.
  const auto& open = std::get<OpenWater>(propeller.thrust);
  const double cube = density * open.diameter * open.diameter * open.diameter, turn = 2 * std::numbers::pi;
  return {cube * open.diameter * open.alpha0 / (turn * turn), cube * open.alpha1 / turn};
}

double propeller_speed(const ThrustCoefficients& T, double thrust, double inflow) {
  if (thrust == 0) return 0;
  // T_ww s^2 + b s = |thrust| for s = |w|: the positive root, by the formula that does not cancel.
  const double sign = sign_of(thrust), b = sign * T.wu * inflow;
  const double root = std::sqrt(b * b + 4 * T.ww * std::abs(thrust));
  return sign * (b > 0 ? 2 * std::abs(thrust) / (b + root) : (root - b) / (2 * T.ww));
}

ThrustSides thrust_sides(const Propeller& propeller, double density) {
  const ThrustCoefficients forward = thrust_coefficients(propeller, density);
  return {forward, propeller.reverse.value_or(forward)};
}

double thrust_in_flow(const ThrustSides& T, const AxialFlow& axial, double speed, double flow, double inflow) {
  const double braked = axial.stopped_drag * T.of(flow).ww * std::max(0.0, flow * flow - speed * speed);
  return propeller_thrust(T, speed, inflow) + axial.share * T.of(speed).ww * std::abs(speed) * (speed - flow) -
         sign_of(flow) * braked;
}

DcMotor MotorRates::motor(double k_t, double resistance) const {
  const double inertia = k_t / (resistance * drive), friction = linear * inertia - k_t * k_t / resistance;
  if (!(inertia > 0) || friction < 0)
    reject("motor",
           fmt::format("has inertia {:.3g} kg m^2 and friction {:.3g} N m s with this k_t and resistance",
                       inertia, friction),
           "are they of this motor, and is the voltage that at its terminals?");
  return {inertia, k_t, resistance, k_t, friction, quadratic * inertia};
}

MotorRates rates_of(const DcMotor& motor) {
  const double drive = motor.k_q / (motor.resistance * motor.inertia);
  return {drive, drive * motor.k_t + motor.k_f1 / motor.inertia, motor.Q_ww / motor.inertia};
}

std::optional<MotorRates> motor_rates(const std::optional<Transient>& transient) {
  if (!transient) return std::nullopt;
  if (const auto* motor = std::get_if<DcMotor>(&transient->law)) return rates_of(*motor);
  if (const auto* rates = std::get_if<MotorRates>(&transient->law)) return *rates;
  return std::nullopt;
}

double steady_motor_speed(const MotorRates& motor, double voltage) {
  // docs/model.md eq. 32, divided by the inertia; a load without a linear part would make it 0 / 0 at rest
  if (voltage == 0) return 0;
  return sign_of(voltage) * solve_quadratic(motor.linear, motor.quadratic, motor.drive * std::abs(voltage));
}

double steady_motor_voltage(const MotorRates& motor, double speed) {
  return (motor.linear + motor.quadratic * std::abs(speed)) * speed / motor.drive;
}

ForceRange attained_force(const ThrusterMap& map, const std::optional<Transient>& transient, double density) {
  const auto* propeller = std::get_if<Propeller>(&map.law);
  const auto* table = std::get_if<ForceTable>(&map.law);
  const std::optional<MotorRates> motor = motor_rates(transient);
  const auto at = [&](double command) {
    if (!propeller) return force_of_command(map, command, table ? table->voltages.back() : 0);
    const double w =
        motor ? steady_motor_speed(*motor, command) : shaft_speed_of_command(*propeller, map.command, command);
    return propeller_thrust(thrust_sides(*propeller, density), w, 0);
  };
  return {at(map.command.min), at(map.command.max)};
}

}  // namespace fathom::model
