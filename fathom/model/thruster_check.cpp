#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "fathom/model/thruster_map.hpp"

namespace fathom::model {
namespace {

double horner(std::span<const double> c, double t) {
  double sum = 0;
  for (std::size_t k = c.size(); k-- > 0;) sum = sum * t + c[k];
  return sum;
}

/// Where a polynomial changes its sign within (0, 1). Between two neighbouring extrema a polynomial is
/// monotone, so that bisection misses nothing.
std::vector<double> sign_changes(const std::vector<double>& c) {
  if (c.size() < 2) return {};
  std::vector<double> derivative;
  for (std::size_t k = 1; k < c.size(); ++k) derivative.push_back(static_cast<double>(k) * c[k]);
  std::vector<double> edges = sign_changes(derivative);
  edges.insert(edges.begin(), 0.0);
  edges.push_back(1.0);
  std::vector<double> roots;
  for (std::size_t k = 1; k < edges.size(); ++k) {
    double low = edges[k - 1], high = edges[k];
    const double at_low = horner(c, low), at_high = horner(c, high);
    if (!(at_low < 0 && at_high > 0) && !(at_low > 0 && at_high < 0)) {
      if (at_high == 0 && high < 1) roots.push_back(high);
      continue;
    }
    for (int step = 0; step < 100 && high - low > 1e-16; ++step) {
      const double middle = 0.5 * (low + high);
      ((horner(c, middle) < 0) == (at_low < 0) ? low : high) = middle;
    }
    roots.push_back(0.5 * (low + high));
  }
  return roots;
}

constexpr double largest_number = 1e12;  // as check.cpp

class Checker {
 public:
  explicit Checker(std::string key) : key_(std::move(key)) {}

  void error(const std::string& name, std::string message, std::string hint) {
    add_error(findings, key_ + name, std::move(message), std::move(hint));
  }
  bool finite(const std::string& name, double x) {
    if (std::abs(x) <= largest_number) return true;
    error(name, fmt::format("= {}, must be finite and at most {:g}", x, largest_number),
          "measure it, or leave the key out if it is optional");
    return false;
  }
  bool finite(const std::string& name, std::span<const double> list) {
    for (std::size_t k = 0; k < list.size(); ++k)
      if (!finite(fmt::format("{}[{}]", name, k), list[k])) return false;
    return true;
  }
  void positive(const std::string& name, double x, const std::string& hint) {
    if (finite(name, x) && !(x > 0)) error(name, fmt::format("= {}, must be > 0", x), hint);
  }
  void not_negative(const std::string& name, double x, const std::string& hint) {
    if (finite(name, x) && !(x >= 0)) error(name, fmt::format("= {}, must be >= 0", x), hint);
  }

  Findings findings;

