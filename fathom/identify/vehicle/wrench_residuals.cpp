#include "fathom/identify/vehicle/wrench_residuals.hpp"

#include <cmath>

#include "fathom/identify/vehicle/internal/replay.hpp"

namespace fathom::identify {

WrenchResiduals residuals_of(const dynamics::Vehicle& vehicle, const Recording& recording,
                             const PredictionOptions& options) {
  const Eigen::Index n = recording.size();
  WrenchResiduals residuals{recording.track.dt, Mat6X::Zero(6, n),
                            std::vector<char>(recording.usable.size(), 0)};
  const double lag = internal::lag_of(options.delay, recording.track.dt);
  const auto delay = static_cast<Eigen::Index>(std::ceil(lag));
  Eigen::Index run = 0;  // usable samples up to here
  for (Eigen::Index k = 0; k < n; ++k) {
    run = recording.usable[static_cast<std::size_t>(k)] ? run + 1 : 0;
    if (run <= delay) continue;
    const dynamics::State state = internal::measured_state(recording, k, vehicle.dof(), options.measured_tilt);
    Vec6 nu_dot = recording.track.nu_dot_b.col(k);
    for (int i = 0; i < 6; ++i)
      if (!model::is_free(vehicle.dof(), i) && !options.measured_tilt) nu_dot[i] = 0;
    const Vec6 needed = dynamics::inverse_dynamics(vehicle, state, nu_dot, {options.current_n});
    residuals.wrench_b.col(k) = internal::between(recording.tau_b, static_cast<double>(k) - lag) - needed;
    residuals.usable[static_cast<std::size_t>(k)] = 1;
  }
  return residuals;
}

}  // namespace fathom::identify
