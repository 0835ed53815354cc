#pragma once
#include "fathom/base/random.hpp"
#include "fathom/simulate/current_field.hpp"
#include "fathom/simulate/tether.hpp"

namespace fathom::simulate::test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

inline Vec3 random_vec3(RandomStream& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

inline CurrentField uniform_current(const Vec3& v) {
  CurrentSpec spec;
  spec.constant_n = v;
  return CurrentField(spec);
}

inline double displaced_per_length(const TetherSpec& spec) {
  return 1000 * M_PI / 4 * spec.diameter * spec.diameter;
}

/// A line between its anchor and a point that is held or moved.
struct Line {
  Tether tether;
  CurrentField field;
  Vec3 end_n, end_velocity_n = Vec3::Zero();

  VectorXd initial() const;
  TetherLoad derivative(double t, const VectorXd& x, VectorXd& dx) const;
  TetherLoad load(const VectorXd& x) const;
  VectorXd rate(const VectorXd& x, double t = 0) const;
  double energy(const VectorXd& x) const;
  VectorXd rk4(const VectorXd& x, double h) const;
  MatrixXd jacobian(const VectorXd& x, double h = 1e-6) const;
  /// Newton's method on the accelerations of nodes at rest.
  VectorXd equilibrium(VectorXd x) const;
};

inline Vec3 node(const VectorXd& x, int k) { return x.segment<3>(6 * k); }

/// A line in any state: bent, partly slack, moving.
inline VectorXd random_state(const Line& line, RandomStream& random, double offset, double speed) {
  VectorXd x = line.initial();
  for (int k = 0; k < line.tether.inner_nodes(); ++k) {
    x.segment<3>(6 * k) += random_vec3(random, offset);
    x.segment<3>(6 * k + 3) = random_vec3(random, speed);
  }
  return x;
}

}  // namespace fathom::simulate::test
