#include "fathom/simulate/test/lines.hpp"

#include <limits>

#include <Eigen/LU>
#include <gtest/gtest.h>

namespace fathom::simulate::test {

VectorXd Line::initial() const {
  VectorXd x(tether.size());
  tether.initial({x.data(), static_cast<std::size_t>(x.size())}, end_n);
  return x;
}

TetherLoad Line::derivative(double t, const VectorXd& x, VectorXd& dx) const {
  dx.setConstant(x.size(), std::numeric_limits<double>::quiet_NaN());
  return tether.derivative({x.data(), static_cast<std::size_t>(x.size())}, end_n, end_velocity_n,
                           field.at_time(t), {dx.data(), static_cast<std::size_t>(dx.size())});
}

TetherLoad Line::load(const VectorXd& x) const {
  VectorXd dx;
  return derivative(0, x, dx);
}

VectorXd Line::rate(const VectorXd& x, double t) const {
  VectorXd dx;
  derivative(t, x, dx);
  return dx;
}

double Line::energy(const VectorXd& x) const {
  return tether.energy({x.data(), static_cast<std::size_t>(x.size())}, end_n);
}

VectorXd Line::rk4(const VectorXd& x, double h) const {
  const VectorXd k1 = rate(x), k2 = rate(x + h / 2 * k1), k3 = rate(x + h / 2 * k2), k4 = rate(x + h * k3);
  return x + h / 6 * (k1 + 2 * (k2 + k3) + k4);
}

MatrixXd Line::jacobian(const VectorXd& x, double h) const {
  MatrixXd J(x.size(), x.size());
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    VectorXd plus = x, minus = x;
    plus[j] += h;
    minus[j] -= h;
    J.col(j) = (rate(plus) - rate(minus)) / (2 * h);
  }
  return J;
}

VectorXd Line::equilibrium(VectorXd x) const {
  const int n = tether.inner_nodes();
  for (int iteration = 0; iteration < 60; ++iteration) {
    const VectorXd a = rate(x);
    const MatrixXd J = jacobian(x);
    MatrixXd reduced(3 * n, 3 * n);
    VectorXd residual(3 * n);
    for (int i = 0; i < n; ++i) {
      residual.segment<3>(3 * i) = a.segment<3>(6 * i + 3);
      for (int j = 0; j < n; ++j) reduced.block<3, 3>(3 * i, 3 * j) = J.block<3, 3>(6 * i + 3, 6 * j);
    }
    const VectorXd step = reduced.partialPivLu().solve(residual);
    for (int i = 0; i < n; ++i) x.segment<3>(6 * i) -= step.segment<3>(3 * i);
    if (step.norm() < 1e-10) return x;
  }
  ADD_FAILURE() << "no equilibrium found";
  return x;
}

}  // namespace fathom::simulate::test
