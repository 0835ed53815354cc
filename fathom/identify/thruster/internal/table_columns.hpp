#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "fathom/identify/thruster/bollard_table.hpp"

namespace fathom::identify::internal {

struct ColumnUnit {
  std::string_view name;
  double in_si;
  double most;  ///< in this unit: no thruster, supply or towing tank has a larger magnitude
};

/// What a column of a thruster's table may be.
struct ColumnRole {
  std::string_view name;
  std::vector<std::string_view> words;  ///< of a header, lower case
  std::vector<ColumnUnit> units;
  std::string_view hint;
};
const std::vector<ColumnRole>& column_roles();

/// Throws InputError for a role that there is not.
void check_column_choice(const ColumnChoice& choice);

struct RoleColumn {
  Eigen::Index column;
  ColumnUnit unit;
  Eigen::VectorXd si(const log::NumberTable& table) const { return unit.in_si * table.values.col(column); }
};
/// The chosen column, else the first whose name says so. Throws InputError for a unit that is not known and,
/// where the role is `required`, for no such column.
std::optional<RoleColumn> find_column(const log::NumberTable& table, std::string_view role,
                                      const ColumnChoice& choice, bool required);
/// Throws InputError for commands that cannot have their unit.
model::CommandUnit command_unit(const log::NumberTable& table, const RoleColumn& found);

}  // namespace fathom::identify::internal
