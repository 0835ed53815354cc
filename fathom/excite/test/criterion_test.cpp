// Criteria against closed forms and finite differences.
#include "fathom/excite/criterion.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/derivative.hpp"
#include "fathom/base/random.hpp"
#include "fathom/geometry/types.hpp"

namespace fathom::excite::criterion_test {
namespace {

constexpr Eigen::Index n = 6;

Eigen::VectorXd ones() { return Eigen::VectorXd::Ones(n); }
Eigen::VectorXd zeros() { return Eigen::VectorXd::Zero(n); }
Eigen::VectorXd some_scale() { return Vec6(0.5, 2, 1, 30, 0.1, 4); }
Eigen::VectorXd some_prior() { return Vec6(0, 0, 7, 0, 0.5, 0); }
Eigen::VectorXd some_diagonal() { return Vec6(400, 9, 25, 1, 64, 16); }

Eigen::MatrixXd random_information(std::uint64_t seed) {
  RandomStream random(seed, "information");
  const Eigen::MatrixXd Y = Eigen::MatrixXd::NullaryExpr(4 * n, n, [&] { return random.normal(); });
  return Y.transpose() * Y;
}

double value_of(CriterionFunction& criterion, const Eigen::MatrixXd& G) {
  Eigen::MatrixXd W(n, n);
  return criterion.evaluate(G, W);
}

TEST(Criterion, AOptimalIsTheLogOfTheSumOfVariances) {
  CriterionFunction criterion(Criterion::a_optimal, some_scale(), some_prior());
  double sum = 0;
  for (Eigen::Index k = 0; k < n; ++k)
    sum += 1 / (std::pow(some_scale()[k], 2) * (some_diagonal()[k] + some_prior()[k]));
  EXPECT_NEAR(value_of(criterion, some_diagonal().asDiagonal()), std::log(sum), 1e-13);

  const Eigen::MatrixXd G = random_information(1) + Eigen::MatrixXd(some_prior().asDiagonal());
  const Eigen::VectorXd variance = G.inverse().diagonal();
  EXPECT_NEAR(value_of(criterion, random_information(1)),
              std::log(variance.cwiseQuotient(some_scale().cwiseAbs2()).sum()), 1e-12);
}

TEST(Criterion, DOptimalIsTheMeanLogOfAxesAndScalesOnlyShiftIt) {
  CriterionFunction plain(Criterion::d_optimal, ones(), zeros());
  CriterionFunction scaled(Criterion::d_optimal, some_scale(), zeros());
  EXPECT_NEAR(value_of(plain, some_diagonal().asDiagonal()), -some_diagonal().array().log().mean(), 1e-13);
  const double shift = -2 * some_scale().array().log().mean();
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    const Eigen::MatrixXd G = random_information(seed);
    EXPECT_NEAR(value_of(plain, G), -std::log(G.determinant()) / n, 1e-12);
    EXPECT_NEAR(value_of(scaled, G), value_of(plain, G) + shift, 1e-12);
  }
}

TEST(Criterion, PriorsAreAddedToTheInformation) {
  for (const auto kind : {Criterion::a_optimal, Criterion::d_optimal}) {
    CriterionFunction with(kind, some_scale(), some_prior()), without(kind, some_scale(), zeros());
    const Eigen::MatrixXd G = random_information(5);
    EXPECT_NEAR(value_of(with, G), value_of(without, G + Eigen::MatrixXd(some_prior().asDiagonal())), 1e-12);
    EXPECT_LT(value_of(with, G), value_of(without, G));
  }
}

TEST(Criterion, ConditionNumberIsReachedFromAboveAsThePowerGrows) {
  CriterionFunction criterion(Criterion::condition, some_scale(), some_prior());
  const double of_diagonal = std::log(std::sqrt(400.0));  // of Y, whose squares G holds; no scale, no prior
  criterion.set_power(64);
  EXPECT_NEAR(value_of(criterion, some_diagonal().asDiagonal()), of_diagonal, 1e-6);
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    const Eigen::MatrixXd G = random_information(seed);
    const Eigen::VectorXd lambda = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(G).eigenvalues();
    const double truth = 0.5 * std::log(lambda[n - 1] / lambda[0]);
    double before = std::numeric_limits<double>::infinity();
    for (const double power : {2.0, 8.0, 64.0}) {
      criterion.set_power(power);
      const double value = value_of(criterion, G);
      EXPECT_LE(value, before + 1e-12);
      EXPECT_GE(value, truth - 1e-12);
      before = value;
    }
    EXPECT_LT(std::exp(before - truth), 1.01);
  }
  // The worst case: every eigenvalue but one alike.
  Eigen::VectorXd lambda = Eigen::VectorXd::Constant(n, 9);
  lambda[2] = 1;
  EXPECT_LT(std::exp(value_of(criterion, lambda.asDiagonal()) - std::log(3)), std::pow(n, 1.0 / 128) + 1e-9);
}

