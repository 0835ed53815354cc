#include "fathom/solve/non_negative.hpp"

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"

namespace fathom::solve::non_negative_test {
namespace {

Eigen::MatrixXd random_matrix(RandomStream& random, Eigen::Index rows, Eigen::Index columns) {
  Eigen::MatrixXd A(rows, columns);
  for (double& a : A.reshaped()) a = random.normal();
  return A;
}

/// The best of all sets of unknowns that are left free.
double least_of_all_sets(const Eigen::MatrixXd& A, const Eigen::VectorXd& y) {
  const auto n = static_cast<unsigned>(A.cols());
  double least = y.squaredNorm();
  for (unsigned set = 1; set < (1u << n); ++set) {
    std::vector<Eigen::Index> free;
    for (unsigned k = 0; k < n; ++k)
      if (set >> k & 1u) free.push_back(k);
    const Eigen::MatrixXd part = A(Eigen::all, free);
    const Eigen::VectorXd x = (part.transpose() * part).ldlt().solve(part.transpose() * y);
    if (x.minCoeff() >= 0) least = std::min(least, (part * x - y).squaredNorm());
  }
  return least;
}

TEST(NonNegative, IsTheBestOfAllActiveSets) {
  RandomStream random(3, "non-negative");
  for (int k = 0; k < 200; ++k) {
    const Eigen::MatrixXd A = random_matrix(random, 9, 1 + k % 6);
    const Eigen::VectorXd y = random_matrix(random, 9, 1);
    const Eigen::VectorXd x = non_negative(A.transpose() * A, A.transpose() * y);
    EXPECT_GE(x.minCoeff(), 0);
    EXPECT_NEAR((A * x - y).squaredNorm(), least_of_all_sets(A, y), 1e-12 * y.squaredNorm());
  }
}

TEST(NonNegative, KeepsWhatIsPositiveAnyway) {
  RandomStream random(4, "non-negative");
  const Eigen::MatrixXd A = random_matrix(random, 20, 5);
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(5, 0.5, 2.5);
  EXPECT_LT((non_negative(A.transpose() * A, A.transpose() * A * x) - x).norm(), 1e-12);
}

TEST(NonNegative, IsZeroWhereEveryColumnPointsAway) {
  EXPECT_EQ(non_negative(Eigen::Matrix2d::Identity(), Eigen::Vector2d(-1, -2)), Eigen::Vector2d::Zero());
}

TEST(NonNegative, RefusesWhatIsNoProblem) {
  EXPECT_THROW(non_negative(Eigen::Matrix2d::Identity(), Eigen::Vector3d::Ones()), InputError);
  EXPECT_THROW(non_negative(Eigen::Matrix2d::Identity(), Eigen::Vector2d(1, nan)), InputError);
}

}  // namespace
}  // namespace fathom::solve::non_negative_test
