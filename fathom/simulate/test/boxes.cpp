#include "fathom/simulate/test/boxes.hpp"

#include <cmath>

#include "fathom/geometry/rotation.hpp"

namespace fathom::simulate::test {

State step(const Vehicle& vehicle, const Contact& contact, const State& state, double h) {
  struct Rate {
    Eigen::Vector4d q;
    Vec3 p;
    Vec6 nu;
  };
  const auto rate = [&](const State& s) -> Rate {
    return {quaternion_rate(s.q_nb, s.nu_b.tail<3>()), s.q_nb.normalized() * s.nu_b.head<3>(),
            dynamics::forward_dynamics(vehicle, s, contact.load(s).wrench_b())};
  };
  const auto go = [&](const Rate& r, double dt) {
    State next;
    next.q_nb.coeffs() = state.q_nb.coeffs() + dt * r.q;
    next.q_nb.normalize();
    next.p_nb_n = state.p_nb_n + dt * r.p;
    next.nu_b = state.nu_b + dt * r.nu;
    return next;
  };
  const Rate k1 = rate(state), k2 = rate(go(k1, h / 2)), k3 = rate(go(k2, h / 2)), k4 = rate(go(k3, h));
  return go({(k1.q + 2 * (k2.q + k3.q) + k4.q) / 6, (k1.p + 2 * (k2.p + k3.p) + k4.p) / 6,
             (k1.nu + 2 * (k2.nu + k3.nu) + k4.nu) / 6},
            h);
}

double restitution_of_damping(double damping, double speed) {
  const double x = damping * speed;
  if (x < 1e-9) return 1;
  // x - ln(1 + x), by its series where the difference would be rounding.
  const double lost = x < 1e-3 ? x * x * (1.0 / 2 - x * (1.0 / 3 - x * (1.0 / 4 - x / 5))) : x - std::log1p(x);
  double y = x;  // above the root of a convex function: Newton falls towards it
  for (int k = 0; k < 100; ++k) y -= (y * y * (1.0 / 2 + y / 3) - lost) / (y * (1 + y));
  return y / x;
}

}  // namespace fathom::simulate::test
