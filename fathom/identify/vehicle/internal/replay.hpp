#pragma once
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/identify/vehicle/recording.hpp"

namespace fathom::identify::internal {

inline constexpr double runaway = 100;  ///< m/s or rad/s: nothing under water does that

/// A wrench linear between its samples; place 2.5 is half-way between samples 2 and 3.
Vec6 between(const Mat6X& wrench, double place);

/// A delay in samples; whole where it is but for rounding.
double lag_of(double delay, double dt);

/// What was measured, as the vehicle's degrees of freedom have it: held velocities are zero, roll and pitch
/// too.
dynamics::State measured_state(const Recording& recording, Eigen::Index k, model::Dof dof);

}  // namespace fathom::identify::internal
