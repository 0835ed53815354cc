#include "fathom/simulate/truth.hpp"

#include "fathom/geometry/rotation.hpp"

namespace fathom::simulate {
namespace {

/// Weights of (value, rate times step) at the start and the end of a step, at share u of it.
struct Hermite {
  explicit Hermite(double u)
      : value_0((1 + 2 * u) * (1 - u) * (1 - u)),
        rate_0(u * (1 - u) * (1 - u)),
        value_1(u * u * (3 - 2 * u)),
        rate_1(u * u * (u - 1)) {}
  double value_0, rate_0, value_1, rate_1;
};

/// d/dt of the rotation vector phi for body rates omega: Jr(phi)^-1 omega. By its series, whose next term is
/// phi^4 / 30240: within a step the vehicle turns by little.
Vec3 rotation_vector_rate(const Vec3& phi, const Vec3& omega) {
  const Vec3 cross = phi.cross(omega);
  return omega + 0.5 * cross + (1.0 / 12 + phi.squaredNorm() / 720) * phi.cross(cross);
}

}  // namespace

TrueMotion motion_between(const Truth& before, const Truth& after, double t) {
  const double step = after.t - before.t;
  if (!(t > before.t + clock_tolerance)) return {before.state, before.nu_dot_b};
  if (!(t < after.t - clock_tolerance)) return {after.state, after.nu_dot_b};
  const dynamics::State &a = before.state, &b = after.state;
  const double u = (t - before.t) / step;
  const Hermite w(u);
  const Vec3 v_a_n = a.q_nb * a.nu_b.head<3>(), v_b_n = b.q_nb * b.nu_b.head<3>();
  const Vec3 turn = log_rotation(a.q_nb.conjugate() * b.q_nb);
  const Vec3 phi = w.value_1 * turn + step * (w.rate_0 * a.nu_b.tail<3>() +
                                              w.rate_1 * rotation_vector_rate(turn, b.nu_b.tail<3>()));
  TrueMotion motion;
  motion.state.p_nb_n =
      w.value_0 * a.p_nb_n + w.value_1 * b.p_nb_n + step * (w.rate_0 * v_a_n + w.rate_1 * v_b_n);
  motion.state.q_nb = a.q_nb * exp_rotation(phi);
  motion.state.nu_b =
      w.value_0 * a.nu_b + w.value_1 * b.nu_b + step * (w.rate_0 * before.nu_dot_b + w.rate_1 * after.nu_dot_b);
  motion.nu_dot_b = (1 - u) * before.nu_dot_b + u * after.nu_dot_b;
  return motion;
}

}  // namespace fathom::simulate
