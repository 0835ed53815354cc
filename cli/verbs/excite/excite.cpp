#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/excite/any_problem.hpp"

#include "cli/finish.hpp"
#include "cli/output.hpp"
#include "cli/ranks.hpp"
#include "cli/shipped.hpp"
#include "cli/terminal/interrupt.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/verb.hpp"
#include "cli/verbs/excite/excite_arm.hpp"
#include "cli/verbs/excite/excite_options.hpp"
#include "cli/verbs/excite/excite_result.hpp"

namespace fathom::cli {
namespace {

constexpr int most_starts = 100000;
constexpr double least_interval = 0.01;  // s; no autopilot wants way-points closer than that
constexpr double most_waypoints = 1e6;
constexpr const char* result_files[] = {"trajectory.yaml", "samples.csv", "waypoints.csv", "report.html",
                                        "summary.json"};

double waypoint_interval_of(const ExciteOptions& options, const excite::Problem& problem) {
  if (options.rate_hz || options.periods)
    reject(options.rate_hz ? "--rate" : "--periods", "is of an arm's problem, and this is one of a vehicle",
           "--waypoint-interval S");
  const double interval = options.waypoint_interval.value_or(1);
  if (!(interval >= least_interval) || !std::isfinite(interval))
    reject("--waypoint-interval", fmt::format("= {} s, must be >= {} s", interval, least_interval));
  if (problem.duration() > most_waypoints * interval)
    reject("--waypoint-interval",
           fmt::format("= {} s makes more than {:g} way-points in {:g} s", interval, most_waypoints,
                       problem.duration()),
           "a longer one");
  return interval;
}

excite::Design design(const excite::Designer& designer, WorkerPool& pool, std::uint64_t seed) {
  const excite::Problem& problem = designer.problem();
  Progress progress("designing " + problem.name);
  excite::DesignOptions options;
  options.seed = seed;
  options.interrupted = was_interrupted;
  options.progress = [&](int ended, double best) {
    progress.at(ended / static_cast<double>(problem.starts),
                fmt::format("start {} of {}, best: {}", ended, problem.starts, in_words(problem, best)));
  };
  return designer.design(pool, options);
}

int report(const Verb& verb, const ExciteResult& result, double waypoint_interval, OutputFolder& out) {
  write_files(result, waypoint_interval, out);
  finish(verb, summary_of(result), {std::begin(result_files), std::end(result_files)}, text_of(result), out);
  if (result.design.interrupted)
    warn(fmt::format("fathom: interrupted; this is the best of what {} of {} starts had found until then",
                     result.design.starts.size(), result.problem().starts));
  for (const std::string& note : result.design.notes) warn("fathom: " + note);
  if (!result.assessment.is_inside()) warn("fathom: A LIMIT IS BROKEN, see the margins");
  if (!result.converged() || !result.assessment.is_inside()) warn("fathom: " + certificate_of(result));
  if (!result.converged() && !result.design.interrupted)
    warn("fathom: more starts, a longer duration, or a shape with fewer numbers may help");
  return result.good() ? Status::done : Status::check_failed;
}

int excite_vehicle(const Verb& verb, const ExciteOptions& options, excite::Problem problem) {
  const std::uint64_t seed = verb.common().seed;
  const double waypoint_interval = waypoint_interval_of(options, problem);
  options.apply_to(problem);
  const excite::Designer designer(problem);
  std::optional<OutputFolder> out;
  if (is_first_rank())
    out.emplace(verb.out_folder(designer.problem().name),
                OutputFolder::Run{verb.name(),
                                  {designer.problem().file, designer.problem().robot_file},
                                  {std::begin(result_files), std::end(result_files)}});
  throw_if_interrupted();
  const std::unique_ptr<WorkerPool> pool =
      make_pool(verb.common().threads, {verb.out_folder(designer.problem().name),
                                        options.command(seed),
                                        {designer.problem().file, designer.problem().robot_file}});
  excite::Design best = design(designer, *pool, seed);
  if (!is_first_rank()) return Status::done;
  if (best.starts.empty()) throw Interrupted();
  finish_in_spite_of_interrupt();  // what was found so far is worth keeping
  excite::Assessment assessment = excite::assess(designer, best, seed);
  if (const std::string advice = advice_of(designer.problem(), assessment); !advice.empty())
    best.notes.push_back(advice);
  const ExciteResult result{designer, std::move(best), std::move(assessment), seed, options.command(seed)};
  return report(verb, result, waypoint_interval, *out);
}

int run(const Verb& verb, const ExciteOptions& options) {
  excite::AnyProblem problem = excite::read_any_problem(find_problem_file(options.problem),
                                                        {robot_folders(), arm_folders()}, options.duration);
  if (auto* arm = std::get_if<excite::ArmProblem>(&problem)) return excite_arm(verb, options, std::move(*arm));
  return excite_vehicle(verb, options, std::get<excite::Problem>(std::move(problem)));
}

}  // namespace

void add_excite(CLI::App& program) {
  const std::string example = "fathom excite two-minutes --duration 60 --starts 4 --out out/minute";
  auto verb = std::make_shared<Verb>(
      program, "excite",
      "Designs the motion that shows a vehicle's or an arm's parameters best, inside walls and limits", example,
      Takes{.out = true, .seed = true, .threads = true, .ranks = true});
  auto options = std::make_shared<ExciteOptions>();
  CLI::App& app = verb->app();
  app.add_option(
         "problem", options->problem,
         "A problem that ships (tank-defender, an arm's reach-alpha-5, ...), or the path of a problem file")
      ->required()
      ->option_text("NAME|FILE REQUIRED");
  app.add_option("--duration", options->duration,
                 "Seconds, in place of the problem's; its segments keep their shares; of an arm: of a period")
      ->check(is_time("duration"))
      ->option_text("S");
  app.add_option("--criterion", options->criterion,
                 "In place of the problem's: a-optimal, d-optimal, condition")
      ->check(is_word({"a-optimal", "d-optimal", "condition"}))
      ->option_text("WORD");
  app.add_option("--starts", options->starts,
                 "Random beginnings, in place of the problem's; the best end is kept")
      ->check(is_whole("number of starts", 1, most_starts))
      ->option_text("INT");
  app.add_option("--waypoint-interval", options->waypoint_interval, "Seconds between a vehicle's way-points")
      ->check(is_time("interval"))
      ->option_text("S=1");
  app.add_option("--rate", options->rate_hz, "Rows each second of an arm's trajectory.csv")
      ->check(is_number("rate"))
      ->option_text("HZ=100");
  app.add_option("--periods", options->periods,
                 "Periods of an arm's motion in trajectory.csv, from rest to rest")
      ->check(is_whole("number of periods", 1, 1000))
      ->option_text("INT=1");
  app.footer(fmt::format(
      "Problems that ship: {}\nThose with the key arm, such as reach-alpha-5, are of "
      "arms.\n\nAn interrupt (Ctrl-C) keeps the best so far, with status 1. Under mpirun all ranks "
      "search; after an interrupt or a\nrank's death the status is 1, and the same command does only the "
      "missing "
      "starts.\n\nExample:\n  {}\n\nExample of an arm:\n  fathom excite reach-alpha-5 --starts 4 --out "
      "out/reach",
      join(problem_names(), ", "), example));
  verb->runs([verb, options] { return run(*verb, *options); });
}

}  // namespace fathom::cli
