#include "cli/verbs/simulate/run_scenario.hpp"

#include <chrono>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/loop/simulation.hpp"
#include "fathom/report/run_page.hpp"

#include "cli/terminal/interrupt.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/table.hpp"
#include "cli/verb.hpp"
#include "version.hpp"

namespace fathom::cli {
namespace {

nlohmann::ordered_json summary_of(const loop::Tracking& tracking) {
  return {{"position_rms_m", tracking.position_rms},
          {"position_max_m", tracking.position_max},
          {"attitude_rms_rad", tracking.attitude_rms},
          {"attitude_max_rad", tracking.attitude_max}};
}

nlohmann::ordered_json summary_of(const loop::CouplingStatistics& coupling) {
  nlohmann::ordered_json json = {{"name", coupling.name},
                                 {"closed", coupling.closed},
                                 {"largest_force_N", coupling.largest_force},
                                 {"largest_moment_N_m", coupling.largest_moment},
                                 {"drift_m", coupling.drift.distance},
                                 {"drift_rad", coupling.drift.angle},
                                 {"in_loop", coupling.is_in_loop},
                                 {"events", nlohmann::ordered_json::array()}};
  const auto wrench = [](const Vec6& w) { return std::vector<double>(w.data(), w.data() + 6); };
  for (const loop::CouplingEvent& event : coupling.events) {
    nlohmann::ordered_json entry = {{"t_s", event.t}, {"what", event.closes ? "closes" : "opens"}};
    if (event.closes) {
      entry["misfit_m"] = event.meeting.misfit.distance;
      entry["misfit_rad"] = event.meeting.misfit.angle;
      entry["speed_m_s"] = event.meeting.speed;
      entry["turn_rate_rad_s"] = event.meeting.turn_rate;
      entry["impulse"] = wrench(event.impulse);
      entry["energy_lost_J"] = event.energy_lost;
    } else {
      entry["load"] = wrench(event.load);
    }
    json["events"].push_back(std::move(entry));
  }
  return json;
}

nlohmann::ordered_json summary_of(const loop::ClusterStatistics& cluster) {
  nlohmann::ordered_json json = {
      {"name", cluster.name}, {"vehicles", cluster.vehicles}, {"in_charge_s", cluster.in_charge}};
  if (cluster.tracking) json["tracking"] = summary_of(*cluster.tracking);
  json["saturated_share"] = cluster.saturated_share;
  return json;
}

nlohmann::ordered_json summary_of(const loop::VehicleStatistics& vehicle) {
  nlohmann::ordered_json json = {{"name", vehicle.name}};
  if (vehicle.tracking) json["tracking"] = summary_of(*vehicle.tracking);
  json["distance_m"] = vehicle.distance;
  json["largest_speed_m_s"] = vehicle.largest_speed;
  json["saturated_share"] = vehicle.saturated_share;
  if (vehicle.events_left_out > 0) json["events_left_out"] = vehicle.events_left_out;
  if (vehicle.largest_tension > 0) json["largest_tension_N"] = vehicle.largest_tension;
  json["sensors"] = nlohmann::ordered_json::array();
  for (const loop::SensorStatistics& sensor : vehicle.sensors)
    json["sensors"].push_back({{"name", sensor.name},
                               {"due", sensor.counts.due},
                               {"delivered", sensor.counts.delivered},
                               {"dropped", sensor.counts.dropped},
                               {"failed", sensor.counts.failed},
                               {"no_bottom", sensor.counts.no_bottom},
                               {"skipped", sensor.counts.skipped},
                               {"pushed_out", sensor.counts.pushed_out},
                               {"frozen", sensor.counts.frozen}});
  return json;
}

nlohmann::ordered_json summary_of(const loop::Scenario& scenario, std::uint64_t seed, const ScenarioRun& run) {
  nlohmann::ordered_json json = {{"scenario", scenario.name},
                                 {"seed", seed},
                                 {"duration_s", scenario.duration},
                                 {"step_s", scenario.step},
                                 {"simulated_s", run.simulated},
                                 {"completed", !run.failed},
                                 {"vehicles", nlohmann::ordered_json::array()},
                                 {"events", nlohmann::ordered_json::array()}};
  for (const loop::VehicleStatistics& vehicle : run.vehicles) json["vehicles"].push_back(summary_of(vehicle));
  for (const loop::CouplingStatistics& coupling : run.couplings)
    json["couplings"].push_back(summary_of(coupling));
  for (const loop::ClusterStatistics& cluster : run.clusters) json["clusters"].push_back(summary_of(cluster));
  for (const loop::Event& event : run.events)
    json["events"].push_back({{"t_s", event.t}, {"vehicle", event.vehicle}, {"what", event.what}});
  return json;
}

std::string coupling_text(const ScenarioRun& run) {
  Table table({"coupling", "closed", "largest force", "largest moment", "impulse", "energy lost", "drift"});
  for (const loop::CouplingStatistics& coupling : run.couplings) {
    std::string closed;
    double impulse = 0, lost = 0;
    for (const loop::CouplingEvent& event : coupling.events) {
      closed += event.closes ? fmt::format("{}from {:g}", closed.empty() ? "" : ", ", event.t)
                             : fmt::format(" to {:g} s", event.t);
      impulse = std::max(impulse, event.impulse.head<3>().norm());
      lost += event.energy_lost;
    }
    if (coupling.events.empty()) closed = "never";
    table.row({coupling.name, closed, fmt::format("{:.2f} N", coupling.largest_force),
               fmt::format("{:.2f} N m", coupling.largest_moment), fmt::format("{:.2f} N s", impulse),
               fmt::format("{:.3f} J", lost), fmt::format("{:.0e} m", coupling.drift.distance)});
  }
  std::string text = table.text();
  for (const loop::ClusterStatistics& cluster : run.clusters)
    text += fmt::format("{}: steered as one for {:.1f} s{}\n", cluster.name, cluster.in_charge,
                        cluster.tracking ? fmt::format(", {:.2f} cm off its path, rms, {:.2f} deg",
                                                       100 * cluster.tracking->position_rms,
                                                       degrees * cluster.tracking->attitude_rms)
                                         : "");
  return text;
}

std::string text_of(const loop::Scenario& scenario, const ScenarioRun& run, double simulated) {
  Table table({"vehicle", "off its path, rms", "largest", "attitude, rms", "distance", "saturated", "samples"});
  for (const loop::VehicleStatistics& vehicle : run.vehicles) {
    long delivered = 0;
    for (const loop::SensorStatistics& sensor : vehicle.sensors) delivered += sensor.counts.delivered;
    const auto& tracking = vehicle.tracking;
    table.row({vehicle.name, tracking ? fmt::format("{:.2f} cm", 100 * tracking->position_rms) : "-",
               tracking ? fmt::format("{:.2f} cm", 100 * tracking->position_max) : "-",
               tracking ? fmt::format("{:.2f} deg", degrees * tracking->attitude_rms) : "-",
               fmt::format("{:.1f} m", vehicle.distance),
               fmt::format("{:.1f} %", 100 * vehicle.saturated_share), fmt::format("{}", delivered)});
  }
  std::string text = fmt::format("{}: {:g} s simulated in {:.2f} s ({:.0f} times real time)\n{}", scenario.name,
                                 simulated, run.wall_seconds, simulated / run.wall_seconds, table.text());
  if (!run.couplings.empty()) text += coupling_text(run);
  constexpr std::size_t most = 12;
  for (std::size_t k = 0; k < std::min(most, run.events.size()); ++k)
    text += fmt::format("{:8.2f} s  {}: {}\n", run.events[k].t, run.events[k].vehicle, run.events[k].what);
  if (run.events.size() > most)
    text += fmt::format("  ... and {} more events, in the report\n", run.events.size() - most);
  for (const loop::VehicleScenario& vehicle : scenario.vehicles)
    if (vehicle.reference && vehicle.reference->duration() > scenario.duration)
      text += fmt::format("note: {} is still under way: its path ends at {:.1f} s, the run at {:g} s\n",
                          vehicle.name, vehicle.reference->duration(), scenario.duration);
  if (run.failed)
    text += fmt::format("THE MOTION OF {} RAN AWAY at {:.3f} s; the log ends there. {}\n", run.failed_vehicle,
                        simulated,
                        scenario.adaptive ? "Is the control too stiff for the thrusters?"
                                          : "A shorter step, a softer control, or integrator: dormand_prince?");
  return text;
}

}  // namespace

ScenarioRun run_scenario(const loop::Scenario& scenario, std::uint64_t seed, const std::string& command,
                         OutputFolder& out) {
  ScenarioRun run;
  log::CsvSink log(out.log_folder());
  log::PreviewSink preview(log);
  const auto start = std::chrono::steady_clock::now();
  loop::Simulation simulation(scenario, seed, preview);
  {
    Progress progress("simulating " + scenario.name);
    while (!simulation.done()) {
      simulation.step();
      throw_if_interrupted();
      progress.at(simulation.share());
    }
  }
  simulation.finish();
  log.close();
  run.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run.failed = simulation.failed();
  run.failed_vehicle = simulation.failed_vehicle();
  run.simulated = simulation.t();
  run.events = simulation.events();
  run.vehicles = simulation.vehicle_statistics();
  run.couplings = simulation.coupling_statistics();
  run.clusters = simulation.cluster_statistics();
  run.summary = summary_of(scenario, seed, run);
  run.text = text_of(scenario, run, simulation.t());
  std::size_t stride = 1;
  for (std::size_t k = 0; k < preview.channels().size(); ++k) stride = std::max(stride, preview.stride(k));
  const report::Run shown{.scenario = &scenario,
                          .channels = &preview.channels(),
                          .vehicles = run.vehicles,
                          .couplings = run.couplings,
                          .events = run.events,
                          .simulated = run.simulated,
                          .failed = run.failed_vehicle,
                          .stride = stride,
                          .footer = fmt::format("fathom {}: {}, seed {}", FATHOM_VERSION, command, seed)};
  out.write("report.html", report::to_html(report::run_page(shown)));
  return run;
}

}  // namespace fathom::cli
