#include "fathom/identify/bollard_table.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"

namespace fathom::identify {
namespace {

using model::CommandUnit;

struct Unit {
  std::string_view name;
  double in_si;
};
constexpr double gravity = 9.80665;  // m/s^2, of the kilogram-force
constexpr double turn = 2 * std::numbers::pi;
constexpr double knot = 1852.0 / 3600;  // m/s

struct Role {
  std::string_view name;
  std::vector<std::string_view> words;  // of a header, lower case
  std::vector<Unit> units;
  std::string_view hint;
};

const std::vector<Role>& roles() {
  static const std::vector<Role> list = {
      {"command", {"command", "pwm", "throttle"}, {{"us", 1}, {"V", 1}, {"rad/s", 1}, {"1", 1}}, "pwm [us]"},
      {"force",
       {"force", "thrust"},
       {{"N", 1}, {"kgf", gravity}, {"gf", gravity / 1000}, {"lbf", 4.4482216152605}},
       "force [N]"},
      {"voltage", {"voltage", "supply"}, {{"V", 1}}, "voltage [V]"},
      {"speed", {"rpm", "speed"}, {{"rad/s", 1}, {"rpm", turn / 60}, {"rps", turn}}, "speed [rpm]"},
      {"current", {"current"}, {{"A", 1}}, "current [A]"},
      {"inflow",
       {"inflow", "advance", "advance speed", "advance_speed", "water speed", "water_speed"},
       {{"m/s", 1}, {"kn", knot}},
       "inflow [m/s]"}};
  return list;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

struct Named {
  std::string stem, unit;
};

/// "force [kgf]", "Force (N)" or "force_kgf": a stem and a unit.
Named split_name(const std::string& name) {
  const std::size_t open = name.find_first_of("[(");
  if (open != std::string::npos) {
    const std::size_t close = name.find_first_of("])", open);
    const std::string stem = name.substr(0, name.find_last_not_of(' ', open == 0 ? 0 : open - 1) + 1);
    return {lower(stem), name.substr(open + 1, close == std::string::npos ? close : close - open - 1)};
  }
  const std::size_t line = name.rfind('_');
  if (line != std::string::npos) return {lower(name.substr(0, line)), name.substr(line + 1)};
  return {lower(name), ""};
}

const Unit* unit_of(const Role& role, const std::string& name) {
  const auto found = std::find_if(role.units.begin(), role.units.end(),
                                  [&](const Unit& unit) { return lower(unit.name) == lower(name); });
  return found == role.units.end() ? nullptr : &*found;
}

struct Found {
  Eigen::Index column;
  Unit unit;
};

Found with_unit(const log::NumberTable& table, const Role& role, Eigen::Index column, const std::string& unit) {
  if (const Unit* known = unit_of(role, unit)) return {column, *known};
  std::vector<std::string_view> names;
  for (const Unit& one : role.units) names.push_back(one.name);
  const std::string& name = table.names[static_cast<std::size_t>(column)];
  refuse(table.file, table.has_header ? 1 : 0, "",
         unit.empty() ? fmt::format("column {} has no unit", in_quotes(name))
                      : fmt::format("column {} has the unit {}", in_quotes(name), in_quotes(unit)),
         fmt::format("units of {} are {}: name it {}, or --column {}={}:{}", role.name, fmt::join(names, ", "),
                     in_quotes(role.hint), role.name, name, names.front()));
}

std::optional<Found> find_column(const log::NumberTable& table, const Role& role, const ColumnChoice& choice) {
  if (const auto chosen = choice.find(std::string(role.name)); chosen != choice.end()) {
    const std::size_t colon = std::min(chosen->second.rfind(':'), chosen->second.size());
    const Eigen::Index column = table.column(chosen->second.substr(0, colon));
    if (colon < chosen->second.size()) return with_unit(table, role, column, chosen->second.substr(colon + 1));
    const Named named = split_name(table.names[static_cast<std::size_t>(column)]);
    return with_unit(table, role, column, named.stem == "rpm" ? "rpm" : named.unit);
  }
  for (std::size_t k = 0; k < table.names.size(); ++k) {
    const Named named = split_name(table.names[k]);
    if (std::find(role.words.begin(), role.words.end(), named.stem) == role.words.end()) continue;
    return with_unit(table, role, static_cast<Eigen::Index>(k),
                     named.stem == "rpm" && named.unit.empty() ? "rpm" : named.unit);
  }
  return std::nullopt;
}

CommandUnit command_unit(const log::NumberTable& table, const Found& found) {
  const auto column = table.values.col(found.column);
  if (found.unit.name == "us") return CommandUnit::pwm_us;
  if (found.unit.name == "V") return CommandUnit::volt;
  if (found.unit.name == "rad/s") return CommandUnit::rad_s;
  if (table.values.rows() > 0 && column.cwiseAbs().maxCoeff() > 1)
    refuse(table.file, 0, table.names[static_cast<std::size_t>(found.column)],
           "has commands beyond -1 .. 1, which a command without unit cannot have",
           "microseconds? name it pwm [us]");
  return CommandUnit::normalized;
}

}  // namespace

BollardTable bollard_table(const log::NumberTable& table, const ColumnChoice& choice) {
  for (const auto& entry : choice)
    if (std::none_of(roles().begin(), roles().end(),
                     [&](const Role& role) { return role.name == entry.first; }))
      refuse("--column", fmt::format("= {}={}, expected command, force, voltage, speed, current or inflow",
                                     entry.first, entry.second));
  BollardTable result;
  for (const Role& role : roles()) {
    const std::optional<Found> found = find_column(table, role, choice);
    if (!found) {
      if (role.name != "command" && role.name != "force") continue;
      refuse(table.file, table.has_header ? 1 : 0, "", fmt::format("there is no column of the {}", role.name),
             fmt::format("name it {}, or --column {}=NAME:{}", in_quotes(role.hint), role.name,
                         role.units.front().name));
    }
    const Eigen::VectorXd values = found->unit.in_si * table.values.col(found->column);
    if (role.name == "command") {
      result.unit = command_unit(table, *found);
      result.commands = values;
    } else if (role.name == "force") {
      result.forces = values;
    } else if (role.name == "voltage") {
      result.voltages = values;
    } else if (role.name == "speed") {
      result.speeds = values.cwiseAbs();
    } else if (role.name == "current") {
      result.currents = values;
    } else {
      result.inflows = values;
    }
    result.columns.push_back(fmt::format("{}: column {} in {}", role.name,
                                         in_quotes(table.names[static_cast<std::size_t>(found->column)]),
                                         found->unit.name));
  }
  return result;
}

std::map<double, BollardTest> BollardTable::tests() const {
  std::map<double, BollardTest> tests;
  for (Eigen::Index k = 0; k < commands.size(); ++k) {
    BollardTest& test = tests[voltages ? (*voltages)[k] : 0];
    test.commands.push_back(commands[k]);
    test.forces.push_back(forces[k]);
  }
  return tests;
}

BollardTable BollardTable::in_still_water() const {
  if (!inflows) return *this;
  std::vector<Eigen::Index> rows;
  for (Eigen::Index k = 0; k < commands.size(); ++k)
    if (std::abs((*inflows)[k]) < still_water) rows.push_back(k);
  const auto taken = [&](const std::optional<Eigen::VectorXd>& values) -> std::optional<Eigen::VectorXd> {
    if (!values) return std::nullopt;
    return Eigen::VectorXd((*values)(rows));
  };
  return {unit,          commands(rows),  forces(rows),   taken(voltages),
          taken(speeds), taken(currents), taken(inflows), columns};
}

}  // namespace fathom::identify
