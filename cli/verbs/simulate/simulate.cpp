#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/loop/scenario.hpp"

#include "cli/output.hpp"
#include "cli/shipped.hpp"
#include "cli/verb.hpp"
#include "cli/verbs/simulate/run_scenario.hpp"

namespace fathom::cli {
namespace {

int simulate(const Verb& verb, const std::string& name_or_path) {
  const auto file = find_scenario_file(name_or_path);
  const loop::Scenario scenario = loop::read_scenario(file, module_folders());
  OutputFolder out(verb.out_folder(scenario.name), {verb.name(), {file}, {"report.html", "summary.json"}});
  ScenarioRun run = run_scenario(scenario, verb.common().seed, "simulate " + file.filename().string(), out);
  run.summary["command"] = fmt::format("simulate {} --seed {}", shell_word(name_or_path), verb.common().seed);
  run.summary["log"] = (out.target() / "log").string();
  run.summary["report"] = (out.target() / "report.html").string();
  out.write("summary.json", to_text(run.summary));
  out.commit();
  verb.print(run.summary,
             run.text + fmt::format("log:    {}\nreport: {}\n", run.summary["log"].get<std::string>(),
                                    run.summary["report"].get<std::string>()));
  return run.failed ? Status::check_failed : Status::done;
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
  verb->runs([verb, name] { return simulate(*verb, *name); });
}

}  // namespace fathom::cli
