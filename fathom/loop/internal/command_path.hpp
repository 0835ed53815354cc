#pragma once
#include <optional>
#include <span>
#include <vector>

#include "fathom/dynamics/allocation.hpp"
#include "fathom/loop/scenario.hpp"
#include "fathom/simulate/plant.hpp"

namespace fathom::loop::internal {

// What the control of a vehicle and that of several as one have in common.

/// N, what each thruster gives at the voltage of its plant.
std::vector<model::ForceRange> force_ranges(const simulate::Plant& plant);

/// Axes for which there are no thrusters cannot be held.
control::PosePidOptions reachable(control::PosePidOptions options,
                                  const std::optional<dynamics::Allocator>& allocator, model::Dof dof);

/// The pushes of a pilot whose thrusters have the columns `B` and these limits.
control::JoystickOptions with_limits(const JoystickControl& joystick, const Mat6X& B,
                                     std::span<const model::ForceRange> limits);

/// Part of the demand is beyond the thrusters, for want of force or of direction.
bool falls_short(const dynamics::Allocation& given, const Vec6& tau_b);

}  // namespace fathom::loop::internal
