#include "fathom/identify/vehicle/internal/hausman_test.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/base/constants.hpp"

namespace fathom::identify::internal {

std::vector<std::size_t> hausman_test(const Eigen::VectorXd& other, const Eigen::MatrixXd& other_covariance,
                                      const Eigen::VectorXd& theta, Eigen::MatrixXd& covariance) {
  std::vector<std::size_t> inconsistent;
  const Eigen::Index n = theta.size();
  if (other_covariance.rows() != n) return inconsistent;
  Eigen::VectorXd difference = theta - other;
  for (Eigen::Index k = 0; k < n; ++k) {
    const double limit = sigmas_of_95 * std::sqrt(std::max(covariance(k, k), other_covariance(k, k)));
    if (std::abs(difference[k]) > limit)
      inconsistent.push_back(static_cast<std::size_t>(k));
    else
      difference[k] = 0;
  }
  covariance += difference * difference.transpose();
  return inconsistent;
}

}  // namespace fathom::identify::internal
