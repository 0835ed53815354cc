#include "fathom/task/prior.hpp"

#include "cli/run_task.hpp"

namespace fathom::cli {
namespace {

int prior(const Verb& verb, const task::PriorOptions& options) {
  task::PriorResult result = task::prior(options, context_of(verb.common()));
  if (verb.common().out.extension() == ".yaml") return finish_one_file(verb, std::move(result), {options.hull});
  OutputFolder out(verb.out_folder(result.robot.name()),
                   {verb.name(), {options.hull}, {result.robot.name() + ".yaml", "summary.json"}});
  return finish_task(verb, std::move(result), out);
}

}  // namespace

void add_prior(CLI::App& program) {
  add_task<task::PriorOptions>(
      program, "prior", "Makes a robot file with wide sigmas from the shape of a hull that was never in water",
      "--out NAME.yaml writes the robot file alone.",
      "printf 'format: fathom-hull-1\\nname: new\\nkind: open_frame\\nmass: 12\\nshape: {box: [.5, .4, "
      ".3]}\\n' > "
      "hull.yaml\n"
      "  fathom prior hull.yaml --out new.yaml",
      Takes{.out = true, .out_folder = "out/prior-NAME"}, prior);
}

}  // namespace fathom::cli
