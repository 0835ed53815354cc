#include "fathom/identify/metrics.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"

namespace fathom::identify::metrics_test {
namespace {

using fathom::test::error_text;

Eigen::VectorXd series(std::initializer_list<double> values) {
  Eigen::VectorXd result(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), result.data());
  return result;
}

const Eigen::VectorXd measured = series({0.1, -0.4, 1.3, 0.7, -1.1, 0.25, 2.0});
const Eigen::VectorXd predicted = series({0.2, -0.3, 1.0, 0.9, -0.8, 0.0, 1.5});

TEST(Metrics, AreThoseOfNumpyAndScipy) {
  const Metrics m = metrics(measured, predicted);
  EXPECT_EQ(m.samples, 7u);
  EXPECT_NEAR(m.r2, 0.9145020448767547, 1e-14);
  EXPECT_NEAR(m.rmse, 0.2809422919899591, 1e-15);
  EXPECT_NEAR(m.nrmse, 0.09062654580321262, 1e-15);
  EXPECT_NEAR(m.mae, 0.25, 1e-15);
  EXPECT_NEAR(m.slope, 0.7632364319663976, 1e-14);
  EXPECT_NEAR(m.pearson, 0.9778151983777482, 1e-14);
}

TEST(Metrics, OfThePredictionItselfArePerfect) {
  const Metrics m = metrics(measured, measured);
  EXPECT_EQ(m.r2, 1);
  EXPECT_EQ(m.rmse, 0);
  EXPECT_EQ(m.mae, 0);
  EXPECT_NEAR(m.slope, 1, 1e-15);
  EXPECT_NEAR(m.pearson, 1, 1e-15);
}

TEST(Metrics, OfTheMeanExplainNothing) {
  const Metrics m = metrics(measured, Eigen::VectorXd::Constant(7, measured.mean()));
  EXPECT_NEAR(m.r2, 0, 1e-15);
  EXPECT_NEAR(m.slope, 0, 1e-15);
  EXPECT_TRUE(std::isnan(m.pearson));
}

TEST(Metrics, KeepTheirDigitsFarFromZero) {
  const Metrics m = metrics(measured.array() + 1e6, predicted.array() + 1e6),
                near = metrics(measured, predicted);
  EXPECT_NEAR(m.r2, near.r2, 1e-8);
  EXPECT_NEAR(m.pearson, near.pearson, 1e-8);
}

TEST(Metrics, HaveNoR2WhereNothingMoves) {
  const Metrics m = metrics(Eigen::VectorXd::Constant(3, 0.1), predicted.head(3));
  EXPECT_TRUE(std::isnan(m.r2));
  EXPECT_TRUE(std::isnan(m.nrmse));
  EXPECT_TRUE(std::isnan(m.slope));
  EXPECT_TRUE(std::isnan(m.pearson));
  EXPECT_GT(m.rmse, 0);
  EXPECT_EQ(metrics(Eigen::VectorXd(), Eigen::VectorXd()).samples, 0u);
}

/// A motion within three standard deviations of the sensors' error has no R2 worth the name.
TEST(Metrics, HaveNoR2WhereHardlyAnythingMoves) {
  const double sigma = std::sqrt((measured.array() - measured.mean()).square().mean());
  const Metrics rest = metrics(measured, predicted, sigma / 2.9),
                motion = metrics(measured, predicted, sigma / 3.1);
  for (const double number : {rest.r2, rest.nrmse, rest.slope, rest.pearson}) EXPECT_TRUE(std::isnan(number));
  EXPECT_EQ(rest.rmse, motion.rmse);
  EXPECT_EQ(motion.r2, metrics(measured, predicted).r2);
}

TEST(Metrics, RefuseWhatCannotBeCompared) {
  EXPECT_EQ(error_text([] { metrics(measured, predicted.head(6)); }),
            "prediction has 6 samples, the measurement 7 (one for each)");
  Eigen::VectorXd broken = predicted;
  broken[3] = std::nan("");
  EXPECT_EQ(error_text([&] { metrics(measured, broken); }),
            "prediction has a sample that is not finite (leave out what cannot be compared)");
  EXPECT_EQ(error_text([&] { metrics(broken, predicted); }),
            "measurement has a sample that is not finite (leave out what cannot be compared)");
}

}  // namespace
}  // namespace fathom::identify::metrics_test
