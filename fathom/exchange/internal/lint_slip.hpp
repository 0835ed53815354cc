#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

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

/// A unit that is written for another: the number has to be multiplied by `factor` to be right.
struct UnitSlip {
  double factor;
  std::string_view what;  ///< "grams instead of kg"
};

/// What the writer of a number may have meant.
struct Slip {
  double meant = 0;
  std::string what;
};

/// Where numbers of one kind lie that are right; all positive.
struct Expected {
  double value, least, most;
};

/// The slip that brings `value` nearest to what is expected, and within its limits: a sign, a unit, two digits
/// that changed places, a decimal point that moved. None where nothing does.
std::optional<Slip> likely_slip(double value, const Expected& expected, std::span<const UnitSlip> units);

/// "; 1863 would fit: tonnes instead of kg", or nothing.
std::string slip_text(const std::optional<Slip>& slip);

/// Does one number become the other when two neighbouring digits change places?
bool digits_swapped(double a, double b);

}  // namespace fathom::exchange::internal
