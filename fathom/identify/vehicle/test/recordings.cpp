#include "fathom/identify/vehicle/test/recordings.hpp"

#include <cmath>

#include "fathom/base/random.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::identify::test {

Wrench sinusoids(std::uint64_t seed, const Vec6& size) {
  RandomStream random(seed, "wrench");
  Eigen::Matrix<double, 6, 4> rate, phase;
  for (double& x : rate.reshaped()) x = random.uniform(0.1, 1.2);
  for (double& x : phase.reshaped()) x = random.uniform(0, 6.28);
  return [=](double t) -> Vec6 {
    const Vec6 sum = (rate.array() * t + phase.array()).sin().rowwise().sum();
    return size.cwiseProduct(sum) / 2;
  };
}

Recording swim_under(const dynamics::Vehicle& vehicle,
                     const std::function<Vec6(double t, const Vec6& nu_b)>& commanded,
                     const std::function<Vec6(const Recording& log, double t)>& acting, double duration,
                     double dt, dynamics::State state, const model::Current& current) {
  const auto n = static_cast<Eigen::Index>(std::lround(duration / dt)) + 1;
  Recording recording;
  recording.name = "swim";
  recording.track.dt = dt;
  recording.track.p_nb_n.setZero(3, n);
  recording.track.q_nb.setZero(4, n);
  for (Mat6X* rows :
       {&recording.track.nu_b, &recording.track.nu_dot_b, &recording.track.nu_sigma_b, &recording.tau_b})
    rows->setZero(6, n);
  recording.usable.assign(static_cast<std::size_t>(n), 1);
  recording.track.measured = recording.usable;
  constexpr int fine = 10;
  const double h = dt / fine;
  const auto rate = [&](const dynamics::State& s, double t) {
    return std::pair(quaternion_rate(s.q_nb, s.nu_b.tail<3>()),
                     dynamics::forward_dynamics(vehicle, s, acting(recording, t), current));
  };
  const auto moved = [](dynamics::State s, const auto& by, double step) {
    s.q_nb.coeffs() += step * by.first;
    s.nu_b += step * by.second;
    return s;
  };
  for (Eigen::Index k = 0; k < n; ++k) {
    const double t = dt * static_cast<double>(k);
    recording.tau_b.col(k) = commanded(t, state.nu_b);
    recording.track.q_nb.col(k) = state.q_nb.coeffs();
    recording.track.nu_b.col(k) = state.nu_b;
    recording.track.nu_dot_b.col(k) = rate(state, t).second;
    for (int i = 0; i < fine; ++i) {
      const double s = t + h * i;
      const auto k1 = rate(state, s), k2 = rate(moved(state, k1, h / 2), s + h / 2),
                 k3 = rate(moved(state, k2, h / 2), s + h / 2), k4 = rate(moved(state, k3, h), s + h);
      state = moved(moved(moved(moved(state, k1, h / 6), k2, h / 3), k3, h / 3), k4, h / 6);
      state.q_nb.normalize();
    }
  }
  return recording;
}

Recording swim(const dynamics::Vehicle& vehicle, const Wrench& tau, double duration, double dt, double delay,
               const dynamics::State& state, const model::Current& current) {
  return swim_under(
      vehicle, [&](double t, const Vec6&) { return tau(t); },
      [&](const Recording&, double t) { return tau(t - delay); }, duration, dt, state, current);
}

}  // namespace fathom::identify::test