TEST(Criterion, DerivativeIsThatOfFiniteDifferences) {
  for (const auto kind : {Criterion::a_optimal, Criterion::d_optimal, Criterion::condition})
    for (const double power : {4.0, 64.0}) {
      CriterionFunction criterion(kind, some_scale(), some_prior());
      criterion.set_power(power);
      const Eigen::MatrixXd G = random_information(2);
      Eigen::MatrixXd W(n, n);
      criterion.evaluate(G, W);
      EXPECT_LT((W - W.transpose()).norm(), 1e-12 * W.norm());
      // Along each symmetric direction.
      Eigen::VectorXd slope(n * (n + 1) / 2);
      const auto moved = [&](const Eigen::VectorXd& s) {
        Eigen::MatrixXd H = G;
        Eigen::Index at = 0;
        for (Eigen::Index i = 0; i < n; ++i)
          for (Eigen::Index j = 0; j <= i; ++j, ++at) {
            H(i, j) += s[at];
            if (i != j) H(j, i) += s[at];
            slope[at] = i == j ? W(i, i) : W(i, j) + W(j, i);
          }
        Eigen::MatrixXd unused(n, n);
        return Eigen::VectorXd::Constant(1, criterion.evaluate(H, unused)).eval();
      };
      moved(Eigen::VectorXd::Zero(slope.size()));
      const auto check =
          check_derivative(moved, Eigen::VectorXd::Zero(slope.size()), slope.transpose(), 0.02, 1e-8);
      EXPECT_TRUE(check.ok) << static_cast<int>(kind) << ", power " << power << ": " << check.text();
    }
}

TEST(Criterion, IsInfiniteWithoutInformation) {
  Eigen::VectorXd lambda = some_diagonal();
  lambda[3] = 0;
  for (const auto kind : {Criterion::a_optimal, Criterion::d_optimal, Criterion::condition}) {
    CriterionFunction criterion(kind, ones(), zeros());
    EXPECT_EQ(value_of(criterion, lambda.asDiagonal()), std::numeric_limits<double>::infinity());
    EXPECT_EQ(value_of(criterion, Eigen::MatrixXd::Zero(n, n)), std::numeric_limits<double>::infinity());
    EXPECT_EQ(value_of(criterion, -random_information(1)), std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isfinite(value_of(criterion, some_diagonal().asDiagonal())));  // and it recovers
  }
  // A prior makes up for it, but not where only the motion counts.
  lambda[3] = 0;
  Eigen::VectorXd prior = zeros();
  prior[3] = 1;
  CriterionFunction known(Criterion::a_optimal, ones(), prior), condition(Criterion::condition, ones(), prior);
  EXPECT_TRUE(std::isfinite(value_of(known, lambda.asDiagonal())));
  EXPECT_FALSE(std::isfinite(value_of(condition, lambda.asDiagonal())));
}

}  // namespace
}  // namespace fathom::excite::criterion_test
