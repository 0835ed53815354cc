#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fathom/assembly/mating.hpp"
#include "fathom/simulate/sensor.hpp"

namespace fathom::loop {

/// Something that happened once.
struct Event {
  double t = 0;
  std::string vehicle, what;  ///< the first may also be a coupling or a cluster
};

/// Sums over a run of how far a vehicle was from its reference.
struct Tracking {
  double position_rms = 0, position_max = 0;  ///< m
  double attitude_rms = 0, attitude_max = 0;  ///< rad
};

struct SensorStatistics {
  std::string name;
  simulate::SimulatedSensor::Counts counts;
};

/// What a vehicle did in a run.
struct VehicleStatistics {
  std::string name;
  std::optional<Tracking> tracking;
  double saturated_share = 0;  ///< of control steps in which the thrusters could not give what was asked
  double largest_speed = 0;    ///< m/s
  double distance = 0;         ///< m, along the path
  std::size_t events = 0, events_left_out = 0;  ///< the list of events is bounded
  double largest_tension = 0;                   ///< N, anywhere on the tether
  std::vector<SensorStatistics> sensors;
};

/// A coupling that closed or opened. Wrenches are those on its first vehicle from its second, in the frame of
/// its first end.
struct CouplingEvent {
  double t = 0;
  bool closes = true;
  assembly::Meeting meeting = {};  ///< closes: how the ends met
  Vec6 impulse = Vec6::Zero();     ///< closes: N s, N m s
  double energy_lost = 0;          ///< closes: J, of all that hangs together then
  Vec6 load = Vec6::Zero();        ///< opens: N, N m, before
};

/// What a coupling did in a run.
struct CouplingStatistics {
  std::string name;
  bool closed = false;                           ///< at the end
  bool is_in_loop = false;                       ///< at some time, so that its load was not determined
  double largest_force = 0, largest_moment = 0;  ///< N, N m
  assembly::Misfit drift = {};                   ///< largest, from where the vehicles met
  std::vector<CouplingEvent> events = {};
};

/// What vehicles that were steered as one did in a run.
struct ClusterStatistics {
  std::string name;
  std::vector<std::string> vehicles;
  double in_charge = 0;  ///< s
  std::optional<Tracking> tracking;
  double saturated_share = 0;  ///< of the control steps in charge
};

}  // namespace fathom::loop
