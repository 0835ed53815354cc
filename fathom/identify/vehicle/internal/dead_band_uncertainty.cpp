#include "fathom/identify/vehicle/internal/dead_band_uncertainty.hpp"

#include <algorithm>

namespace fathom::identify::internal {

Eigen::VectorXd moved_by_dead_band(
    const std::vector<Recording>& recordings, double dead_band, double sigma,
    const std::function<Eigen::VectorXd(const std::vector<Recording>&)>& estimate) {
  const double low = std::max(0.0, dead_band - sigma), high = dead_band + sigma;
  std::vector<Recording> other = recordings;
  const auto at = [&](double band) {
    for (std::size_t k = 0; k < other.size(); ++k) other[k].tau_b = wrench_beyond(recordings[k], band);
    return estimate(other);
  };
  const Eigen::VectorXd above = at(high), below = at(low);
  return sigma * (above - below) / (high - low);
}

}  // namespace fathom::identify::internal
