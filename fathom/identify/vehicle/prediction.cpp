#include "fathom/identify/vehicle/prediction.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/identify/vehicle/internal/replay.hpp"
#include "fathom/identify/vehicle/internal/tilted_motion.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;

void check_input(const Recording& recording, const PredictionOptions& options, const Mat6X* disturbance_b) {
  const Index n = recording.size();
  if (recording.tau_b.cols() != n || recording.track.q_nb.cols() != n ||
      recording.usable.size() != static_cast<std::size_t>(n))
    reject(recording.name,
           fmt::format("has {} velocities, {} attitudes, {} wrenches and {} marks of use", n,
                       recording.track.q_nb.cols(), recording.tau_b.cols(), recording.usable.size()),
           "one of each per sample");
  if (!(recording.track.dt > 0 && std::isfinite(recording.track.dt)))
    reject(recording.name, fmt::format("has a step of {} s", recording.track.dt), "above zero");
  if (disturbance_b && disturbance_b->cols() != n)
    reject("disturbance", fmt::format("has {} samples for {}", disturbance_b->cols(), n), "one per sample");
  if (!(options.delay >= 0 && std::isfinite(options.delay)))
    reject("delay", fmt::format("= {} s, must be 0 or more", options.delay), "");
  if (!(options.horizon >= 0 && std::isfinite(options.horizon)))
    reject("horizon", fmt::format("= {} s, must be 0 or more", options.horizon), "0 is the whole log");
  if (!options.current_n.allFinite()) reject("current", "is not finite", "m/s");
}

class Forward {
 public:
  Forward(const dynamics::Vehicle& vehicle, const Recording& recording, const PredictionOptions& options,
          const Mat6X* disturbance_b)
      : vehicle_(vehicle), recording_(recording), disturbance_b_(disturbance_b), dt_(recording.track.dt) {
    lag_ = internal::lag_of(options.delay, dt_);
    horizon_ = options.horizon > 0 ? std::max<Index>(1, std::lround(options.horizon / dt_)) : recording.size();
    current_.velocity_n = options.current_n;
    measured_tilt_ = options.measured_tilt && vehicle.dof() != model::Dof::six;
    prediction_.nu_b.setConstant(6, recording.size(), nan);
    prediction_.compared.assign(recording.usable.size(), 0);
  }

  Prediction run() {
    for (const auto& [first, end] : usable_ranges(recording_.usable)) run_stretch(first, end - 1);
    return std::move(prediction_);
  }

 private:
  struct Rate {
    Eigen::Vector4d q_dot;
    Vec6 nu_dot;
  };

  /// Samples first to last are usable. The wrench that acts first was commanded a delay before.
  void run_stretch(Index first, Index last) {
    for (Index start = first + static_cast<Index>(std::ceil(lag_)); start < last; start += horizon_)
      run_from(start, std::min(last, start + horizon_));
  }

  void run_from(Index start, Index last) {
    dynamics::State state = internal::measured_state(recording_, start, vehicle_.dof(), measured_tilt_);
    ++prediction_.starts;
    // A restart keeps what the run before said of this sample: that can be compared.
    if (!prediction_.compared[static_cast<std::size_t>(start)]) prediction_.nu_b.col(start) = state.nu_b;
    Vec6 tau = wrench(static_cast<double>(start));
    for (Index k = start; k < last; ++k) {
      const Vec6 middle = wrench(static_cast<double>(k) + 0.5), end = wrench(static_cast<double>(k + 1));
      state = measured_tilt_ ? tilted_step(state, k, tau, middle, end) : step(state, tau, middle, end);
      if (!(state.nu_b.cwiseAbs().maxCoeff() <= internal::runaway)) {  // NaN too
        prediction_.diverged += static_cast<std::size_t>(last - k);
        return;
      }
      prediction_.nu_b.col(k + 1) = state.nu_b;
      for (int i = 0; i < 6; ++i)
        if (!model::is_free(vehicle_.dof(), i)) prediction_.nu_b(i, k + 1) = 0;
      prediction_.compared[static_cast<std::size_t>(k + 1)] = 1;
      tau = end;
    }
  }

  Vec6 wrench(double place) const {
    Vec6 tau = internal::between(recording_.tau_b, place - lag_);
    if (disturbance_b_) tau += internal::between(*disturbance_b_, place);
    return tau;
  }

  Rate rate(const dynamics::State& state, const Vec6& tau) const {
    return {quaternion_rate(state.q_nb, state.nu_b.tail<3>()),
            dynamics::forward_dynamics(vehicle_, state, tau, current_)};
  }

  static dynamics::State advance(const dynamics::State& state, const Rate& rate, double dt) {
    dynamics::State next;
    next.q_nb.coeffs() = state.q_nb.coeffs() + dt * rate.q_dot;
    next.nu_b = state.nu_b + dt * rate.nu_dot;
    return next;
  }

  /// The position is left out: nothing depends on it in a current that is the same everywhere, and by
  /// simulate::rk4_step, which has it and a current that changes, a prediction takes 6 % more instructions.
  dynamics::State step(const dynamics::State& state, const Vec6& tau, const Vec6& middle,
                       const Vec6& end) const {
    const Rate k1 = rate(state, tau);
    const Rate k2 = rate(advance(state, k1, dt_ / 2), middle);
    const Rate k3 = rate(advance(state, k2, dt_ / 2), middle);
    const Rate k4 = rate(advance(state, k3, dt_), end);
    dynamics::State next = advance(state,
                                   {(k1.q_dot + 2 * (k2.q_dot + k3.q_dot) + k4.q_dot) / 6,
                                    (k1.nu_dot + 2 * (k2.nu_dot + k3.nu_dot) + k4.nu_dot) / 6},
                                   dt_);
    next.q_nb.normalize();
    return next;
  }

  /// Between samples k and k + 1.
  dynamics::State tilted_step(const dynamics::State& state, Index k, const Vec6& tau, const Vec6& middle,
                              const Vec6& end) const {
    return internal::tilted_step(vehicle_, current_, state, internal::tilt_of(recording_, k),
                                 internal::tilt_of(recording_, k + 1), {tau, middle, end}, dt_);
  }

  const dynamics::Vehicle& vehicle_;
  const Recording& recording_;
  const Mat6X* disturbance_b_;
  bool measured_tilt_ = false;
  double dt_;
  double lag_;     // samples
  Index horizon_;  // samples
  model::Current current_;
  Prediction prediction_;
};

Prediction run(const dynamics::Vehicle& vehicle, const Recording& recording, const PredictionOptions& options,
               const Mat6X* disturbance_b) {
  check_input(recording, options, disturbance_b);
  return Forward(vehicle, recording, options, disturbance_b).run();
}

}  // namespace

Prediction predict(const dynamics::Vehicle& vehicle, const Recording& recording,
                   const PredictionOptions& options) {
  return run(vehicle, recording, options, nullptr);
}

Prediction predict(const dynamics::Vehicle& vehicle, const Recording& recording,
                   const PredictionOptions& options, const Mat6X& disturbance_b) {
  return run(vehicle, recording, options, &disturbance_b);
}

}  // namespace fathom::identify
