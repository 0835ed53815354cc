#pragma once
#include <cmath>

#include <Eigen/Core>

#include "fathom/solve/test/random_program.hpp"

namespace fathom::solve::test {

/// 1/2 x'Hx + c'x
struct Quadratic : Objective {
  Eigen::MatrixXd H;
  Eigen::VectorXd c;
  double evaluate(const Eigen::VectorXd& x, double, Eigen::VectorXd& gradient) override {
    gradient.noalias() = H * x;
    gradient += c;
    return 0.5 * x.dot(gradient + c);
  }
};
/// `rank` of its curvatures are positive, the others zero.
inline Quadratic random_quadratic(RandomStream& random, Eigen::Index n, Eigen::Index rank) {
  const Eigen::MatrixXd root = Eigen::MatrixXd::NullaryExpr(n, rank, [&] { return random.normal(); });
  Quadratic f;
  f.H = root * root.transpose() / static_cast<double>(n);
  f.c = 2 * random_vector(random, n);
  return f;
}

/// Rosenbrock's valley over neighbours: not convex.
struct Valley : Objective {
  double evaluate(const Eigen::VectorXd& x, double, Eigen::VectorXd& gradient) override {
    double f = 0;
    gradient.setZero();
    for (Eigen::Index i = 0; i + 1 < x.size(); ++i) {
      const double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
      f += 10 * a * a + b * b;
      gradient[i] -= 40 * a * x[i] + 2 * b;
      gradient[i + 1] += 20 * a;
    }
    return f;
  }
};

}  // namespace fathom::solve::test
