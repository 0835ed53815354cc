#pragma once
#include "fathom/excite/arm/design.hpp"

namespace fathom::excite {

/// A base parameter and how well a motion will show it.
struct ArmShown {
  std::string name, unit;
  std::string made_of;  ///< the combination of the arm's numbers that motion shows
  double value = 0;     ///< of the nominal arm
  double sigma = 0;     ///< predicted: one period, one measurement at each sample, noise as stated

  double relative() const { return value == 0 ? infinity : sigma / std::abs(value); }
};
std::vector<ArmShown> arm_prediction(const ArmDesigner& designer, const ArmDesign& design);

}  // namespace fathom::excite
