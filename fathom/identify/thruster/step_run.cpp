#include "fathom/identify/thruster/step_run.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/identify/thruster/internal/table_columns.hpp"

namespace fathom::identify {
namespace {

constexpr Eigen::Index fewest_step_rows = 20;

void check_step_times(const log::NumberTable& table, const Eigen::VectorXd& times) {
  if (times.size() < fewest_step_rows)
    reject(table.file, 0, "", fmt::format("has {} rows, must have {} or more", times.size(), fewest_step_rows));
  for (Eigen::Index k = 1; k < times.size(); ++k)
    if (!(times[k] > times[k - 1]))
      reject(table.file, 0, "",
             fmt::format("time {:g} s comes after {:g} s, must rise", times[k], times[k - 1]),
             "sort the rows; of two at one time leave one out");
}

}  // namespace

StepRun step_run(const log::NumberTable& table, const ColumnChoice& choice, model::CommandUnit unit) {
  internal::check_column_choice(choice);
  const auto time = internal::find_column(table, "time", choice, true);
  const auto command = internal::find_column(table, "command", choice, true);
  const auto speed = internal::find_column(table, "speed", choice, false);
  const auto force = internal::find_column(table, "force", choice, !speed);
  if (const model::CommandUnit got = internal::command_unit(table, *command); got != unit)
    reject(table.file, table.has_header ? 1 : 0, "",
           fmt::format("has commands in {}, the bollard table in {}", name_of(got), name_of(unit)));
  StepRun run{std::filesystem::path(table.file).filename().string(), time->si(table), command->si(table)};
  check_step_times(table, run.times);
  if (speed) run.speeds = speed->si(table).cwiseAbs();
  if (force) run.forces = force->si(table);
  return run;
}

}  // namespace fathom::identify
