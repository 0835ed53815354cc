#include "fathom/solve/test/random_program.hpp"

namespace fathom::solve::test {

double distance_from_normal_cone(const BlockProgram& program, const Eigen::VectorXd& x,
                                 const Eigen::VectorXd& gradient, double near) {
  const DenseRows all = dense(program);
  std::vector<Eigen::VectorXd> normals;
  for (Eigen::Index i = 0; i < all.A.rows(); ++i) {
    const double value = all.A.row(i) * x;
    if (value - all.lower[i] < near) normals.emplace_back(all.A.row(i));
    if (all.upper[i] - value < near) normals.emplace_back(-all.A.row(i));
  }
  Eigen::VectorXd left = gradient;
  std::vector<double> z(normals.size(), 0.0);
  for (int sweep = 0; sweep < 2000; ++sweep)
    for (std::size_t k = 0; k < z.size(); ++k) {
      const double change = std::max(-z[k], normals[k].dot(left) / normals[k].squaredNorm());
      z[k] += change;
      left -= change * normals[k];
    }
  return left.cwiseAbs().maxCoeff();
}

}  // namespace fathom::solve::test
