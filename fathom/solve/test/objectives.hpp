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

/// Squared distances of points (x_i, y_i) from targets outside of the unit disc, which a barrier keeps them in;
/// x is one block, y another. Tells the barrier's curvature where asked to.
struct Discs : Objective {
  Eigen::MatrixX2d targets;
  bool tells = false;

  double evaluate(const Eigen::VectorXd& x, double mu, Eigen::VectorXd& gradient) override {
    const Eigen::Index n = targets.rows();
    double f = 0;
    ratio_ = infinity;
    for (Eigen::Index i = 0; i < n; ++i) {
      const Eigen::Vector2d p(x[i], x[n + i]), d = p - targets.row(i).transpose();
      const double slack = 1 - p.squaredNorm();
      if (before_.size() > 0) ratio_ = std::min(ratio_, slack / before_[i]);
      if (!(slack > 0) && mu > 0) f = infinity;
      f += d.squaredNorm() - (mu > 0 && slack > 0 ? mu * std::log(slack) : 0);
      gradient[i] = 2 * d[0] + mu * 2 * p[0] / slack;
      gradient[n + i] = 2 * d[1] + mu * 2 * p[1] / slack;
    }
    return f;
  }
  void add_curvature(const Eigen::VectorXd& x, double mu, Curvature& to) override {
    if (!tells) return;
    const Eigen::Index n = targets.rows();
    before_.resize(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const Eigen::Vector2d p(x[i], x[n + i]);
      before_[i] = 1 - p.squaredNorm();
      const Eigen::Matrix2d square = mu * 4 / (before_[i] * before_[i]) * p * p.transpose();
      to.add(i, 1, square.data());
    }
  }
  double slack_ratio() const override { return ratio_; }

 private:
  Eigen::VectorXd before_;
  double ratio_ = 1;
};

}  // namespace fathom::solve::test
