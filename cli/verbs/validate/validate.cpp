#include "fathom/task/validate.hpp"

#include "fathom/model_file/robot_file.hpp"

#include "cli/run_task.hpp"

namespace fathom::cli {
namespace {

int run_validate(const Verb& verb, task::ValidateOptions options) {
  options.check();
  options.seed = verb.common().seed;
  const task::Context context = context_of(verb.common());
  const auto file = context.paths.robot(options.robot);
  const model::Robot robot = model::read_robot(file);  // once: it may be a pipe
  OutputFolder out(verb.out_folder(robot.name()),
                   {verb.name(), options.inputs(file), {"report.html", "summary.json"}});
  return finish_task(verb, task::validate(robot, options, context), out);
}

}  // namespace

void add_validate(CLI::App& program) {
  const std::string example =
      "fathom simulate tank-waypoints --out out/tank\n"
      "  fathom validate --robot bluerov2-heavy --log out/tank/log --out out/valid";
  auto verb = std::make_shared<Verb>(program, "validate",
                                     "Predicts unseen logs from their inputs alone, and says how well", example,
                                     Takes{.out = true, .seed = true, .threads = true});
  auto options = std::make_shared<task::ValidateOptions>();
  add_flags(verb->app(), task::option_list(*options));
  verb->app().footer(
      "Exit status: 0 done, 1 below --limit, nothing compared or the model runs away, 2 bad "
      "input.\n\nExample:\n  " +
      example);
  verb->runs([verb, options] { return run_validate(*verb, *options); });
}

}  // namespace fathom::cli
