#pragma once
#include "fathom/fields/codec.hpp"
#include "fathom/loop/scenario.hpp"

// A scenario as its file states it, before robots, files and vehicles are looked up that it names. The keys
// stand in scenario_file.cpp.
namespace fathom::loop::internal {

using fields::Later;

struct PidEntry {
  control::PosePidOptions options;
  Later believed, feed_forward_model;
};

struct OpenLoopEntry {
  OpenLoop::By by = OpenLoop::By::wrench;
  control::CommandSeries::Between between = control::CommandSeries::Between::hold;
  Later commands;
};

using ControlEntry = std::variant<Drift, PidEntry, OpenLoopEntry, JoystickControl>;

/// Way-points, or the file of a trajectory.
struct ReferenceEntry {
  std::vector<trajectory::Waypoint> waypoints;
  trajectory::WaypointOptions options;
  Later trajectory;
};

/// Of a vehicle, an assembly or a cluster.
struct Guidance {
  ControlEntry control;
  std::optional<ReferenceEntry> reference;
};

struct FaultEntry {
  double at = 0;  ///< s
  Later thruster, sensor, becomes;
  double factor = 0.5;
  std::optional<double> known_at, until;  ///< s
};

struct VehicleEntry {
  Later robot;
  std::string name;
  model::Dof dof = model::Dof::six;
  double voltage = model::usual_voltage;  ///< V
  double command_delay = 0;               ///< s
  std::optional<dynamics::State> start;
  Guidance guidance;
  Later sensors;
  std::optional<simulate::TetherSpec> tether;
  std::optional<simulate::DisturbanceSpec> disturbance;
  std::vector<FaultEntry> faults;
};

struct AssemblyEntry {
  Later assembly;
  std::string name;
  dynamics::State start;
  bool measures = true;
  Guidance guidance;
};

/// `vehicle.connector`, or a place on a vehicle.
struct EndEntry {
  Later connector, vehicle;
  Vec3 position_b = Vec3::Zero();  ///< m
  Quat attitude = Quat::Identity();
};

struct LatchEntry {
  assembly::Latch latch;
  double from = 0;  ///< s
};

struct CouplingEntry {
  std::vector<EndEntry> between;
  CouplingScenario coupling;  ///< name, turn and times
  std::optional<LatchEntry> latch;
};

struct ClusterEntry {
  std::string name;
  Later vehicles;
  Guidance guidance;
};

struct EnvironmentEntry {
  double density = model::fresh_water, gravity = 9.81;  ///< kg/m^3, m/s^2
  simulate::CurrentSpec current;
  std::optional<simulate::Tank> tank;
  Pose usbl;
};

struct ScenarioFile {
  Scenario scenario;  ///< name, title, duration, step, integrator
  EnvironmentEntry environment;
  std::vector<std::variant<VehicleEntry, AssemblyEntry>> vehicles;
  std::vector<CouplingEntry> couplings;
  std::vector<ClusterEntry> clusters;
};

/// Runs a check that throws, and puts its findings under `key`; those of another file name that file.
template <class Check>
void report_under(yaml::Reading& reading, const std::string& key, const Check& check) {
  try {
    check();
  } catch (const InputError& error) {
    for (const Finding& finding : error.findings()) {
      if (!finding.file.empty()) {
        Finding own = finding;
        own.hint.clear();
        reading.error(key, yaml::nearest_line(reading.lines(), key), own.text(), finding.hint);
        continue;
      }
      const bool said = finding.key.empty() || key.ends_with(finding.key);
      reading.error(key, yaml::nearest_line(reading.lines(), key),
                    said ? finding.message : finding.key + " " + finding.message, finding.hint);
    }
  }
}

inline constexpr std::string_view scenario_format = "fathom-scenario-1";
/// Ends of couplings, as messages show them.
inline constexpr const char* end_hint =
    "vehicle.connector, such as a.bow, or {vehicle: a, position: [0.3, 0, 0], attitude_deg: [0, 0, 0]}";

}  // namespace fathom::loop::internal

namespace fathom::fields {

template <>
const Keys& Table<loop::internal::ScenarioFile>::fields();

}  // namespace fathom::fields
