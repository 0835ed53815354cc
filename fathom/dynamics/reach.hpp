#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::dynamics {

/// What a robot's thrusters can do, all of them or those that are left.
struct Reach {
  int rank = 0;
  /// Of X Y Z K M N: those that cannot be pushed with nothing on the others.
  std::array<bool, 6> unreachable = {true, true, true, true, true, true};
  /// What can be had along each, with nothing on the others; none where a force range is not known.
  std::optional<std::array<model::ForceRange, 6>> alone = std::nullopt;
};

/// `failed`: thrusters by index; each then gives no force.
Reach reach_of(const model::Robot& robot, const model::Environment& environment,
               std::span<const std::size_t> failed = {});

/// The thrusters' forces [N] that push hardest along an axis (0..5), with nothing on the others; of several the
/// least ones. Nothing where the axis cannot be pushed or a force range is not known.
std::optional<std::vector<double>> hardest_push(const model::Robot& robot,
                                                const model::Environment& environment, int axis,
                                                std::span<const std::size_t> failed = {});

}  // namespace fathom::dynamics
