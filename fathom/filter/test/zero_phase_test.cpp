#include "fathom/filter/zero_phase.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"

namespace fathom::filter::zero_phase_test {
namespace {

/// SciPy 1.17.1:
///   k = numpy.arange(60); x = numpy.sin(.21*k) + .3*numpy.cos(1.9*k) + .02*k
///   y = sosfiltfilt(butter(n, fc, fs=50, output='sos'), x, padlen=p), p = 49, 59, 12 (its default is 3 (n +
///   1), too short for a slow filter)
TEST(Butterworth, IsThatOfScipy) {
  Eigen::RowVectorXd x(60);
  for (int k = 0; k < 60; ++k) x[k] = std::sin(0.21 * k) + 0.3 * std::cos(1.9 * k) + 0.02 * k;
  const int at[] = {0, 1, 17, 40, 58, 59};
  struct Case {
    int order;
    double cutoff_hz;
    double y[6];
  };
  const Case cases[] = {
      {4,
       3,
       {0.2999908115057, 0.4523815829496, -0.05923523045253, 1.654081129495, 0.9192239025461, 1.166708723637}},
      {3,
       1,
       {0.3050908921462, 0.3085564545353, 0.3110265726655, 0.8492462451042, 1.144026648192, 1.167141376671}},
      {1,
       5,
       {0.2999971070939, 0.348675294186, -0.02613342763838, 1.585918614634, 0.8743504439635, 1.167396438422}}};
  for (const Case& one : cases) {
    const Eigen::MatrixXd y = Butterworth(one.order, one.cutoff_hz, 0.02).apply(x);
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(y(0, at[i]), one.y[i], 1e-11) << one.order << " " << at[i];
  }
}

TEST(Butterworth, HalvesAtTheCutoffAndDoesNotShift) {
  constexpr double dt = 0.01, cutoff_hz = 2;
  Eigen::MatrixXd x(2, 4000);
  for (int k = 0; k < 4000; ++k) x.col(k) << std::sin(2 * std::numbers::pi * cutoff_hz * dt * k), 3 - 0.5 * k;
  const Eigen::MatrixXd y = Butterworth(5, cutoff_hz, dt).apply(x);
  for (int k = 1000; k < 3000; ++k) EXPECT_NEAR(y(0, k), 0.5 * x(0, k), 1e-9);
  EXPECT_LT((y.row(1) - x.row(1)).cwiseAbs().maxCoeff(),
            2e-2);  // a line, but for what settling leaves at its ends
}

TEST(Butterworth, Refuses) {
  EXPECT_THROW(Butterworth(0, 1, 0.02), InputError);
  EXPECT_THROW(Butterworth(2, 25, 0.02), InputError);
  EXPECT_THROW(Butterworth(2, 1, 0.02).apply(Eigen::MatrixXd::Zero(1, 9)), InputError);
  EXPECT_NO_THROW(Butterworth(2, 1, 0.02).apply(Eigen::MatrixXd::Zero(1, 10)));
}

TEST(Gaussian, LinesAreExact) {
  constexpr double dt = 0.02;
  const Gaussian window(0.07, dt);
  EXPECT_EQ(window.reach(), 14);
  Eigen::MatrixXd x(2, 60);
  for (int k = 0; k < 60; ++k) x.col(k) << 5, 3 - 2 * dt * k;
  const Eigen::MatrixXd smooth = window.smooth(x), slope = window.slope(x);
  for (int k = 14; k < 46; ++k) {
    EXPECT_NEAR(smooth(0, k), 5, 1e-13);
    EXPECT_NEAR(smooth(1, k), x(1, k), 1e-13);
    EXPECT_NEAR(slope(0, k), 0, 1e-12);
    EXPECT_NEAR(slope(1, k), -2, 1e-12);
  }
}

/// On sines both have the gain exp(-(sigma w)^2 / 2), the slope w times it: the pair is one filter.
TEST(Gaussian, SlopeIsTheDerivativeOfSmooth) {
  constexpr double dt = 0.01, sigma = 0.1;
  const Gaussian window(sigma, dt);
  for (const double w : {0.5, 3.0, 8.0, 15.0, 25.0}) {
    Eigen::RowVectorXd x(400), rate(400);
    for (int k = 0; k < 400; ++k) {
      x[k] = std::sin(w * dt * k);
      rate[k] = w * std::cos(w * dt * k);
    }
    const double gain = std::exp(-0.5 * sigma * sigma * w * w);
    const Eigen::MatrixXd smooth = window.smooth(x), slope = window.slope(x), smooth_rate = window.smooth(rate);
    for (int k = 50; k < 350; ++k) {
      EXPECT_NEAR(smooth(0, k), gain * x[k], 2e-4) << w;
      EXPECT_NEAR(slope(0, k), gain * rate[k], 1.5e-3 * w) << w;
      EXPECT_NEAR(slope(0, k), smooth_rate(0, k), 1.5e-3 * w) << w;
    }
  }
}

TEST(Gaussian, IsUsableWhereAllThatItSeesIs) {
  const Gaussian window(0.01, 0.02);  // reach 2
  ASSERT_EQ(window.reach(), 2);
  const std::vector<char> in = {1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1};
  const std::vector<char> out = {0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0};
  EXPECT_EQ(window.usable(in), out);
  EXPECT_EQ(window.usable({1, 1, 1}), std::vector<char>(3, 0));
  EXPECT_THROW(Gaussian(0.009, 0.02), InputError);
  EXPECT_THROW(Gaussian(0.1, 0), InputError);
}

TEST(Gaussian, EveryFewSamplesAreThoseOfTheWhole) {
  const Gaussian gaussian(0.1, 0.02);
  Eigen::MatrixXd x(2, 100);
  for (int k = 0; k < 100; ++k) x.col(k) << std::sin(0.3 * k) + 0.01 * k * k, std::cos(1.7 * k);
  const Eigen::MatrixXd smooth = gaussian.smooth(x), slope = gaussian.slope(x);
  const Eigen::MatrixXd few = gaussian.smooth_every(7, x), few_slopes = gaussian.slope_every(7, x);
  ASSERT_EQ(gaussian.reach(), 20);
  ASSERT_EQ(few.cols(), 9);  // 20, 27, ... 76, and 83 would see beyond the end
  for (int i = 0; i < 9; ++i) {
    EXPECT_LT((few.col(i) - smooth.col(20 + 7 * i)).norm(), 1e-12);
    EXPECT_LT((few_slopes.col(i) - slope.col(20 + 7 * i)).norm(), 1e-11);
  }
  EXPECT_EQ(gaussian.smooth_every(1, x.leftCols(41)).cols(), 1);
  EXPECT_THROW(gaussian.smooth_every(1, x.leftCols(40)), InputError);
  EXPECT_THROW(gaussian.slope_every(0, x), InputError);
}

}  // namespace
}  // namespace fathom::filter::zero_phase_test
