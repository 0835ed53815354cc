#include "fathom/loop/internal/command_path.hpp"

#include <algorithm>

#include "fathom/dynamics/attainable.hpp"

namespace fathom::loop::internal {

std::vector<model::ForceRange> force_ranges(const simulate::Plant& plant) {
  std::vector<model::ForceRange> ranges;
  for (std::size_t k = 0; k < plant.thruster_count(); ++k)
    ranges.push_back(plant.thruster(k).force_range(plant.voltage()));
  return ranges;
}

control::PosePidOptions reachable(control::PosePidOptions options,
                                  const std::optional<dynamics::Allocator>& allocator, model::Dof dof) {
  std::array<bool, 6> unreachable = {true, true, true, true, true, true};
  if (allocator) unreachable = allocator->unreachable_axes();
  for (std::size_t i = 0; i < 6; ++i)
    options.axes[i] = options.axes[i] && !unreachable[i] && model::is_free(dof, static_cast<int>(i));
  return options;
}

control::JoystickOptions with_limits(const JoystickControl& joystick, const Mat6X& B,
                                     std::span<const model::ForceRange> limits) {
  const auto smaller_side = [](const model::ForceRange& range) {
    const double side = std::min(-range.min, range.max);
    return side > 0 ? side : 0;  // also where the range is not a number
  };
  control::JoystickOptions options = joystick.options;
  if (limits.empty()) return options;
  const auto ranges = dynamics::AttainableWrench(B, limits).axis_ranges();
  for (const int axis : joystick.axes)
    if (options.limit_b[axis] == 0)
      options.limit_b[axis] = joystick.share * smaller_side(ranges[static_cast<std::size_t>(axis)]);
  return options;
}

bool falls_short(const dynamics::Allocation& given, const Vec6& tau_b) {
  return given.saturated || given.unreachable_b.norm() > 1e-9 * (1 + tau_b.norm());
}

}  // namespace fathom::loop::internal
