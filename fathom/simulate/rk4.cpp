#include "fathom/simulate/rk4.hpp"

namespace fathom::simulate {
namespace {

using dynamics::State;

struct Rate {
  Eigen::Vector4d q_dot;
  Vec3 p_dot;
  Vec6 nu_dot;
};

Rate rate_at(const dynamics::Vehicle& vehicle, const State& state, const Vec6& tau_b,
             const model::Current& current) {
  return {quaternion_rate(state.q_nb, state.nu_b.tail<3>()), state.q_nb * state.nu_b.head<3>(),
          dynamics::forward_dynamics(vehicle, state, tau_b, current)};
}

State advance(const State& state, const Rate& rate, double dt) {
  State next;
  next.q_nb.coeffs() = state.q_nb.coeffs() + dt * rate.q_dot;
  next.p_nb_n = state.p_nb_n + dt * rate.p_dot;
  next.nu_b = state.nu_b + dt * rate.nu_dot;
  return next;
}

model::Current after(const model::Current& current, double dt) {
  return {current.velocity_n + dt * current.acceleration_n, current.acceleration_n, current.convective_n};
}

}  // namespace

State rk4_step(const dynamics::Vehicle& vehicle, const State& state, const Vec6& tau_b, double dt,
               const model::Current& current) {
  const model::Current middle = after(current, dt / 2), end = after(current, dt);
  const Rate k1 = rate_at(vehicle, state, tau_b, current);
  const Rate k2 = rate_at(vehicle, advance(state, k1, dt / 2), tau_b, middle);
  const Rate k3 = rate_at(vehicle, advance(state, k2, dt / 2), tau_b, middle);
  const Rate k4 = rate_at(vehicle, advance(state, k3, dt), tau_b, end);
  const Rate mean = {(k1.q_dot + 2 * (k2.q_dot + k3.q_dot) + k4.q_dot) / 6,
                     (k1.p_dot + 2 * (k2.p_dot + k3.p_dot) + k4.p_dot) / 6,
                     (k1.nu_dot + 2 * (k2.nu_dot + k3.nu_dot) + k4.nu_dot) / 6};
  State next = advance(state, mean, dt);
  next.q_nb.normalize();
  return next;
}

}  // namespace fathom::simulate
