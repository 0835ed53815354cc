#pragma once
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/simulate/contact.hpp"

namespace fathom::simulate::test {

using dynamics::State;
using dynamics::Vehicle;

/// A box of 0.4 x 0.3 x 0.2 m that weighs `mass` and displaces 12 litres.
inline model::Robot box(double mass, const Vec3& centre = Vec3::Zero(), double drag = 0) {
  model::RobotSpec spec;
  spec.name = "box";
  spec.hull.mass.value = mass;
  spec.hull.volume.value = 0.012;
  spec.hull.inertia.value = Vec3(0.13, 0.2, 0.25).asDiagonal();
  spec.hull.centre_of_mass.value = spec.hull.centre_of_buoyancy.value = centre;
  spec.hull.added_mass.value.topLeftCorner<3, 3>() = Vec3(5, 7, 12).asDiagonal();
  spec.hull.added_mass.value.bottomRightCorner<3, 3>() = 0.1 * Mat3::Identity();
  spec.hull.size.emplace().value = {0.4, 0.3, 0.2};
  model::DragElement element;
  element.name = "hull";
  element.linear.value = drag * Mat6::Identity();
  spec.damping.push_back(element);
  return model::Robot::make_unchecked(spec);
}

inline Tank pool() { return {{-3, -2, 0}, {3, 2, 4}}; }

/// Classical Runge-Kutta with the wrench asked for at each stage, as a simulator does.
inline State step(const Vehicle& vehicle, const Contact& contact, const State& state, double h) {
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

}  // namespace fathom::simulate::test
