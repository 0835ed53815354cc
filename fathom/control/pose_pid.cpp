#include "fathom/control/pose_pid.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::control {
namespace {

void check(const PosePidOptions& options) {
  for (Eigen::Index i = 0; i < 6; ++i)
    if (!(options.bandwidth[i] > 0) || !std::isfinite(options.bandwidth[i]))
      reject(fmt::format("bandwidth[{}]", i), fmt::format("= {} rad/s, must be > 0", options.bandwidth[i]));
  if (!(options.damping > 0) || !std::isfinite(options.damping))
    reject("damping", fmt::format("= {}, must be > 0", options.damping));
  if (!(options.integral >= 0) || options.integral >= 2 * options.damping)  // Routh: 2 z w w^2 > c w^3
    reject("integral", fmt::format("= {}, must be >= 0 and < 2 damping = {}: the loop would be unstable",
                                   options.integral, 2 * options.damping));
}

/// A twist or wrench in other axes.
Vec6 rotated(const Quat& q, const Vec6& v) {
  Vec6 out;
  out << q * v.head<3>(), q * v.tail<3>();
  return out;
}

}  // namespace

Vec6 pose_error(const trajectory::Reference& reference, const dynamics::State& state) {
  Vec6 error;
  const Quat q_bn = state.q_nb.conjugate();
  error << q_bn * (reference.p_nb_n - state.p_nb_n), log_rotation(q_bn * reference.q_nb);
  return error;
}

PosePid::PosePid(const dynamics::Vehicle& model, const PosePidOptions& options,
                 const std::optional<dynamics::Vehicle>& feed_forward_model)
    : feed_forward_model_(feed_forward_model.value_or(model)), options_(options) {
  check(options);
  const Mat6 still = dynamics::damping_matrix(model, Vec6::Zero());
  for (Eigen::Index i = 0; i < 6; ++i) {
    const double inertia = model.M()(i, i), w = options.bandwidth[i];
    held_[i] = options.axes[static_cast<std::size_t>(i)] ? 1 : 0;
    kp_[i] = held_[i] * inertia * w * w;
    ki_[i] = options.integral * w * kp_[i];
    kd_[i] = held_[i] * std::max(0.0, 2 * options.damping * w * inertia - still(i, i));
  }
}

Vec6 PosePid::wrench(const trajectory::Reference& reference, const dynamics::State& state) const {
  const Quat q_br = state.q_nb.conjugate() * reference.q_nb;  // from the reference's axes to the body's
  const Vec6 rate_error = rotated(q_br, reference.nu_b) - state.nu_b;
  Vec6 tau = kp_.cwiseProduct(pose_error(reference, state)) + kd_.cwiseProduct(rate_error);
  tau.head<3>() += state.q_nb.conjugate() * integral_.head<3>();
  tau.tail<3>() += integral_.tail<3>();
  if (options_.feed_forward) {
    const dynamics::State wanted{reference.q_nb, reference.p_nb_n, reference.nu_b};
    tau += rotated(q_br, dynamics::inverse_dynamics(feed_forward_model_, wanted, reference.nu_dot_b));
  }
  return held_.cwiseProduct(tau);
}

void PosePid::advance(const trajectory::Reference& reference, const dynamics::State& state,
                      const Vec6& demanded_b, const Vec6& achieved_b, double dt) {
  const Vec6 missing = achieved_b - demanded_b;
  const Vec6 rate_b = ki_.cwiseProduct(pose_error(reference, state)) +
                      held_.cwiseProduct(options_.bandwidth).cwiseProduct(missing);
  integral_.head<3>() += dt * (state.q_nb * rate_b.head<3>());
  integral_.tail<3>() += dt * rate_b.tail<3>();
}

}  // namespace fathom::control
