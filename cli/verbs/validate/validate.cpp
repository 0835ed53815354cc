#include "fathom/task/validate/validate.hpp"

#include "fathom/model_file/robot_file.hpp"

#include "cli/run_task.hpp"

namespace fathom::cli {
namespace {

int validate(const Verb& verb, const task::ValidateOptions& asked) {
  task::ValidateOptions options = asked;
  options.check();
  options.seed = verb.common().seed;
  const task::Context context = context_of(verb.common());
  const auto file = context.paths.robot(options.robot);
  const model::Robot robot = model::read_robot(file);  // once: it may be a pipe
  std::vector<std::string> outputs = {"report.html", "summary.json"};
  if (!options.seen.empty()) outputs.emplace_back("robot.yaml");
  OutputFolder out(verb.out_folder(robot.name()), {verb.name(), options.inputs(file), outputs});
  return finish_task(verb, task::validate(robot, options, context), out);
}

}  // namespace

void add_validate(CLI::App& program) {
  add_task<task::ValidateOptions>(
      program, "validate", "Predicts unseen logs from their inputs alone, and says how well",
      "Exit status: 0 done, 1 below --limit, nothing compared or the model runs away, 2 bad input.",
      "fathom simulate tank-waypoints --out out/tank\n"
      "  fathom validate --robot bluerov2-heavy --log out/tank/log --out out/valid",
      Takes{.out = true, .seed = true, .threads = true}, validate);
}

}  // namespace fathom::cli
