#pragma once
#include <optional>
#include <string>

#include "fathom/identify/thruster/bollard_table.hpp"

namespace fathom::identify {

/// A run on a bench in still water: commands in time, each held until the next, and what came of them.
struct StepRun {
  std::string name;                            ///< of the file
  Eigen::VectorXd times;                       ///< s, rising
  Eigen::VectorXd commands;                    ///< in the unit of the bollard table
  std::optional<Eigen::VectorXd> speeds = {};  ///< rad/s, magnitudes
  std::optional<Eigen::VectorXd> forces = {};  ///< N
};
/// Columns are found as those of a bollard table; `time` is one more role. Throws InputError for fewer than 20
/// rows, a time that does not rise, commands of another unit, or neither speed nor force.
StepRun step_run(const log::NumberTable& table, const ColumnChoice& choice, model::CommandUnit unit);

}  // namespace fathom::identify
