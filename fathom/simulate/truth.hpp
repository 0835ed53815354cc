#pragma once
#include <span>

#include "fathom/dynamics/vehicle.hpp"

namespace fathom::simulate {

/// What is so at one instant of a simulation. The spans are looked at only during a call.
struct Truth {
  double t = 0;  ///< s
  dynamics::State state;
  Vec6 nu_dot_b = Vec6::Zero();  ///< under the inputs that act over the step to which the instant belongs
  std::span<const double> shaft_rates = {};     ///< rad/s, one per thruster
  std::span<const double> motor_currents = {};  ///< A, one per thruster
};

/// s. Times that differ by less, such as 0.1 + 0.2 and 0.3, are one.
inline constexpr double clock_tolerance = 1e-9;

/// State and acceleration at one instant.
struct TrueMotion {
  dynamics::State state;
  Vec6 nu_dot_b = Vec6::Zero();
};

/// The motion at t between two instants; docs/sensors.md eq. 16. Position, attitude and twist are cubic and
/// match value and rate at both ends: their error is of the fourth order in the step; that of nu_dot, which is
/// linear, of the second. A t outside, or within clock_tolerance of an end, is taken as that end.
TrueMotion motion_between(const Truth& before, const Truth& after, double t);

}  // namespace fathom::simulate
