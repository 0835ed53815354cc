#include "fathom/dynamics/test/layouts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/QR>

namespace fathom::dynamics::test {

Layout random_layout(int thrusters, RandomStream& random) {
  Layout layout;
  layout.B.resize(6, thrusters);
  for (int i = 0; i < thrusters; ++i) {
    const Vec3 e = Vec3(random.normal(), random.normal(), random.normal()).normalized();
    const Vec3 r = 0.3 * Vec3(random.normal(), random.normal(), random.normal());
    layout.B.col(i) << e, r.cross(e);
    layout.limits.push_back({-random.uniform(10, 50), random.uniform(10, 50)});
    layout.options.weights.push_back(random.uniform(0.5, 3));
  }
  return layout;
}

double cost(const Layout& layout, const Eigen::VectorXd& f) {
  double sum = 0;
  for (Eigen::Index i = 0; i < f.size(); ++i) sum += layout.weight(i) * f[i] * f[i];
  return sum;
}

double least_cost(const Layout& layout, const Vec6& tau, const Eigen::MatrixXd& U) {
  const Eigen::Index n = layout.B.cols();
  const Eigen::MatrixXd A = U.transpose() * layout.B;
  const Eigen::VectorXd y = U.transpose() * tau;
  int choices = 1;
  for (Eigen::Index i = 0; i < n; ++i) choices *= 3;
  double best = std::numeric_limits<double>::infinity();
  for (int choice = 0; choice < choices; ++choice) {
    Eigen::VectorXd f(n);
    std::vector<Eigen::Index> free;
    int code = choice;
    for (Eigen::Index i = 0; i < n; ++i, code /= 3) {
      const model::ForceRange& limit = layout.limits[static_cast<std::size_t>(i)];
      f[i] = code % 3 == 1 ? limit.min : code % 3 == 2 ? limit.max : 0;
      if (code % 3 == 0) free.push_back(i);
    }
    const auto m = static_cast<Eigen::Index>(free.size());
    if (m > 0) {
      Eigen::MatrixXd scaled(A.rows(), m);
      for (Eigen::Index c = 0; c < m; ++c)
        scaled.col(c) = A.col(free[static_cast<std::size_t>(c)]) /
                        std::sqrt(layout.weight(free[static_cast<std::size_t>(c)]));
      Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver(scaled);
      solver.setThreshold(1e-10);
      const Eigen::VectorXd left = y - A * f, h = solver.solve(left);
      for (Eigen::Index c = 0; c < m; ++c)
        f[free[static_cast<std::size_t>(c)]] =
            h[c] / std::sqrt(layout.weight(free[static_cast<std::size_t>(c)]));
    }
    if ((A * f - y).norm() > 1e-7) continue;
    bool within = true;
    for (Eigen::Index i = 0; i < n; ++i)
      within = within && f[i] >= layout.limits[static_cast<std::size_t>(i)].min - 1e-7 &&
               f[i] <= layout.limits[static_cast<std::size_t>(i)].max + 1e-7;
    if (within) best = std::min(best, cost(layout, f));
  }
  return best;
}

}  // namespace fathom::dynamics::test
