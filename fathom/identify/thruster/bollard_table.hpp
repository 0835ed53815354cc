#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fathom/identify/thruster/static_thrust.hpp"
#include "fathom/log/number_table.hpp"

namespace fathom::identify {

/// Which column of a table is what: NAME or NAME:UNIT, by role (command, force, voltage, speed, current,
/// inflow; of a run also time). What is not named is looked for by the header: a name such as "force [kgf]",
/// "Force (N)", "force_kgf", "pwm_us", "rpm".
using ColumnChoice = std::map<std::string, std::string>;

inline constexpr double still_water = 0.005;  ///< m/s: less inflow is none, a carriage at rest

/// A bollard test in SI, one entry for each line; with inflows also a towing test.
struct BollardTable {
  model::CommandUnit unit = model::CommandUnit::normalized;
  Eigen::VectorXd commands;
  Eigen::VectorXd forces;                       ///< N
  std::optional<Eigen::VectorXd> voltages;      ///< V, of the supply
  std::optional<Eigen::VectorXd> speeds;        ///< rad/s, magnitudes
  std::optional<Eigen::VectorXd> currents;      ///< A
  std::optional<Eigen::VectorXd> inflows = {};  ///< m/s, u_a, along positive thrust
  std::vector<std::string> columns = {};        ///< "force: column 'force_kgf' in kgf", for people

  /// Command and force for each voltage, or one entry at 0 V where there is no such column.
  std::map<double, BollardTest> tests() const;
  /// Rows without inflow; all where there is no such column.
  BollardTable in_still_water() const;
};
/// Throws InputError for a role without column, a unit that is not known, or commands that cannot have theirs.
BollardTable bollard_table(const log::NumberTable& table, const ColumnChoice& choice = {});

}  // namespace fathom::identify
