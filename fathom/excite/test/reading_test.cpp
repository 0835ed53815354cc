#include "fathom/excite/reading.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/excite/criterion.hpp"

namespace fathom::excite::reading_test {
namespace {

/// Two parameters with errors of 0.1 and 0.4 of their scales, apart from each other.
TEST(Reading, IsWhatTheErrorsSay) {
  const Eigen::Vector2d scale(2, 5), relative(0.1, 0.4);
  const Eigen::MatrixXd G = scale.cwiseProduct(relative).cwiseAbs2().cwiseInverse().asDiagonal();
  const auto value = [&](Criterion criterion) {
    Eigen::MatrixXd W(2, 2);
    const double f = CriterionFunction(criterion, scale, Eigen::Vector2d::Zero()).evaluate(G, W);
    return reading_of(criterion, f, 2).value;
  };
  EXPECT_NEAR(value(Criterion::a_optimal), 100 * std::sqrt((0.01 + 0.16) / 2), 1e-9);
  EXPECT_NEAR(value(Criterion::d_optimal), 100 * std::sqrt(0.1 * 0.4), 1e-9);
  EXPECT_NEAR(value(Criterion::condition), 10, 1e-6);  // 0.2 and 2 in their own units
}

}  // namespace
}  // namespace fathom::excite::reading_test
