#pragma once
#include "fathom/excite/arm/design.hpp"
#include "fathom/excite/prediction.hpp"

namespace fathom::excite {

/// Returns the base parameters of the nominal arm with the sigmas that a motion will give: one period, one
/// measurement at each sample, noise as stated. The scale of each is its size.
Prediction arm_accuracy(const ArmDesigner& designer, const ArmDesign& design);

}  // namespace fathom::excite
