#include "cli/verbs/excite/excite_arm.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/excite/reading.hpp"

#include "cli/finish.hpp"
#include "cli/ranks.hpp"
#include "cli/terminal/interrupt.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/verbs/excite/excite_arm_result.hpp"
#include "cli/verbs/identify/arm_notes.hpp"

namespace fathom::cli {
namespace {

constexpr double most_rows = 1e6;
constexpr const char* arm_result_files[] = {"trajectory.csv", "trajectory.yaml", "report.html", "summary.json"};

void check_arm_excite_options(const ExciteOptions& options, const excite::ArmProblem& problem, double rate_hz) {
  if (options.waypoint_interval)
    reject("--waypoint-interval", "is of a vehicle's problem, and this is one of an arm", "--rate HZ");
  if (!(rate_hz > 0) || !std::isfinite(rate_hz)) reject("--rate", fmt::format("= {} Hz, must be > 0", rate_hz));
  const double rows = problem.period * rate_hz * options.periods.value_or(1);
  if (!(rows >= 2 * problem.harmonics + 1) || rows > most_rows)
    reject("--rate",
           fmt::format("= {} Hz makes {:.3g} rows in periods of {:g} s, must be {} to {:g}", rate_hz, rows,
                       problem.period, 2 * problem.harmonics + 1, most_rows),
           "samples of a controller, each second");
}

excite::ArmDesign arm_design(const excite::ArmDesigner& designer, WorkerPool& pool, std::uint64_t seed) {
  const excite::ArmProblem& problem = designer.problem();
  Progress progress("designing " + problem.name);
  const auto parameters = static_cast<Eigen::Index>(designer.base().rank());
  excite::SearchOptions options;
  options.seed = seed;
  options.interrupted = was_interrupted;
  options.progress = [&](int ended, double best) {
    const excite::Reading reading = excite::reading_of(problem.criterion, best, parameters);
    progress.at(ended / static_cast<double>(problem.starts),
                fmt::format("start {} of {}, best: {} {:.4g}{}", ended, problem.starts, reading.name,
                            reading.value, reading.unit));
  };
  return designer.design(pool, options);
}

double best_random_condition(const excite::ArmDesigner& designer, std::uint64_t seed) {
  double best = infinity;
  for (int k = 0; k < ArmExciteResult::random_motions; ++k)
    best = std::min(best, designer.check_under(designer.random_motion(seed, 100000 + k)).condition);
  return best;
}

int report_arm(const Verb& verb, const ArmExciteResult& result, OutputFolder& out) {
  write_files(result, out);
  finish(verb, summary_of(result), {std::begin(arm_result_files), std::end(arm_result_files)}, text_of(result),
         out);
  if (result.design.interrupted)
    warn(fmt::format("fathom: interrupted; this is the best of what {} of {} starts had found until then",
                     result.design.starts.size(), result.problem().starts));
  for (const std::string& note : result.design.notes) warn("fathom: " + note);
  if (!result.is_inside()) warn("fathom: A LIMIT IS BROKEN, see the margins");
  return result.good() ? Status::done : Status::check_failed;
}

}  // namespace

int excite_arm(const Verb& verb, const ExciteOptions& options, excite::ArmProblem problem) {
  const double rate_hz = options.rate_hz.value_or(100);
  check_arm_excite_options(options, problem, rate_hz);
  options.apply_to(problem);
  const std::uint64_t seed = verb.common().seed;
  const excite::ArmDesigner designer(problem);
  std::optional<OutputFolder> out;
  if (is_first_rank())
    out.emplace(verb.out_folder(problem.name),
                OutputFolder::Run{verb.name(),
                                  {problem.file, problem.arm_file},
                                  {std::begin(arm_result_files), std::end(arm_result_files)}});
  throw_if_interrupted();
  const std::unique_ptr<WorkerPool> pool =
      make_pool(verb.common().threads,
                {verb.out_folder(problem.name), options.command(seed), {problem.file, problem.arm_file}});
  excite::ArmDesign best = arm_design(designer, *pool, seed);
  if (!is_first_rank()) return Status::done;
  if (best.starts.empty()) throw Interrupted();
  for (std::string& note : notes_of_reading(problem.arm, problem.arm_file))
    best.notes.push_back(std::move(note));
  finish_in_spite_of_interrupt();  // what was found so far is worth keeping
  excite::Prediction shown = excite::arm_accuracy(designer, best);
  const excite::ArmPath path(problem.arm, problem.space, best.series);
  const ArmExciteResult result{designer,
                               std::move(best),
                               std::move(shown),
                               best_random_condition(designer, seed),
                               excite::run_in(problem, path, options.periods.value_or(1)),
                               rate_hz,
                               seed,
                               options.command(seed)};
  return report_arm(verb, result, *out);
}

}  // namespace fathom::cli
