#include "fathom/identify/vehicle/internal/uncertainty.hpp"

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/model/parameters.hpp"

namespace fathom::identify::uncertainty_test {
namespace {

Eigen::MatrixXd random_matrix(RandomStream& random, Eigen::Index rows, Eigen::Index columns) {
  Eigen::MatrixXd out(rows, columns);
  for (double& x : out.reshaped()) x = random.normal();
  return out;
}

/// An information matrix with one direction of which the rows say nearly nothing.
Eigen::MatrixXd nearly_singular(RandomStream& random, Eigen::Index n) {
  Eigen::MatrixXd A = random_matrix(random, 3 * n, n);
  A.col(n - 1) = A.leftCols(n - 1).rowwise().sum() + 1e-6 * A.col(n - 1);
  return A.transpose() * A;
}

TEST(Uncertainty, ACovarianceIsSymmetricHoweverIllConditionedItsInformationIs) {
  RandomStream random(1, "information");
  constexpr Eigen::Index n = 20;
  std::vector<model::Parameter> names(n);
  for (std::size_t k = 0; k < n; ++k) names[k].name = "p" + std::to_string(k);
  for (int round = 0; round < 20; ++round) {
    const Eigen::MatrixXd H = nearly_singular(random, n);
    const Eigen::MatrixXd moments = random_matrix(random, n, 2 * n), S = moments * moments.transpose();
    const Eigen::MatrixXd covariance = internal::sandwich_of(internal::inverse_root(H), S);
    EXPECT_EQ(covariance, covariance.transpose());
    EXPECT_NO_THROW(model::ParameterVector(names, covariance));
    EXPECT_NO_THROW(model::ParameterVector(names, internal::scaled_inverse(H)));
  }
}

TEST(Uncertainty, ASandwichIsTheProductOfItsParts) {
  RandomStream random(2, "information");
  const Eigen::MatrixXd A = random_matrix(random, 30, 6), H = A.transpose() * A;
  const Eigen::MatrixXd moments = random_matrix(random, 6, 4), S = moments * moments.transpose();
  const Eigen::MatrixXd expected = H.inverse() * S * H.inverse();
  EXPECT_LT((internal::sandwich_of(internal::inverse_root(H), S) - expected).norm(), 1e-10 * expected.norm());
  EXPECT_LT((internal::scaled_inverse(H) - H.inverse()).norm(), 1e-10 * H.inverse().norm());
  EXPECT_LT((internal::square_of(internal::root_of(S)) - S).norm(), 1e-10 * S.norm());
}

}  // namespace
}  // namespace fathom::identify::uncertainty_test
