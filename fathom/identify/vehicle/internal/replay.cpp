#include "fathom/identify/vehicle/internal/replay.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/geometry/rotation.hpp"

namespace fathom::identify::internal {

using Eigen::Index;

Vec6 between(const Mat6X& wrench, double place) {
  const Index k = std::clamp<Index>(static_cast<Index>(place), 0, std::max<Index>(wrench.cols() - 2, 0));
  const double share = place - static_cast<double>(k);
  if (share == 0) return wrench.col(k);
  return wrench.col(k) + share * (wrench.col(k + 1) - wrench.col(k));
}

double lag_of(double delay, double dt) {
  const double lag = delay / dt, whole = std::round(lag);
  return std::abs(lag - whole) < 1e-9 ? whole : lag;
}

dynamics::State measured_state(const Recording& recording, Index k, model::Dof dof) {
  dynamics::State state;
  state.q_nb = recording.track.attitude(k).normalized();
  state.nu_b = recording.track.nu_b.col(k);
  if (dof == model::Dof::six) return state;
  state.q_nb = quaternion_from_euler({0, 0, euler_from_quaternion(state.q_nb).z()});
  for (int i = 0; i < 6; ++i)
    if (!model::is_free(dof, i)) state.nu_b[i] = 0;
  return state;
}

}  // namespace fathom::identify::internal
