#pragma once
#include <optional>
#include <string>

#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::exchange::internal {

/// How large the hull is, and who says so.
struct HullSize {
  Vec3 size;         ///< m, length, width, height
  std::string from;  ///< "hull.size", for people
  bool is_given = false;
  double box() const { return size.prod(); }
};

/// hull.size; where that is missing, a box round three thrusters or more. None where nothing tells it.
std::optional<HullSize> hull_size_of(const model::RobotSpec& spec);

/// A robot of that size from its geometry (docs/prior.md), with mass and volume of the model where these can be
/// true. None where the size is no hull's.
std::optional<model::Robot> guess_of(const model::RobotSpec& spec, const HullSize& size,
                                     const model::Environment& environment);

/// Share of the box round a hull that vehicles fill with what they displace: docs/lint.md.
inline constexpr double least_filling = 0.03, most_filling = 1.05, usual_filling = 0.25;

}  // namespace fathom::exchange::internal
