#pragma once
#include "fathom/geometry/rotation.hpp"
#include "fathom/trajectory/reference.hpp"

namespace fathom::trajectory::test {

/// How far a reference is from central differences of its neighbours.
struct DerivativeErrors {
  double velocity = 0, turn_rate = 0, acceleration = 0;  ///< m/s, rad/s, both per second
};

/// Of path.at(t), by steps of h.
template <class Path>
DerivativeErrors derivative_errors(const Path& path, double t, double h) {
  const Reference here = path.at(t), before = path.at(t - h), after = path.at(t + h);
  const Vec3 v_n = (after.p_nb_n - before.p_nb_n) / (2 * h);
  const Vec3 omega_b = log_rotation(before.q_nb.conjugate() * after.q_nb) / (2 * h);
  return {(here.q_nb * here.nu_b.head<3>() - v_n).norm(), (here.nu_b.tail<3>() - omega_b).norm(),
          (here.nu_dot_b - (after.nu_b - before.nu_b) / (2 * h)).norm()};
}

}  // namespace fathom::trajectory::test