 private:
  std::string key_;
};

void check_command(Checker& check, const Command& command) {
  if (!check.finite(".command.range", command.min) || !check.finite(".command.range", command.max) ||
      !check.finite(".command.neutral", command.neutral))
    return;
  if (!(command.min < command.max))
    return check.error(".command.range",
                       fmt::format("= [{}, {}], must be [min, max] with min < max", command.min, command.max),
                       "the commands that the thruster takes");
  if (!(command.min <= command.neutral && command.neutral <= command.max))
    check.error(".command.neutral",
                fmt::format("= {}, must lie within [{}, {}]", command.neutral, command.min, command.max),
                "the command that gives no force; 1500 for most speed controllers in pwm_us");
  if (command.unit == CommandUnit::normalized && (command.min < -1 || command.max > 1))
    check.error(".command.range", fmt::format("= [{}, {}], must lie within [-1, 1]", command.min, command.max),
                "microseconds? then unit: pwm_us");
}

bool check_dead_band(Checker& check, const std::string& name, const DeadBand& band, const Command& command) {
  if (!check.finite(name, band.min) || !check.finite(name, band.max)) return false;
  if (command.min <= band.min && band.min <= command.neutral && command.neutral <= band.max &&
      band.max <= command.max)
    return true;
  check.error(name,
              fmt::format("= [{}, {}], must lie about neutral, {}, within [{}, {}]", band.min, band.max,
                          command.neutral, command.min, command.max),
              "[low, high] in the unit of the command, not counted from neutral");
  return false;
}

/// `c` at x >= 0 counted from `edge`, upwards or, with direction -1, downwards.
void check_rises(Checker& check, const std::string& name, const std::array<double, 5>& c, double edge,
                 double length, double direction) {
  const auto fall = falls_between(c, length);
  if (!fall) return;
  double from = edge + direction * (*fall)[0], to = edge + direction * (*fall)[1];
  if (from > to) std::swap(from, to);
  check.error(name,
              fmt::format("falls between {:.4g} and {:.4g}, must not fall as the command rises", from, to),
              "a fit of high order swings between its points: fit fewer terms, or use a table");
}

void check_law(Checker& check, const PolynomialPair& law, const Command& command) {
  const std::string name = ".polynomial_pair";
  if (!check_dead_band(check, name + ".dead_band", law.dead_band, command)) return;
  if (!check.finite(name + ".forward", law.forward) || !check.finite(name + ".reverse", law.reverse)) return;
  check_rises(check, name + ".forward", law.forward, law.dead_band.max, command.max - law.dead_band.max, 1);
  const auto& c = law.reverse;
  check_rises(check, name + ".reverse", {c[0], -c[1], c[2], -c[3], c[4]}, law.dead_band.min,
              law.dead_band.min - command.min, -1);
}

void check_law(Checker& check, const LinearQuadratic& law, const Command& command) {
  const std::string name = ".linear_quadratic";
  const DeadBand band = law.dead_band.value_or(DeadBand{command.neutral, command.neutral});
  if (law.dead_band && !check_dead_band(check, name + ".dead_band", band, command)) return;
  const auto side = [&](const std::string& key, const LinearQuadratic::Gains& gains, double edge, double length,
                        double direction) {
    if (check.finite(key, gains.linear) && check.finite(key, gains.quadratic))
      check_rises(check, key, {gains.linear, gains.quadratic, 0, 0, 0}, edge, length, direction);
  };
  side(name + ".forward", law.forward, band.max, command.max - band.max, 1);
  side(name + (law.reverse ? ".reverse" : ".forward"), law.reverse.value_or(law.forward), band.min,
       band.min - command.min, -1);
}

bool check_increasing(Checker& check, const std::string& name, const std::vector<double>& list,
                      std::size_t at_least) {
  if (list.size() < at_least) {
    check.error(name, fmt::format("has {} entries, must have {} or more", list.size(), at_least), "");
    return false;
  }
  if (!check.finite(name, list)) return false;
  for (std::size_t k = 1; k < list.size(); ++k)
    if (!(list[k] > list[k - 1])) {
      check.error(fmt::format("{}[{}]", name, k),
                  fmt::format("= {} after {}, must increase", list[k], list[k - 1]),
                  "sort the points; average those with one command");
      return false;
    }
  return true;
}

/// A row of a table: one entry for each command, not falling, zero at neutral.
void check_row(Checker& check, const std::string& name, const std::vector<double>& commands,
               const std::vector<double>& row, const Command& command) {
  if (row.size() != commands.size())
    return check.error(name, fmt::format("has {} entries, there are {} commands", row.size(), commands.size()),
                       "one for each command");
  if (!check.finite(name, row)) return;
  double largest = 0;
  for (std::size_t k = 0; k < row.size(); ++k) {
    largest = std::max(largest, std::abs(row[k]));
    if (k > 0 && row[k] < row[k - 1])
      return check.error(name,
                         fmt::format("falls between {:.4g} and {:.4g}, must not fall as the command rises",
                                     commands[k - 1], commands[k]),
                         "noise of a measurement? smooth it, or leave the point out");
  }
  const auto above = std::upper_bound(commands.begin(), commands.end(), command.neutral);
  const auto k = static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(above - commands.begin(), 1, static_cast<std::ptrdiff_t>(row.size()) - 1));
  const double share = (command.neutral - commands[k - 1]) / (commands[k] - commands[k - 1]);
  const double at_neutral = row[k - 1] + share * (row[k] - row[k - 1]);
  if (std::abs(at_neutral) > 1e-6 * largest)
    check.error(name, fmt::format("gives {:.4g} at neutral, {}, must be 0 there", at_neutral, command.neutral),
                "is neutral right?");
}

bool check_table_commands(Checker& check, const std::string& name, const std::vector<double>& commands,
                          const Command& command) {
  if (!check_increasing(check, name, commands, 2)) return false;
  if (commands.front() <= command.min && command.max <= commands.back()) return true;
  check.error(name,
              fmt::format("spans [{}, {}], must span the command range [{}, {}]", commands.front(),
                          commands.back(), command.min, command.max),
              "nothing is extrapolated: narrow the range");
  return false;
}

void check_law(Checker& check, const ForceTable& law, const Command& command) {
  const std::string name = ".table";
  const bool commands = check_table_commands(check, name + ".commands", law.commands, command);
  if (!check_increasing(check, name + ".voltages", law.voltages, 1) || !commands) return;
  if (law.forces.size() != law.voltages.size())
    return check.error(
        name + ".forces",
        fmt::format("has {} rows, there are {} voltages", law.forces.size(), law.voltages.size()),
        "a row for each voltage");
  for (std::size_t v = 0; v < law.forces.size(); ++v)
    check_row(check, fmt::format("{}.forces[{}]", name, v), law.commands, law.forces[v], command);
}

void check_shaft(Checker& check, const Propeller& law, const Command& command) {
  const std::string name = ".propeller.shaft";
  if (const auto* shaft = std::get_if<LinearShaft>(&law.shaft)) {
    check.positive(name + ".linear", shaft->gain, "rad/s per unit of the command");
    if (shaft->dead_band) check_dead_band(check, name + ".dead_band", *shaft->dead_band, command);
  } else if (const auto* power = std::get_if<PowerShaft>(&law.shaft)) {
    const std::array<double, 3> numbers = {power->a, power->exponent, power->c};
    if (!check.finite(name + ".power", numbers)) return;
    const bool grows = power->a > 0 && power->exponent > 0 && power->c <= 0;
    const bool saturates = power->a < 0 && power->exponent < 0 && power->c > 0;
    if (!grows && !saturates)
      check.error(
          name + ".power",
          fmt::format("= [{}, {}, {}] does not rise from zero, must be [a > 0, exponent > 0, c <= 0] or "
                      "[a < 0, exponent < 0, c > 0]",
                      power->a, power->exponent, power->c),
          "speed = a |x|^exponent + c; eq. 5.19 of the thesis has the other sign of the exponent");
  } else if (const auto* table = std::get_if<TableShaft>(&law.shaft)) {
    if (check_table_commands(check, name + ".commands", table->commands, command))
      check_row(check, name + ".speeds", table->commands, table->speeds, command);
  }
}

void check_coefficients(Checker& check, const std::string& name, const ThrustCoefficients& T) {
  check.positive(name + ".T_ww", T.ww, "N s^2, with the shaft speed in rad/s");
  if (check.finite(name + ".T_wu", T.wu) && T.wu > 0)
    check.error(name + ".T_wu", fmt::format("= {}, must be <= 0", T.wu),
                "thrust falls as the inflow along it grows");
}

void check_law(Checker& check, const Propeller& law, const Command& command) {
  if (law.reverse) check_coefficients(check, ".propeller.reverse", *law.reverse);
  if (const auto* T = std::get_if<ThrustCoefficients>(&law.thrust)) {
    check_coefficients(check, ".propeller", *T);
  } else {
    if (law.reverse)
      check.error(".propeller.reverse", "stands beside diameter, must stand beside T_ww",
                  "give T_ww and T_wu of both ways of turning");
    const auto& open = std::get<OpenWater>(law.thrust);
    check.positive(".propeller.diameter", open.diameter, "m");
    check.positive(".propeller.alpha0", open.alpha0, "K_T at rest, such as 0.4");
    if (check.finite(".propeller.alpha1", open.alpha1) && open.alpha1 > 0)
      check.error(".propeller.alpha1", fmt::format("= {}, must be <= 0", open.alpha1),
                  "K_T falls as the advance ratio grows");
  }
  check_shaft(check, law, command);
}

void check_transient_law(Checker& check, const FirstOrder& law) {
  check.positive(".first_order.time_constant", law.time_constant,
                 "s; leave the transient out if there is none");
  if (law.sigma)
    check.not_negative(".first_order.time_constant.sigma", *law.sigma, "s, one standard deviation");
}

void check_transient_law(Checker& check, const DcMotor& motor) {
  const std::string name = ".dc_motor.";
  check.positive(name + "inertia", motor.inertia, "kg m^2");
  check.positive(name + "resistance", motor.resistance, "ohm");
  check.positive(name + "k_q", motor.k_q, "N m/A");
  check.not_negative(name + "k_t", motor.k_t, "V s/rad");
  check.not_negative(name + "k_f1", motor.k_f1, "N m s");
  check.not_negative(name + "Q_ww", motor.Q_ww, "N m s^2");
  if (check.findings.empty() && motor.k_t == 0 && motor.k_f1 == 0 && motor.Q_ww == 0)
    check.error(".dc_motor", "has no load: k_t, k_f1 and Q_ww are all 0", "its speed would grow for ever");
}

void check_transient_law(Checker& check, const MotorRates& motor) {
  const std::string name = ".motor_rates.";
  check.positive(name + "drive", motor.drive, "rad/s^2 per V");
  check.not_negative(name + "linear", motor.linear, "1/s");
  check.not_negative(name + "quadratic", motor.quadratic, "1/rad");
  if (check.findings.empty() && motor.linear == 0 && motor.quadratic == 0)
    check.error(".motor_rates", "has no load: linear and quadratic are both 0",
                "its speed would grow for ever");
}

void check_flow(Checker& check, const AxialFlow& flow) {
  check.not_negative(".axial_flow.share", flow.share, "beta; leave axial_flow out if there is none");
  check.positive(".axial_flow.time_constant", flow.time_constant, "s; leave axial_flow out if there is none");
  check.not_negative(".axial_flow.stopped_drag", flow.stopped_drag, "0 to 1, or leave it out");
}

}  // namespace

