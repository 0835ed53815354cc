#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fathom/simulate/sensor.hpp"

namespace fathom::loop {

/// Something that happened once.
struct Event {
  double t = 0;
  std::string vehicle, what;
};

/// Sums over a run of how far a vehicle was from its reference.
struct Tracking {
  double position_rms = 0, position_max = 0;  ///< m
  double attitude_rms = 0, attitude_max = 0;  ///< rad
};

struct SensorAccount {
  std::string name;
  simulate::SimulatedSensor::Counts counts;
};

/// What a vehicle did in a run.
struct VehicleAccount {
  std::string name;
  std::optional<Tracking> tracking;
  double saturated_share = 0;  ///< of control steps in which the thrusters could not give what was asked
  double largest_speed = 0;    ///< m/s
  double distance = 0;         ///< m, along the path
  std::size_t events = 0, events_left_out = 0;  ///< the list of events is bounded
  double largest_tension = 0;                   ///< N, of the tether
  std::vector<SensorAccount> sensors;
};

}  // namespace fathom::loop
