#include "fathom/model/internal/thruster_reader.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fathom/base/text.hpp"

namespace fathom::model::internal {
namespace {

using yaml::Field;
using yaml::Map;
using yaml::take_origin;

constexpr std::array<CommandUnit, 5> units = {CommandUnit::normalized, CommandUnit::pwm_us, CommandUnit::volt,
                                              CommandUnit::rad_s, CommandUnit::newton};

double number_or_zero(Map& map, std::string_view name, std::string_view unit) {
  const auto field = map.require(name, unit);
  return field ? field->number(unit).value_or(0) : 0;
}

template <std::size_t count>
std::array<double, count> numbers_or_zero(const std::optional<Field>& field, std::string_view what) {
  std::array<double, count> result{};
  if (!field) return result;
  if (const auto list = field->numbers(count, what)) std::copy(list->begin(), list->end(), result.begin());
  return result;
}

std::vector<double> list_or_empty(const std::optional<Field>& field) {
  if (!field) return {};
  return field->number_list().value_or(std::vector<double>{});
}

std::optional<DeadBand> take_dead_band(Map& map) {
  const auto field = map.take("dead_band");
  if (!field) return std::nullopt;
  const auto ends = numbers_or_zero<2>(field, "[low, high] in the unit of the command");
  return DeadBand{ends[0], ends[1]};
}

Command read_command(const Field& field) {
  Command command;
  Map map(field);
  if (const auto f = map.require("unit", "normalized, pwm_us, volt, rad_s or newton")) {
    const std::string word = f->text().value_or("");
    std::vector<std::string_view> words;
    for (const CommandUnit unit : units) words.push_back(name_of(unit));
    const auto found = std::find(words.begin(), words.end(), word);
    if (found != words.end())
      command.unit = units[static_cast<std::size_t>(found - words.begin())];
    else
      f->error(fmt::format("= {}, expected one of {}", in_quotes(word), join(words, ", ")),
               did_you_mean(word, words));
  }
  const bool is_normalized = command.unit == CommandUnit::normalized;
  const std::string_view what = "[min, max] in the unit of the command";
  if (const auto f = is_normalized ? map.take("range") : map.require("range", what)) {
    const auto ends = numbers_or_zero<2>(f, what);
    command.min = ends[0];
    command.max = ends[1];
  }
  if (const auto f = map.take("neutral")) command.neutral = f->number("").value_or(0);
  map.finish();
  return command;
}

PolynomialPair read_polynomial_pair(const Field& field) {
  PolynomialPair law;
  Map map(field);
  if (!map.has("dead_band")) map.require("dead_band", "[low, high] in the unit of the command");
  law.dead_band = take_dead_band(map).value_or(DeadBand{});
  const std::string_view what = "c_1 ... c_5 of c_1 x + ... + c_5 x^5, x from the edge of the dead band";
  law.forward = numbers_or_zero<5>(map.require("forward", what), what);
  law.reverse = numbers_or_zero<5>(map.require("reverse", what), what);
  map.finish();
  return law;
}

LinearQuadratic read_linear_quadratic(const Field& field) {
  LinearQuadratic law;
  Map map(field);
  const std::string_view what = "[K_L, K_Q] of K_L x + K_Q |x| x";
  const auto forward = numbers_or_zero<2>(map.require("forward", what), what);
  law.forward = {forward[0], forward[1]};
  if (const auto f = map.take("reverse")) {
    const auto reverse = numbers_or_zero<2>(f, what);
    law.reverse = LinearQuadratic::Gains{reverse[0], reverse[1]};
  }
  law.dead_band = take_dead_band(map);
  map.finish();
  return law;
}

/// Exactly one of the names, as an index into them.
template <std::size_t count>
std::optional<std::size_t> which(const Map& map, const Field& field,
                                 const std::array<std::string_view, count>& names) {
  std::optional<std::size_t> found;
  for (std::size_t k = 0; k < count; ++k) {
    if (!map.has(names[k])) continue;
    if (found) {
      field.error(fmt::format("has both {} and {}", names[*found], names[k]), "give one of them");
      return std::nullopt;
    }
    found = k;
  }
  if (!found && field.is_map())
    field.error(fmt::format("has none of the keys {}", join(names, ", ")), "give one of them");
  return found;
}

constexpr std::array<std::string_view, 3> shaft_names = {"linear", "power", "table"};

void read_shaft(const Field& field, Propeller& law) {
  Map map(field);
  const auto kind = which(map, field, shaft_names);
  const auto linear = map.take("linear"), power = map.take("power"), table = map.take("table");
  if (kind == 0) {
    law.shaft = LinearShaft{linear->number("rad/s per unit of the command").value_or(0), take_dead_band(map)};
  } else if (kind == 1) {
    const auto p = numbers_or_zero<3>(power, "[a, exponent, c] of a |x|^exponent + c");
    law.shaft = PowerShaft{p[0], p[1], p[2]};
  } else if (kind == 2) {
    TableShaft shaft;
    Map entries(*table);
    shaft.commands = list_or_empty(entries.require("commands", "increasing"));
    shaft.speeds = list_or_empty(entries.require("speeds", "rad/s, one for each command"));
    entries.finish();
    law.shaft = shaft;
  }
  map.finish();
}

ThrustCoefficients read_coefficients(Map& map) {
  ThrustCoefficients T;
  T.ww = number_or_zero(map, "T_ww", "N s^2");
  if (const auto f = map.take("T_wu")) T.wu = f->number("N s^2/m").value_or(0);
  return T;
}

Propeller read_propeller(const Field& field) {
  Propeller law;
  Map map(field);
  const bool is_open_water = map.has("diameter") || map.has("alpha0") || map.has("alpha1");
  if (is_open_water && (map.has("T_ww") || map.has("T_wu")))
    field.error("has both T_ww and diameter", "give T_ww and T_wu, or diameter, alpha0 and alpha1");
  if (is_open_water) {
    OpenWater open;
    open.diameter = number_or_zero(map, "diameter", "m");
    open.alpha0 = number_or_zero(map, "alpha0", "");
    if (const auto f = map.take("alpha1")) open.alpha1 = f->number("").value_or(0);
    law.thrust = open;
    map.take("T_ww");
    map.take("T_wu");
  } else {
    law.thrust = read_coefficients(map);
    for (const std::string_view name : {"diameter", "alpha0", "alpha1"}) map.take(name);  // known, for hints
  }
  if (const auto f = map.take("reverse")) {
    Map entries(*f);
    law.reverse = read_coefficients(entries);
    entries.finish();
  }
  if (const auto f = map.take("shaft")) read_shaft(*f, law);
  map.finish();
  return law;
}

ForceTable read_table(const Field& field) {
  ForceTable law;
  Map map(field);
  law.commands = list_or_empty(map.require("commands", "increasing, in the unit of the command"));
  law.voltages = list_or_empty(map.require("voltages", "V, increasing; one will do"));
  if (const auto f = map.require("forces", "N, a row for each voltage"))
    for (const Field& row : f->items()) law.forces.push_back(list_or_empty(row));
  map.finish();
  return law;
}

constexpr std::array<std::string_view, 4> map_names = {"polynomial_pair", "linear_quadratic", "propeller",
                                                       "table"};

DcMotor read_dc_motor(const Field& field) {
  DcMotor motor;
  Map map(field);
  motor.inertia = number_or_zero(map, "inertia", "kg m^2");
  motor.k_t = number_or_zero(map, "k_t", "V s/rad");
  motor.resistance = number_or_zero(map, "resistance", "ohm");
  motor.k_q = number_or_zero(map, "k_q", "N m/A");
  motor.k_f1 = number_or_zero(map, "k_f1", "N m s");
  motor.Q_ww = number_or_zero(map, "Q_ww", "N m s^2");
  map.finish();
  return motor;
}

MotorRates read_motor_rates(const Field& field) {
  MotorRates rates;
  Map map(field);
  rates.drive = number_or_zero(map, "drive", "rad/s^2 per V");
  rates.linear = number_or_zero(map, "linear", "1/s");
  rates.quadratic = number_or_zero(map, "quadratic", "1/rad");
  map.finish();
  return rates;
}

AxialFlow read_axial_flow(const Field& field) {
  AxialFlow flow;
  Map map(field);
  flow.share = number_or_zero(map, "share", "");
  flow.time_constant = number_or_zero(map, "time_constant", "s");
  if (const auto f = map.take("stopped_drag")) flow.stopped_drag = f->number("").value_or(0);
  map.finish();
  return flow;
}

}  // namespace

ThrusterMap read_thruster_map(const Field& field) {
  ThrusterMap result;
  Map map(field);
  take_origin(map, result);
  if (const auto f = map.require("command", "unit, range and neutral")) result.command = read_command(*f);
  const auto kind = which(map, field, map_names);
  const auto pair = map.take("polynomial_pair"), quadratic = map.take("linear_quadratic"),
             propeller = map.take("propeller"), table = map.take("table");
  if (kind == 0) result.law = read_polynomial_pair(*pair);
  if (kind == 1) result.law = read_linear_quadratic(*quadratic);
  if (kind == 2) result.law = read_propeller(*propeller);
  if (kind == 3) result.law = read_table(*table);
  if (const auto f = map.take("current"))
    result.current = numbers_or_zero<3>(f, "[i_0, i_1, i_2] of i_0 + i_1 |f| + i_2 f^2 in A");
  map.finish();
  return result;
}

Transient read_transient(const Field& field) {
  Transient result;
  Map map(field);
  take_origin(map, result);
  const auto kind =
      which(map, field, std::array<std::string_view, 3>{"first_order", "dc_motor", "motor_rates"});
  const auto first_order = map.take("first_order"), dc_motor = map.take("dc_motor"),
             rates = map.take("motor_rates");
  if (kind == 0) {
    Map entries(*first_order);
    result.law = FirstOrder{number_or_zero(entries, "time_constant", "s")};
    entries.finish();
  }
  if (kind == 1) result.law = read_dc_motor(*dc_motor);
  if (kind == 2) result.law = read_motor_rates(*rates);
  if (const auto f = map.take("axial_flow")) result.flow = read_axial_flow(*f);
  map.finish();
  return result;
}

}  // namespace fathom::model::internal