std::optional<std::array<double, 2>> falls_between(const std::array<double, 5>& c, double length) {
  std::array<double, 5> scaled{};  // in t = x / length
  std::vector<double> derivative;
  double power = 1, scale = 0;
  for (std::size_t k = 0; k < 5; ++k) {
    scaled[k] = c[k] * (power *= length);
    derivative.push_back(static_cast<double>(k + 1) * scaled[k]);
    scale = std::max(scale, std::abs(scaled[k]));
  }
  std::vector<double> edges = sign_changes(derivative);
  edges.insert(edges.begin(), 0.0);
  edges.push_back(1.0);
  const auto value = [&](double t) { return t * horner(scaled, t); };
  for (std::size_t k = 1; k < edges.size(); ++k)
    if (value(edges[k - 1]) - value(edges[k]) > 1e-12 * scale)
      return std::array<double, 2>{length * edges[k - 1], length * edges[k]};
  return std::nullopt;
}

Findings check_thruster_map(const ThrusterMap& map, const std::optional<Transient>& transient,
                            const std::string& key) {
  Checker check(key);
  check_command(check, map.command);
  if (map.current) {
    check.finite(".current", *map.current);
    if ((*map.current)[0] < 0)
      check.error(".current[0]", fmt::format("= {}, must be >= 0", (*map.current)[0]),
                  "A, of the idle thruster");
  }
  if (!check.findings.empty()) return check.findings;
  std::visit([&](const auto& law) { check_law(check, law, map.command); }, map.law);
  const bool has_motor = motor_rates(transient).has_value();
  const auto* propeller = std::get_if<Propeller>(&map.law);
  const bool is_direct = propeller && std::holds_alternative<DirectShaft>(propeller->shaft);
  if (is_direct && !has_motor && map.command.unit != CommandUnit::rad_s)
    check.error(".propeller",
                fmt::format("has no shaft, so the command must be in rad_s, not {}", name_of(map.command.unit)),
                "add shaft: linear, power or table; or a dc_motor with a command in volt");
  if (is_direct && map.command.neutral != 0)
    check.error(".command.neutral", fmt::format("= {}, must be 0", map.command.neutral),
                "the command is the shaft speed or the voltage itself");
  if (!check.findings.empty()) return check.findings;
  const ForceRange force = attained_force(map, transient, 1000);
  if (!(force.max > force.min))
    check.error("", "gives no force at either end of the command range", "are all coefficients zero?");
  return check.findings;
}

Findings check_transient(const std::optional<ThrusterMap>& map, const Transient& transient,
                         const std::string& key) {
  Checker check(key);
  if (transient.flow) check_flow(check, *transient.flow);
  std::visit([&](const auto& law) { check_transient_law(check, law); }, transient.law);
  const auto* propeller = map ? std::get_if<Propeller>(&map->law) : nullptr;
  const bool takes_motor = propeller && std::holds_alternative<DirectShaft>(propeller->shaft) &&
                           map->command.unit == CommandUnit::volt;
  if (motor_rates(transient) && !takes_motor)
    check.error(std::holds_alternative<DcMotor>(transient.law) ? ".dc_motor" : ".motor_rates",
                "needs a map with a command in volt and a propeller without shaft",
                "the motor makes the shaft speed from the voltage");
  return check.findings;
}

}  // namespace fathom::model
