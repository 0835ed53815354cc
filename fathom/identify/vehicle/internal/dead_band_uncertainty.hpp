#pragma once
#include <functional>
#include <vector>

#include "fathom/identify/vehicle/recording.hpp"

namespace fathom::identify::internal {

/// docs/identification.md eq. 36: by what one sigma of the dead band [N] moves an estimate. `estimate` is asked
/// with the wrench to either side.
Eigen::VectorXd moved_by_dead_band(
    const std::vector<Recording>& recordings, double dead_band, double sigma,
    const std::function<Eigen::VectorXd(const std::vector<Recording>&)>& estimate);

}  // namespace fathom::identify::internal
