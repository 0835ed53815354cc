#include "fathom/identify/vehicle/internal/tilted_motion.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "fathom/geometry/rotation.hpp"

namespace fathom::identify::internal {
namespace {

Tilt half_way(const Tilt& a, const Tilt& b) {
  const double roll = std::remainder(b.roll - a.roll, 2 * std::numbers::pi);
  return {a.roll + roll / 2, (a.pitch + b.pitch) / 2, (a.nu_b + b.nu_b) / 2, (a.nu_dot_b + b.nu_dot_b) / 2};
}

Vec6 with_held(model::Dof dof, Vec6 free, const Vec6& held) {
  for (int i = 0; i < 6; ++i)
    if (!model::is_free(dof, i)) free[i] = held[i];
  return free;
}

}  // namespace

Tilt tilt_of(const Recording& recording, Eigen::Index k) {
  const Vec3 euler = euler_from_quaternion(recording.track.attitude(k).normalized());
  return {euler.x(), euler.y(), recording.track.nu_b.col(k), recording.track.nu_dot_b.col(k)};
}

Vec6 wrench_of_held(const dynamics::Vehicle& vehicle, const Vec6& nu_dot_b) {
  return vehicle.M() * with_held(vehicle.dof(), Vec6::Zero(), nu_dot_b);
}

dynamics::State tilted_step(const dynamics::Vehicle& vehicle, const model::Current& current,
                            const dynamics::State& state, const Tilt& from, const Tilt& to,
                            const StepWrench& tau, double h) {
  const Tilt half = half_way(from, to);
  const auto rate_at = [&](const Tilt& at, double heading, const Vec6& nu_b, const Vec6& tau_b) {
    dynamics::State there;
    there.q_nb = quaternion_from_euler({at.roll, at.pitch, heading});
    there.nu_b = with_held(vehicle.dof(), nu_b, at.nu_b);
    const double heading_rate = (there.nu_b[4] * std::sin(at.roll) + there.nu_b[5] * std::cos(at.roll)) /
                                std::max(0.05, std::cos(at.pitch));
    return std::pair(heading_rate, dynamics::forward_dynamics(
                                       vehicle, there, tau_b - wrench_of_held(vehicle, at.nu_dot_b), current));
  };
  const double psi = euler_from_quaternion(state.q_nb).z();
  const Vec6& nu = state.nu_b;
  const auto k1 = rate_at(from, psi, nu, tau.begin);
  const auto k2 = rate_at(half, psi + h / 2 * k1.first, nu + h / 2 * k1.second, tau.middle);
  const auto k3 = rate_at(half, psi + h / 2 * k2.first, nu + h / 2 * k2.second, tau.middle);
  const auto k4 = rate_at(to, psi + h * k3.first, nu + h * k3.second, tau.end);
  dynamics::State next;
  next.nu_b =
      with_held(vehicle.dof(), nu + h / 6 * (k1.second + 2 * (k2.second + k3.second) + k4.second), to.nu_b);
  next.q_nb = quaternion_from_euler(
      {to.roll, to.pitch, psi + h / 6 * (k1.first + 2 * (k2.first + k3.first) + k4.first)});
  return next;
}

}  // namespace fathom::identify::internal
