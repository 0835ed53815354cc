#include "fathom/task/simulate/simulate.hpp"

#include <chrono>

#include <fmt/format.h>

#include "fathom/loop/simulation.hpp"
#include "fathom/task/internal/beyond_range.hpp"
#include "fathom/task/internal/json.hpp"
#include "fathom/task/internal/option_table.hpp"
#include "fathom/task/simulate/range_watch.hpp"

namespace fathom {

template <>
const fields::Keys& fields::Table<task::SimulateOptions>::fields() {
  static const Keys keys{field<&task::SimulateOptions::scenario>("scenario")
                             .positional()
                             .required()
                             .metavar("NAME|FILE")
                             .doc("Scenario that ships (tank-waypoints, ...), or path of a scenario file.")};
  return keys;
}

}  // namespace fathom

namespace fathom::task {
namespace {

using Summary = SimulateSummary;

template <class T>
IfAny<T> if_above_zero(T value) {
  return value > 0 ? IfAny<T>(value) : IfAny<T>();
}

IfAny<Summary::Tracking> tracking_of(const std::optional<loop::Tracking>& t) {
  if (!t) return {};
  return Summary::Tracking{t->position_rms, t->position_max, t->attitude_rms, t->attitude_max};
}

std::array<double, 6> numbers_of(const Vec6& wrench) {
  std::array<double, 6> out{};
  std::copy(wrench.begin(), wrench.end(), out.begin());
  return out;
}

Summary::Vehicle summary_of(const loop::VehicleStatistics& v) {
  Summary::Vehicle out{v.name,
                       tracking_of(v.tracking),
                       v.distance,
                       v.largest_speed,
                       v.saturated_share,
                       if_above_zero(v.events_left_out),
                       if_above_zero(v.largest_tension),
                       {},
                       {}};
  for (const loop::SensorStatistics& sensor : v.sensors) {
    const auto& c = sensor.counts;
    out.sensors.push_back(
        {sensor.name, c.due, c.delivered, c.dropped, c.failed, c.no_answer, c.skipped, c.pushed_out, c.frozen});
  }
  return out;
}

Summary::Coupling summary_of(const loop::CouplingStatistics& c) {
  Summary::Coupling out{c.name,           c.closed,      c.largest_force, c.largest_moment,
                        c.drift.distance, c.drift.angle, c.is_in_loop,    {}};
  for (const loop::CouplingEvent& event : c.events) {
    Summary::CouplingEvent& one = out.events.emplace_back();
    one.t_s = event.t;
    one.what = event.closes ? "closes" : "opens";
    if (!event.closes) {
      one.load = numbers_of(event.load);
      continue;
    }
    one.misfit_m = event.meeting.misfit.distance;
    one.misfit_rad = event.meeting.misfit.angle;
    one.speed_m_s = event.meeting.speed;
    one.turn_rate_rad_s = event.meeting.turn_rate;
    one.impulse = numbers_of(event.impulse);
    one.energy_lost_J = event.energy_lost;
  }
  return out;
}

Summary summary_of(const loop::Scenario& scenario, const SimulateOptions& options, const ScenarioRun& run) {
  Summary s;
  s.scenario = scenario.name;
  s.seed = options.seed;
  s.duration_s = scenario.duration;
  s.step_s = scenario.step;
  s.simulated_s = run.simulated;
  s.completed = !run.failed;
  for (const auto& vehicle : run.vehicles) s.vehicles.push_back(summary_of(vehicle));
  for (const auto& event : run.events) s.events.push_back({event.t, event.vehicle, event.what});
  if (!run.couplings.empty()) s.couplings = std::vector<Summary::Coupling>();
  for (const auto& coupling : run.couplings) s.couplings->push_back(summary_of(coupling));
  if (!run.clusters.empty()) s.clusters = std::vector<Summary::Cluster>();
  for (const auto& c : run.clusters)
    s.clusters->push_back({c.name, c.vehicles, c.in_charge, tracking_of(c.tracking), c.saturated_share});
  s.command = internal::command_of("simulate", options) + fmt::format(" --seed {}", options.seed);
  return s;
}

}  // namespace

ScenarioRun run_scenario(const loop::Scenario& scenario, std::uint64_t seed, log::Sink& sink,
                         const Context& context) {
  const auto start = std::chrono::steady_clock::now();
  const std::string doing = "simulating " + scenario.name;
  loop::Simulation simulation(scenario, seed, sink);
  while (!simulation.done()) {
    simulation.step();
    context.at(doing, simulation.share());
  }
  simulation.finish();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return {simulation.failed(),
          simulation.failed_vehicle(),
          simulation.t(),
          seconds.count(),
          simulation.vehicle_statistics(),
          simulation.coupling_statistics(),
          simulation.cluster_statistics(),
          simulation.events()};
}

SimulateResult simulate(const SimulateOptions& options, const Context& context) {
  const auto file = context.paths.scenario(options.scenario);
  return simulate(loop::read_scenario(file, context.paths.modules()), options, context);
}

SimulateResult simulate(loop::Scenario scenario, const SimulateOptions& options, const Context& context) {
  SimulateResult result;
  SimulateResult::Evidence evidence{std::move(scenario), {}, {}};
  log::DatasetSink memory;
  log::CsvSink folder(options.log);
  const bool is_streamed = !options.log.empty();
  log::PreviewSink preview(is_streamed ? static_cast<log::Sink&>(folder) : memory);
  internal::RangeWatch watch(evidence.scenario, preview);
  evidence.run = run_scenario(evidence.scenario, options.seed, watch, context);
  if (is_streamed)
    folder.close();
  else
    result.log = std::move(memory).dataset();
  evidence.channels = preview.channels();
  for (std::size_t k = 0; k < evidence.channels.size(); ++k)
    evidence.stride = std::max(evidence.stride, preview.stride(k));
  result.summary = summary_of(evidence.scenario, options, evidence.run);
  for (std::size_t k = 0; k < result.summary.vehicles.size(); ++k)
    result.summary.vehicles[k].beyond_range = watch.beyond(k);
  result.evidence = std::move(evidence);
  return result;
}

std::vector<std::string> SimulateResult::warnings() const {
  std::vector<std::string> list;
  for (const Summary::Vehicle& vehicle : summary.vehicles)
    if (vehicle.beyond_range && !vehicle.beyond_range->empty())
      list.push_back(
          fmt::format("{} leaves the range of its identification: {}. This is an "
                      "extrapolation",
                      vehicle.name, internal::beyond_range_text(*vehicle.beyond_range)));
  return list;
}

// The keys of summary.json, in its order.
FATHOM_JSON(Summary::Tracking, position_rms_m, position_max_m, attitude_rms_rad, attitude_max_rad)
FATHOM_JSON(Summary::Sensor, name, due, delivered, dropped, failed, no_answer, skipped, pushed_out, frozen)
FATHOM_JSON(Summary::Beyond, name, unit, value, range, share)
FATHOM_JSON(Summary::Vehicle, name, tracking, distance_m, largest_speed_m_s, saturated_share, events_left_out,
            largest_tension_N, sensors, beyond_range)
FATHOM_JSON(Summary::Event, t_s, vehicle, what)
FATHOM_JSON(Summary::CouplingEvent, t_s, what, misfit_m, misfit_rad, speed_m_s, turn_rate_rad_s, impulse,
            energy_lost_J, load)
FATHOM_JSON(Summary::Coupling, name, closed, largest_force_N, largest_moment_N_m, drift_m, drift_rad, in_loop,
            events)
FATHOM_JSON(Summary::Cluster, name, vehicles, in_charge_s, tracking, saturated_share)
FATHOM_SUMMARY(SimulateSummary, scenario, seed, duration_s, step_s, simulated_s, completed, vehicles, events,
               couplings, clusters, command, log, report)

}  // namespace fathom::task
