#pragma once
#include <limits>
#include <numbers>

namespace fathom {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double epsilon = std::numeric_limits<double>::epsilon();  ///< from 1 to the next number
inline constexpr double degrees = 180 / std::numbers::pi;                  ///< of a radian
inline constexpr double degree = std::numbers::pi / 180;                   ///< in rad
/// Of the normal distribution, 95 % are nearer to the mean.
inline constexpr double sigmas_of_95 = 1.959964;

}  // namespace fathom
