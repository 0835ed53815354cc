#pragma once

namespace fathom {

/// Of the normal distribution: 95 % are nearer to the mean than this many standard deviations.
inline constexpr double sigmas_of_95 = 1.959964;

}  // namespace fathom
