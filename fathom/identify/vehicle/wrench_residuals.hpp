#pragma once
#include <vector>

#include "fathom/identify/vehicle/prediction.hpp"

namespace fathom::identify {

/// Wrench that a model leaves unexplained along a recording, on its clock: tau(t - delay) less what the
/// measured motion needs.
struct WrenchResiduals {
  double dt = 0;  ///< s
  Mat6X wrench_b;
  std::vector<char> usable;  ///< 0 where there is none
};
WrenchResiduals residuals_of(const dynamics::Vehicle& vehicle, const Recording& recording,
                             const PredictionOptions& options = {});

}  // namespace fathom::identify
