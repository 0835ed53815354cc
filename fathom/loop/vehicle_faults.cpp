#include <fmt/format.h>

#include "fathom/loop/internal/vehicle_loop.hpp"

namespace fathom::loop::internal {

void VehicleLoop::apply_faults(double t) {
  apply_thruster_faults(t);
  apply_sensor_faults(t);
}

void VehicleLoop::apply_thruster_faults(double t) {
  for (std::size_t i = 0; i < fault_begun_.size(); ++i) {
    const ThrusterFault& fault = scenario_->thruster_faults[i];
    const std::string& thruster = scenario_->robot.thrusters()[fault.thruster].name;
    const double now = readings_[fault.thruster].force;
    if (!fault_begun_[i] && t >= fault.at) {
      fault_begun_[i] = true;
      switch (fault.kind) {
        case ThrusterFault::Kind::dead:
          plant_.break_thruster(fault.thruster, simulate::Plant::Fault::dead);
          break;
        case ThrusterFault::Kind::stuck:
          plant_.break_thruster(fault.thruster, simulate::Plant::Fault::stuck);
          break;
        case ThrusterFault::Kind::weak:
          plant_.break_thruster(fault.thruster, simulate::Plant::Fault::weak, fault.factor);
          break;
      }
      constexpr std::array<const char*, 3> what = {"dies", "sticks", "weakens"};
      tell(t, fmt::format("thruster {} {}", thruster, what[static_cast<std::size_t>(fault.kind)]));
    }
    if (!fault_known_[i] && fault.known_at && t >= *fault.known_at) {
      fault_known_[i] = true;
      const model::ForceRange range = plant_.thruster(fault.thruster).force_range(plant_.voltage());
      const int k = static_cast<int>(fault.thruster);
      switch (fault.kind) {
        case ThrusterFault::Kind::dead: allocator_->fail(k); break;
        case ThrusterFault::Kind::stuck: allocator_->set_limits(k, now, now); break;
        case ThrusterFault::Kind::weak:
          allocator_->set_limits(k, fault.factor * range.min, fault.factor * range.max);
          known_share_[fault.thruster] = fault.factor;
          break;
      }
      tell(t, fmt::format("allocation reckons with thruster {}", thruster));
    }
  }
}

void VehicleLoop::apply_sensor_faults(double t) {
  for (std::size_t i = 0; i < sensor_fault_begun_.size(); ++i) {
    const SensorFault& fault = scenario_->sensor_faults[i];
    const std::size_t k = sensor_of_robot_[fault.sensor];
    if (k == none) continue;  // not switched on in this scenario
    if (!sensor_fault_begun_[i] && t >= fault.at) {
      sensor_fault_begun_[i] = true;
      const bool silent = fault.kind == SensorFault::Kind::silent;
      silent ? sensors_[k].sensor.fail(fault.until) : sensors_[k].sensor.freeze(fault.until);
      tell(t, fmt::format("sensor {} {}", sensors_[k].sensor.name(), silent ? "falls silent" : "freezes"));
    }
    if (!sensor_fault_ended_[i] && t >= fault.until) {
      sensor_fault_ended_[i] = true;
      tell(t, fmt::format("sensor {} is back", sensors_[k].sensor.name()));
    }
  }
}

}  // namespace fathom::loop::internal
