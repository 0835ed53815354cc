#include "fathom/identify/thruster/bollard_table.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/identify/thruster/internal/table_columns.hpp"

namespace fathom::identify {

BollardTable bollard_table(const log::NumberTable& table, const ColumnChoice& choice) {
  internal::check_column_choice(choice);
  BollardTable result;
  for (const internal::ColumnRole& role : internal::column_roles()) {
    if (role.name == "time") continue;
    const bool required = role.name == "command" || role.name == "force";
    const auto found = internal::find_column(table, role.name, choice, required);
    if (!found) continue;
    const Eigen::VectorXd values = found->si(table);
    if (role.name == "command") {
      result.unit = internal::command_unit(table, *found);
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
