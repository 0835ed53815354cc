#include <fmt/format.h>

#include "fathom/loop/scenario.hpp"

#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/robots.hpp"
#include "cli/run_scenario.hpp"
#include "cli/table.hpp"
#include "cli/verb.hpp"

namespace fathom::cli {
namespace {

/// The same scenario with feed-forward in every controller switched on or off.
loop::Scenario with_feed_forward(loop::Scenario scenario, bool on) {
  for (loop::VehicleScenario& vehicle : scenario.vehicles)
    if (auto* pid = std::get_if<loop::PidControl>(&vehicle.control)) pid->options.feed_forward = on;
  return scenario;
}

/// Nothing where it ran away.
std::optional<loop::Tracking> tracking_without_feed_forward(const loop::Scenario& scenario,
                                                            std::uint64_t seed) {
  loop::NoSink nowhere;
  const loop::Scenario plain = with_feed_forward(scenario, false);
  loop::Simulation simulation(plain, seed, nowhere);
  while (!simulation.done()) {
    simulation.step();
    throw_if_interrupted();
  }
  if (simulation.failed()) return std::nullopt;
  return simulation.vehicles().front()->account().tracking;
}

nlohmann::ordered_json to_json(const loop::Tracking& tracking) {
  return {{"position_rms_m", tracking.position_rms},
          {"position_max_m", tracking.position_max},
          {"attitude_rms_rad", tracking.attitude_rms}};
}

int demo(const Verb& verb) {
  const auto file = find_scenario_file("tank-waypoints");
  const loop::Scenario scenario = with_feed_forward(loop::read_scenario(file, robot_folders()), true);
  OutputFolder out(verb.out_folder(""));
  ScenarioRun run = run_scenario(scenario, verb.common().seed, "demo", out);
  const loop::Tracking with = run.vehicles.front().tracking.value();
  const auto without = tracking_without_feed_forward(scenario, verb.common().seed);

  const bool holds = !run.failed && without && with.position_rms < without->position_rms;
  run.summary["feed_forward"] = {{"with", to_json(with)},
                                 {"without", without ? to_json(*without) : nlohmann::ordered_json()}};
  run.summary["checks_hold"] = holds;
  run.summary["log"] = (out.target() / "log").string();
  run.summary["report"] = (out.target() / "report.html").string();
  out.write("summary.json", to_text(run.summary));
  out.commit();

  Table table({"control", "off its path, rms", "largest"});
  const auto row = [&](const char* name, const loop::Tracking& t) {
    table.row(
        {name, fmt::format("{:.2f} cm", 100 * t.position_rms), fmt::format("{:.2f} cm", 100 * t.position_max)});
  };
  row("PID with feed-forward of the model", with);
  if (without) row("PID alone", *without);
  verb.print(run.summary,
             fmt::format("{}\n{}\n{}{}log:    {}\nreport: {}\n", scenario.title, run.text, table.text(),
                         holds ? "" : "A CHECK FAILED: the model did not help\n",
                         run.summary["log"].get<std::string>(), run.summary["report"].get<std::string>()));
  return holds ? Status::done : Status::check_failed;
}

}  // namespace

void add_demo(CLI::App& program) {
  auto verb = std::make_shared<Verb>(program, "demo",
                                     "A BlueROV2 Heavy swims through way-points in a tank; log and report",
                                     "fathom demo --out out/first-swim", Takes{.out = true, .seed = true});
  verb->runs([verb] { return demo(*verb); });
}

}  // namespace fathom::cli
