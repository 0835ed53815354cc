#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "fathom/log/dataset.hpp"
#include "fathom/log/sink.hpp"
#include "fathom/loop/scenario.hpp"
#include "fathom/loop/statistics.hpp"
#include "fathom/task/context.hpp"
#include "fathom/task/result.hpp"

namespace fathom::task {

/// Options of simulate().
struct SimulateOptions {
  std::string scenario;            ///< name of a shipped scenario, or path of a scenario file
  std::uint64_t seed = 1;          ///< of all random draws
  std::filesystem::path log = {};  ///< folder that the log is streamed to; empty: it stays in memory
};

/// What came of running a scenario.
struct ScenarioRun {
  bool failed = false;  ///< the motion of a vehicle ran away
  std::string failed_vehicle;
  double simulated = 0, wall_seconds = 0;  ///< s
  std::vector<loop::VehicleStatistics> vehicles = {};
  std::vector<loop::CouplingStatistics> couplings = {};
  std::vector<loop::ClusterStatistics> clusters = {};
  std::vector<loop::Event> events = {};
};
/// Runs a scenario; its rows go to `sink`. Throws Interrupted.
ScenarioRun run_scenario(const loop::Scenario& scenario, std::uint64_t seed, log::Sink& sink,
                         const Context& context = {});

/// The numbers of a run, as summary.json has them.
struct SimulateSummary {
  struct Tracking {
    double position_rms_m = 0, position_max_m = 0, attitude_rms_rad = 0, attitude_max_rad = 0;
  };
  struct Sensor {
    std::string name;
    long due = 0, delivered = 0, dropped = 0, failed = 0, no_answer = 0, skipped = 0, pushed_out = 0,
         frozen = 0;
  };
  /// A quantity that leaves the range of the logs that the vehicle was
  /// identified from.
  struct Beyond {
    std::string name, unit;
    double value = 0;
    std::array<double, 2> range = {};
    double share = 0;  ///< of the log's samples
  };
  struct Vehicle {
    std::string name;
    IfAny<Tracking> tracking;
    double distance_m = 0, largest_speed_m_s = 0, saturated_share = 0;
    IfAny<std::size_t> events_left_out;
    IfAny<double> largest_tension_N;
    std::vector<Sensor> sensors;
    IfAny<std::vector<Beyond>> beyond_range;  ///< of an identified vehicle
  };
  struct Event {
    double t_s = 0;
    std::string vehicle, what;
  };
  struct CouplingEvent {
    double t_s = 0;
    std::string what;  ///< closes or opens
    IfAny<double> misfit_m, misfit_rad, speed_m_s, turn_rate_rad_s;
    IfAny<std::array<double, 6>> impulse;
    IfAny<double> energy_lost_J;
    IfAny<std::array<double, 6>> load;
  };
  struct Coupling {
    std::string name;
    bool closed = false;
    double largest_force_N = 0, largest_moment_N_m = 0, drift_m = 0, drift_rad = 0;
    bool in_loop = false;
    std::vector<CouplingEvent> events;
  };
  struct Cluster {
    std::string name;
    std::vector<std::string> vehicles;
    double in_charge_s = 0;
    IfAny<Tracking> tracking;
    double saturated_share = 0;
  };

  std::string scenario;
  std::uint64_t seed = 1;
  double duration_s = 0, step_s = 0, simulated_s = 0;
  bool completed = false;
  std::vector<Vehicle> vehicles;
  std::vector<Event> events;
  IfAny<std::vector<Coupling>> couplings;
  IfAny<std::vector<Cluster>> clusters;
  std::string command, log, report;
};

struct SimulateResult : ResultOf<SimulateResult, SimulateSummary> {
  /// What the page draws; nothing in a result that was loaded.
  struct Evidence {
    loop::Scenario scenario;
    ScenarioRun run;
    std::vector<log::Channel> channels;  ///< all rows, or some, evenly spaced
    std::size_t stride = 1;              ///< one row in how many is in `channels`, at most
  };
  std::optional<Evidence> evidence;
  std::optional<log::Dataset> log;  ///< where it was not streamed to a folder

  static constexpr bool has_page = true;
  Status status() const { return summary.completed ? Status::done : Status::check_failed; }
  std::vector<std::string> warnings() const;
  report::Document report() const;
};

/// Runs a scenario: plants, sensors and control in closed loop. Throws InputError and Interrupted.
SimulateResult simulate(const SimulateOptions& options, const Context& context = {});
/// The same of a scenario that was read already; `options.scenario` only names it.
SimulateResult simulate(loop::Scenario scenario, const SimulateOptions& options, const Context& context = {});

}  // namespace fathom::task
