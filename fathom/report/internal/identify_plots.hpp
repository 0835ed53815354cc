#pragma once
#include <vector>

#include "fathom/report/identify_page.hpp"

namespace fathom::report::internal {

/// The measured motion of the first log.
Scene identified_motion(const IdentifyPage& page);
/// Velocities as the smoother saw them, for the first logs.
std::vector<Plot> velocity_plots(const IdentifyPage& page);
/// What the fitted equation leaves of the wrench over time, for the first logs.
std::vector<Plot> residual_plots(const IdentifyPage& page);
/// How long it remembers.
Plot autocorrelation_plot(const IdentifyPage& page);

}  // namespace fathom::report::internal
