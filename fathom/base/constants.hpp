#pragma once
#include <limits>
#include <numbers>

namespace fathom {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double epsilon =
    std::numeric_limits<double>::epsilon();                ///< distance from 1 to the next double
inline constexpr double degrees = 180 / std::numbers::pi;  ///< degrees per radian
inline constexpr double degree = std::numbers::pi / 180;   ///< one degree [rad]
/// Half width of a 95 % interval of the normal distribution, in standard deviations.
inline constexpr double sigmas_of_95 = 1.959964;

}  // namespace fathom
