// Least squares against the values that NIST certifies.
#include "fathom/solve/test/nist.hpp"

#include <gtest/gtest.h>

#include "fathom/solve/least_squares.hpp"

namespace fathom::solve::nist_test {
namespace {

/// Correct digits of the worst number (NIST's LRE), at most 15.
double digits(const Eigen::VectorXd& got, const std::vector<double>& certified) {
  const Eigen::VectorXd expected = test::vector(certified);
  const double error = (got - expected).cwiseQuotient(expected).lpNorm<Eigen::Infinity>();
  return error < 1e-15 ? 15 : -std::log10(error);
}

void expect_certified(const test::NistSet& set, const LinearFit& fit) {
  EXPECT_EQ(fit.rank, set.A.cols()) << set.name;
  const double x_digits = digits(fit.x, set.x);
  EXPECT_GE(x_digits, set.digits) << set.name << "\n" << fit.x;
  const Eigen::VectorXd sigma = fit.covariance.diagonal().cwiseSqrt();
  const double residual_sigma = std::sqrt(fit.rss / static_cast<double>(fit.rows - fit.rank));
  if (set.residual_sigma == 0) {  // exact data: what is left is rounding
    EXPECT_LT(residual_sigma, 1e-13 * set.y.norm()) << set.name;
    return;
  }
  EXPECT_GE(digits(sigma, set.sigma), set.digits) << set.name << "\n" << sigma;
  EXPECT_NEAR(residual_sigma / set.residual_sigma, 1, std::pow(10, -set.digits)) << set.name;
}

TEST(Nist, CoefficientsAndDeviationsAreTheCertifiedOnes) {
  for (const test::NistSet& set : test::nist_sets()) {
    Rows rows(set.A.cols());
    rows.add(set.A, set.y);
    expect_certified(set, ordinary(rows));
  }
}

TEST(Nist, RowByRowAsWell) {
  for (const test::NistSet& set : test::nist_sets()) {
    Rows rows(set.A.cols());
    for (Eigen::Index i = 0; i < set.A.rows(); ++i) rows.add(set.A.row(i), set.y.segment(i, 1));
    expect_certified(set, ordinary(rows));
  }
}

}  // namespace
}  // namespace fathom::solve::nist_test
