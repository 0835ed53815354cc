#pragma once
#include <array>

namespace fathom::identify {

/// Surge, sway, heave and yaw in [u v w p q r]: what models are compared by, because all have them.
inline constexpr std::array<int, 4> scored_velocities = {0, 1, 2, 5};

}  // namespace fathom::identify
