#include "fathom/task/excite/excite.hpp"

#include <optional>

#include "fathom/base/text.hpp"

#include "cli/ranks.hpp"
#include "cli/run_task.hpp"
#include "cli/shipped.hpp"

namespace fathom::cli {
namespace {

/// Files of a vehicle's result and of an arm's.
const std::vector<std::string> outputs = {"trajectory.yaml", "trajectory.csv", "samples.csv", "waypoints.csv",
                                          "multisine.yaml",  "report.html",    "summary.json"};

std::vector<std::filesystem::path> inputs_of(const excite::Problem& of) { return {of.file, of.robot_file}; }
std::vector<std::filesystem::path> inputs_of(const excite::ArmProblem& of) { return {of.file, of.arm_file}; }

int run_excite(const Verb& verb, const task::ExciteOptions& asked) {
  task::ExciteOptions options = asked;
  options.seed = verb.common().seed;
  const task::Context context = context_of(verb.common());
  const excite::AnyProblem problem = task::read_problem(options, context);
  const auto folder = std::visit([&](const auto& of) { return verb.out_folder(of.name); }, problem);
  const auto inputs = std::visit([](const auto& of) { return inputs_of(of); }, problem);
  std::optional<OutputFolder> out;
  if (is_first_rank()) out.emplace(folder, OutputFolder::Run{verb.name(), inputs, outputs});
  throw_if_interrupted();
  const auto pool = make_pool(verb.common().threads, {folder, options.command(), inputs});
  try {
    task::ExciteResult result = task::excite(problem, options, *pool, context);
    finish_in_spite_of_interrupt();  // the best so far is worth keeping
    return finish_task(verb, std::move(result), *out);
  } catch (const Interrupted&) {
    if (is_first_rank()) throw;
    return Status::done;  // the first rank has the results
  }
}

}  // namespace

void add_excite(CLI::App& program) {
  add_task<task::ExciteOptions>(
      program, "excite",
      "Designs the motion that shows a vehicle's or an arm's parameters best, inside walls and limits",
      "Problems that ship: " + join(problem_names(), ", ") +
          "\nProblems with the key arm, such as reach-alpha-5, are of arms.\n\nAn interrupt (Ctrl-C) keeps the "
          "best so far, with status 1. Under mpirun all ranks search; after an interrupt or a\nrank's death "
          "the "
          "status is 1, and the same command does only the missing starts.",
      "fathom excite two-minutes --duration 60 --starts 4 --out out/minute\n"
      "  fathom excite reach-alpha-5 --starts 4 --out out/reach",
      Takes{.out = true, .seed = true, .threads = true, .ranks = true}, run_excite);
}

}  // namespace fathom::cli
