#pragma once
#include <cstddef>
#include <span>

namespace fathom::sensing {

/// A tachometer gives the shaft's speed [rad/s] and an ammeter the motor's current [A] as they are. They have
/// names so that every sensor is read in the same way. The derivative by that speed or current is 1.
inline double thruster_rate(std::span<const double> shaft_rates, std::size_t k) { return shaft_rates[k]; }
inline double thruster_current(std::span<const double> motor_currents, std::size_t k) {
  return motor_currents[k];
}

}  // namespace fathom::sensing
