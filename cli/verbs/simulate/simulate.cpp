#include "fathom/task/simulate.hpp"

#include "fathom/base/text.hpp"

#include "cli/run_task.hpp"
#include "cli/shipped.hpp"

namespace fathom::cli {
namespace {

int run_simulate(const Verb& verb, const std::string& name_or_path) {
  const task::Context context = context_of(verb.common());
  const auto file = context.paths.scenario(name_or_path);
  loop::Scenario scenario = loop::read_scenario(file, context.paths.modules());  // once: it may be a pipe
  OutputFolder out(verb.out_folder(scenario.name), {verb.name(), {file}, {"report.html", "summary.json"}});
  task::SimulateResult result =
      task::simulate(std::move(scenario), {name_or_path, verb.common().seed, out.log_folder()}, context);
  result.save(out);
  return print_result(verb, result,
                      fmt::format("log:    {}\nreport: {}\n", result.summary.log, result.summary.report));
}

}  // namespace

void add_simulate(CLI::App& program) {
  auto verb =
      std::make_shared<Verb>(program, "simulate", "Runs a scenario, writes a log and a report",
                             "fathom simulate tank-waypoints --out out/tank", Takes{.out = true, .seed = true});
  auto name = std::make_shared<std::string>();
  verb->app()
      .add_option("scenario", *name,
                  "A scenario that ships (tank-waypoints, ...), or the path of a scenario file")
      ->required()
      ->option_text("NAME|FILE REQUIRED");
  verb->app().footer(
      fmt::format("Scenarios that ship: {}\n\nExample:\n  fathom simulate tank-waypoints --out out/tank",
                  join(scenario_names(), ", ")));
  verb->runs([verb, name] { return run_simulate(*verb, *name); });
}

}  // namespace fathom::cli
