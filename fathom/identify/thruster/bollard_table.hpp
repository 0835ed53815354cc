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
  std::vector<int> lines = {};                  ///< of each row in its file; empty where it came from memory

  /// Command and force for each voltage, or one entry at 0 V where there is no such column.
  std::map<double, BollardTest> tests() const;
  /// Rows without inflow; all where there is no such column.
  BollardTable in_still_water() const;
};
/// Throws InputError for a role without column, a unit that is not known, or commands that cannot have theirs.
BollardTable bollard_table(const log::NumberTable& table, const ColumnChoice& choice = {});

/// A row whose force no smooth law through the other rows of its side comes near to.
struct StrangeRow {
  int line = 0;                    ///< of the file; 0 where the table came from memory
  double command = 0;              ///< in the table's unit
  double force = 0, expected = 0;  ///< N, measured, and by the other rows
};

/// At most one row for each side of each voltage in still water and, of a table with inflows and shaft speeds,
/// for each side of it all: that whose force is off a fit to the other rows by over 8 of their standard
/// deviations and over 15 % of their largest force. The fits are a cubic over the command, and T_ww w^2 + T_wu
/// w u (docs/model.md eq. 27). Of fewer than seven rows more than unknowns nothing can be said.
std::vector<StrangeRow> strange_rows(const BollardTable& table, double neutral);

}  // namespace fathom::identify
