#pragma once
#include <vector>

#include "fathom/report/excite_page.hpp"

namespace fathom::report::internal {

/// The path in its tank, within the limits of its position.
Scene motion_scene(const ExcitePage& page);

/// Pose, speeds, accelerations, body velocities and wrench over time, with their limits.
std::vector<Plot> motion_plots(const ExcitePage& page);

}  // namespace fathom::report::internal
