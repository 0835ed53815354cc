#include "fathom/task/simulate/simulate.hpp"

#include "fathom/base/text.hpp"

#include "cli/run_task.hpp"
#include "cli/shipped.hpp"

namespace fathom::cli {
namespace {

int simulate(const Verb& verb, const task::SimulateOptions& options) {
  const task::Context context = context_of(verb.common());
  const auto file = context.paths.scenario(options.scenario);
  loop::Scenario scenario = loop::read_scenario(file, context.paths.modules());  // once: it may be a pipe
  OutputFolder out(verb.out_folder(scenario.name), {verb.name(), {file}, {"report.html", "summary.json"}});
  task::SimulateResult result =
      task::simulate(std::move(scenario), {options.scenario, verb.common().seed, out.log_folder()}, context);
  const std::string page = save_result(result, out);
  return print_result(verb, result,
                      fmt::format("log:    {}\nreport: {}\n", result.summary.log, result.summary.report), page);
}

}  // namespace

void add_simulate(CLI::App& program) {
  add_task<task::SimulateOptions>(program, "simulate", "Runs a scenario, writes a log and a report",
                                  "Scenarios that ship: " + join(scenario_names(), ", "),
                                  "fathom simulate tank-waypoints --out out/tank",
                                  Takes{.out = true, .seed = true}, simulate);
}

}  // namespace fathom::cli
