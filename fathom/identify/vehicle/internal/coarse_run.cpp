#include "fathom/identify/vehicle/internal/coarse_run.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <Eigen/Eigenvalues>

#include "fathom/geometry/rotation.hpp"

namespace fathom::identify::internal {

using Eigen::Index;

Index step_of(const dynamics::Vehicle& vehicle, const Recording& recording) {
  constexpr double longest = 0.1;  // s
  constexpr double share = 0.4;    // of the fastest time constant
  Vec6 fastest = Vec6::Zero();
  each_usable(std::span(&recording, 1),
              [&](const Recording& r, Index k) { fastest = fastest.cwiseMax(r.track.nu_b.col(k).cwiseAbs()); });
  for (int i = 0; i < 6; ++i)
    if (!model::is_free(vehicle.dof(), i)) fastest[i] = 0;
  const Mat6 decay = 2 * vehicle.M_inverse() * dynamics::damping_matrix(vehicle, fastest);
  double rate = Eigen::EigenSolver<Mat6>(decay, false).eigenvalues().cwiseAbs().maxCoeff();
  if (vehicle.dof() == model::Dof::six)
    rate += std::sqrt((vehicle.M_inverse() * vehicle.hydrostatic()).bottomRows<3>().cwiseAbs().maxCoeff() *
                      vehicle.environment().gravity());
  const double most = std::min(longest, share / std::max(rate, 1e-9));
  return std::max<Index>(1, static_cast<Index>(std::floor(most / recording.track.dt + 1e-9)));
}

WrenchIntegral::WrenchIntegral(const Mat6X& tau_b) : tau_b_(tau_b), sums_(6, tau_b.cols()) {
  sums_.col(0).setZero();
  for (Index k = 1; k < tau_b.cols(); ++k)
    sums_.col(k) = sums_.col(k - 1) + 0.5 * (tau_b.col(k - 1) + tau_b.col(k));
}

Vec6 WrenchIntegral::to(double place) const {
  const Index last = tau_b_.cols() - 1;
  if (place <= 0) return place * tau_b_.col(0);
  const auto k = std::min(static_cast<Index>(place), last);
  const double share = place - static_cast<double>(k);
  const Vec6 end = k < last ? Vec6(tau_b_.col(k) + 0.5 * share * (tau_b_.col(k + 1) - tau_b_.col(k)))
                            : Vec6(tau_b_.col(last));
  return sums_.col(k) + share * end;
}

namespace {

struct MotionRate {
  Eigen::Vector4d q_dot;
  Vec6 nu_dot;
};

dynamics::State moved(const dynamics::State& state, const MotionRate& rate, double h) {
  dynamics::State next;
  next.q_nb.coeffs() = state.q_nb.coeffs() + h * rate.q_dot;
  next.nu_b = state.nu_b + h * rate.nu_dot;
  return next;
}

}  // namespace

dynamics::State stepped(const dynamics::Vehicle& vehicle, const model::Current& current,
                        const dynamics::State& state, const Vec6& tau, double h) {
  const auto rate = [&](const dynamics::State& at) {
    return MotionRate{quaternion_rate(at.q_nb, at.nu_b.tail<3>()),
                      dynamics::forward_dynamics(vehicle, at, tau, current)};
  };
  const MotionRate a = rate(state), b = rate(moved(state, a, h / 2)), c = rate(moved(state, b, h / 2)),
                   d = rate(moved(state, c, h));
  dynamics::State next = moved(state,
                               {(a.q_dot + 2 * (b.q_dot + c.q_dot) + d.q_dot) / 6,
                                (a.nu_dot + 2 * (b.nu_dot + c.nu_dot) + d.nu_dot) / 6},
                               h);
  next.q_nb.normalize();
  return next;
}

}  // namespace fathom::identify::internal
