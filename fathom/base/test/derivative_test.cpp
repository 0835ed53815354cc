#include "fathom/base/derivative.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace fathom::derivative_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd vector(std::initializer_list<double> values) {
  VectorXd v(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), v.begin());
  return v;
}

// A nonlinear function R^2 -> R^3 and its Jacobian by hand.
VectorXd curved(const VectorXd& x) {
  return vector(
      {std::sin(x[0]) * std::exp(x[1]), x[0] * x[0] * x[1] + 40 * x[0], 1 / (2 + std::cos(x[0] + x[1]))});
}
MatrixXd curved_jacobian(const VectorXd& x) {
  const double c = 2 + std::cos(x[0] + x[1]), third = std::sin(x[0] + x[1]) / (c * c);
  MatrixXd J(3, 2);
  J << std::cos(x[0]) * std::exp(x[1]), std::sin(x[0]) * std::exp(x[1]),  //
      2 * x[0] * x[1] + 40, x[0] * x[0],                                  //
      third, third;
  return J;
}

VectorXd absolute(const VectorXd& x) { return x.cwiseAbs(); }
VectorXd signed_square(const VectorXd& x) { return x.cwiseAbs().cwiseProduct(x); }

TEST(NumericalJacobian, OfACurvedFunctionIsAccurateAndKnowsHowAccurate) {
  const VectorXd x = vector({0.7, -0.4});
  MatrixXd estimate;
  const MatrixXd error = (numerical_jacobian(curved, x, 0.05, &estimate) - curved_jacobian(x)).cwiseAbs();
  EXPECT_LT(error.maxCoeff(), 1e-10);
  EXPECT_LT(estimate.maxCoeff(), 1e-8);
  EXPECT_TRUE((error.array() <= 10 * estimate.array() + 1e-12).all()) << error << "\n\n" << estimate;
}

TEST(NumericalJacobian, OfALinearFunctionIsTheMatrix) {
  MatrixXd A(2, 3);
  A << 1, 2, 3, -4, 5, 1e4;
  const auto linear = [&](const VectorXd& x) { return VectorXd(A * x); };
  EXPECT_LT((numerical_jacobian(linear, vector({1, 2, 3}), 0.5) - A).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(CheckDerivative, AcceptsTheRightJacobianOfACurvedFunction) {
  for (const double shift : {0.0, 0.3, 1.1, -2.0}) {
    const VectorXd x = vector({shift, 0.5 - shift});
    const DerivativeCheck check = check_derivative(curved, x, curved_jacobian(x));
    EXPECT_TRUE(check.ok) << check.text();
  }
}

TEST(CheckDerivative, RefusesAnyEntryThatIsWrongByAMillionth) {
  const VectorXd x = vector({0.7, -0.4});
  for (Eigen::Index i = 0; i < 3; ++i)
    for (Eigen::Index j = 0; j < 2; ++j) {
      MatrixXd wrong = curved_jacobian(x);
      wrong(i, j) += 1e-6 * (1 + std::abs(wrong(i, j)));
      const DerivativeCheck check = check_derivative(curved, x, wrong);
      EXPECT_FALSE(check.ok);
      EXPECT_EQ(check.row, i);
      EXPECT_EQ(check.column, j);
      EXPECT_NEAR(check.worst_error, 1e-6, 1e-8);
    }
}

TEST(CheckDerivative, NamesTheWorstEntryInItsText) {
  const VectorXd x = vector({0.7, -0.4});
  MatrixXd wrong = curved_jacobian(x);
  wrong(1, 0) = 0;  // the right value is near 40
  EXPECT_TRUE(check_derivative(curved, x, wrong).text().starts_with("entry (1, 0): relative error 0.97"))
      << check_derivative(curved, x, wrong).text();
}

TEST(CheckDerivative, RefusesAWrongSize) {
  const VectorXd x = vector({0.7, -0.4});
  for (const MatrixXd& wrong : {MatrixXd(MatrixXd::Zero(2, 3)), MatrixXd(MatrixXd::Zero(3, 3)), MatrixXd()}) {
    const DerivativeCheck check = check_derivative(curved, x, wrong);
    EXPECT_FALSE(check.ok);
    EXPECT_EQ(check.text(), "the analytic Jacobian has the wrong size");
  }
}

TEST(CheckDerivative, RefusesNotANumberOnEitherSide) {
  const VectorXd x = vector({0.7, -0.4});
  MatrixXd wrong = curved_jacobian(x);
  wrong(2, 1) = std::nan("");
  EXPECT_FALSE(check_derivative(curved, x, wrong).ok);
  const auto broken = [](const VectorXd& at) { return VectorXd(at * std::nan("")); };
  EXPECT_FALSE(check_derivative(broken, x, MatrixXd::Identity(2, 2)).ok);
}

TEST(CheckDerivative, CannotTellWhereTheSecondDerivativeJumps) {
  // u|u| at 0: the right answer is 0, but differences see |h| at every step.
  EXPECT_FALSE(check_derivative(signed_square, vector({0}), MatrixXd::Zero(1, 1)).ok);
}

TEST(CheckDerivative, CannotTellBesideAKinkThatEveryStepCrosses) {
  EXPECT_FALSE(check_derivative(absolute, vector({1e-3}), MatrixXd::Constant(1, 1, 1)).ok);
}

TEST(CheckDerivative, CannotTellAtAKink) {
  // |x| at 0 has no derivative; no Jacobian may pass, the mean of the two slopes included.
  for (const double slope : {-1.0, 0.0, 1.0})
    EXPECT_FALSE(check_derivative(absolute, vector({0}), MatrixXd::Constant(1, 1, slope)).ok) << slope;
}

TEST(CheckDerivative, PointsToTheEntryThatItCouldNotTell) {
  const auto half_smooth = [](const VectorXd& x) { return vector({std::sin(x[0]), x[0] * std::abs(x[0])}); };
  MatrixXd right(2, 1);
  right << 1, 0;
  const DerivativeCheck check = check_derivative(half_smooth, vector({0}), right);
  EXPECT_FALSE(check.ok);
  EXPECT_EQ(check.row, 1) << check.text();
  EXPECT_FALSE(check.can_tell);
}

}  // namespace
}  // namespace fathom::derivative_test
