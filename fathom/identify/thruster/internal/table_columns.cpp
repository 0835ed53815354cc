#include "fathom/identify/thruster/internal/table_columns.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/log/far_values.hpp"

namespace fathom::identify::internal {
namespace {

using model::CommandUnit;

constexpr double kilogram_force = 9.80665;  // N
constexpr double full_turn = 2 * std::numbers::pi;
constexpr double knot = 1852.0 / 3600;  // m/s

std::string lower_case(std::string_view text) {
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
    return {lower_case(stem), name.substr(open + 1, close == std::string::npos ? close : close - open - 1)};
  }
  const std::size_t line = name.rfind('_');
  if (line != std::string::npos) return {lower_case(name.substr(0, line)), name.substr(line + 1)};
  return {lower_case(name), ""};
}

const ColumnUnit* unit_of(const ColumnRole& role, const std::string& name) {
  const auto found = std::find_if(role.units.begin(), role.units.end(), [&](const ColumnUnit& unit) {
    return lower_case(unit.name) == lower_case(name);
  });
  return found == role.units.end() ? nullptr : &*found;
}

RoleColumn with_unit(const log::NumberTable& table, const ColumnRole& role, Eigen::Index column,
                     const std::string& unit) {
  if (const ColumnUnit* known = unit_of(role, unit)) return {column, *known};
  std::vector<std::string_view> names;
  for (const ColumnUnit& one : role.units) names.push_back(one.name);
  const std::string& name = table.names[static_cast<std::size_t>(column)];
  reject(table.file, table.has_header ? 1 : 0, "",
         unit.empty() ? fmt::format("column {} has no unit", in_quotes(name))
                      : fmt::format("column {} has the unit {}", in_quotes(name), in_quotes(unit)),
         fmt::format("units of {} are {}: name it {}, or --column {}", role.name, join(names, ", "),
                     in_quotes(role.hint), in_quotes(fmt::format("{}={}:{}", role.name, name, names.front()))));
}

std::optional<RoleColumn> column_of(const log::NumberTable& table, const ColumnRole& role,
                                    const ColumnChoice& choice) {
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

/// A cell that is far outside all others; of pulse widths also one that is none.
void check_outermost(const log::NumberTable& table, const RoleColumn& column) {
  const auto values = table.values.col(column.column);
  const std::string unit(column.unit.name), hint = "a slip? Mend it, or leave the line out";
  const std::string& name = table.names[static_cast<std::size_t>(column.column)];
  log::FarValues outermost;
  for (Eigen::Index row = 0; row < values.size(); ++row) outermost.add(values[row], table.line(row));
  if (const log::FarValues::Found found = outermost.found(); !found.far.empty())
    reject(table.file, found.far.front().line, name,
           fmt::format("= {:g} {}, {}", found.far.front().value, unit, found.others(unit)), hint);
  constexpr double least_neutral = 500;  // us; where a command counts from neutral, its mean is less
  if (unit != "us" || values.size() == 0 || values.mean() < least_neutral) return;
  for (Eigen::Index row = 0; row < values.size(); ++row)
    if (values[row] <= 0)
      reject(table.file, table.line(row), name,
             fmt::format("= {:g} us, expected the width of a pulse", values[row]), hint);
}

void check_values(const log::NumberTable& table, const ColumnRole& role, const RoleColumn& column) {
  for (Eigen::Index row = 0; row < table.values.rows(); ++row)
    if (const double value = table.values(row, column.column); !(std::abs(value) <= column.unit.most))
      reject(table.file, table.line(row), table.names[static_cast<std::size_t>(column.column)],
             fmt::format("= {:g} {}, expected a {} of at most {:g} {}", value, column.unit.name, role.name,
                         column.unit.most, column.unit.name),
             "a slip, or another unit? Mend it, or leave the line out");
  if (role.name != "time") check_outermost(table, column);  // a run looks at its clock itself
}

}  // namespace

const std::vector<ColumnRole>& column_roles() {
  static const std::vector<ColumnRole> list = {
      {"command",
       {"command", "pwm", "throttle"},
       {{"us", 1, 1e4}, {"V", 1, 2e3}, {"rad/s", 1, 1e5}, {"1", 1, 1e9}},
       "pwm [us]"},
      {"force",
       {"force", "thrust"},
       {{"N", 1, 1e7},
        {"kgf", kilogram_force, 1e6},
        {"gf", kilogram_force / 1000, 1e9},
        {"lbf", 4.4482216152605, 2e6}},
       "force [N]"},
      {"voltage", {"voltage", "supply"}, {{"V", 1, 1e4}}, "voltage [V]"},
      {"speed",
       {"rpm", "speed"},
       {{"rad/s", 1, 1e5}, {"rpm", full_turn / 60, 1e6}, {"rps", full_turn, 2e4}},
       "speed [rpm]"},
      {"current", {"current"}, {{"A", 1, 1e5}}, "current [A]"},
      {"inflow",
       {"inflow", "advance", "advance speed", "advance_speed", "water speed", "water_speed"},
       {{"m/s", 1, 30}, {"kn", knot, 60}},
       "inflow [m/s]"},
      {"time", {"time", "t"}, {{"s", 1, 1e11}, {"ms", 1e-3, 1e14}}, "time [s]"}};
  return list;
}

void check_column_choice(const ColumnChoice& choice) {
  for (const auto& entry : choice)
    if (std::none_of(column_roles().begin(), column_roles().end(),
                     [&](const ColumnRole& role) { return role.name == entry.first; }))
      reject("--column",
             fmt::format("= {}={}, expected command, force, voltage, speed, current, inflow or time",
                         entry.first, entry.second));
}

std::optional<RoleColumn> find_column(const log::NumberTable& table, std::string_view name,
                                      const ColumnChoice& choice, bool required) {
  const auto role = std::find_if(column_roles().begin(), column_roles().end(),
                                 [&](const ColumnRole& one) { return one.name == name; });
  const std::optional<RoleColumn> found = column_of(table, *role, choice);
  if (found) check_values(table, *role, *found);
  if (!found && required)
    reject(table.file, table.has_header ? 1 : 0, "", fmt::format("there is no column of the {}", name),
           table.has_header
               ? fmt::format("name it {}, or --column {}=NAME:{}", in_quotes(role->hint), name,
                             role->units.front().name)
               : fmt::format("the file has no header: --column {}=1:{}, by the number of the column", name,
                             role->units.front().name));
  return found;
}

CommandUnit command_unit(const log::NumberTable& table, const RoleColumn& found) {
  const auto column = table.values.col(found.column);
  if (found.unit.name == "us") return CommandUnit::pwm_us;
  if (found.unit.name == "V") return CommandUnit::volt;
  if (found.unit.name == "rad/s") return CommandUnit::rad_s;
  if (table.values.rows() > 0 && column.cwiseAbs().maxCoeff() > 1)
    reject(table.file, 0, table.names[static_cast<std::size_t>(found.column)],
           "has commands beyond -1 .. 1, which a command without unit cannot have",
           "microseconds? name it pwm [us]");
  return CommandUnit::normalized;
}

}  // namespace fathom::identify::internal
