#include "fathom/solve/serial_correlation.hpp"

#include <cmath>
#include <numbers>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/solve/internal/incomplete_gamma.hpp"
#include "fathom/solve/test/random_program.hpp"

namespace fathom::solve::serial_correlation_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using fathom::test::error_text;

/// Rows are series: m_t = rho m_(t-1) + white, of unit variance, from the steady state.
MatrixXd autoregressive(RandomStream& random, Index rows, Index samples, double rho) {
  MatrixXd m(rows, samples);
  const double innovation = std::sqrt(1 - rho * rho);
  for (Index t = 0; t < samples; ++t)
    for (Index i = 0; i < rows; ++i)
      m(i, t) = t == 0 ? random.normal() : rho * m(i, t - 1) + innovation * random.normal();
  return m;
}

VectorXd some_series() {
  VectorXd series(40);
  for (int i = 0; i < 40; ++i) series[i] = std::cos(0.3 * i) + 0.4 * std::sin(2.1 * i * i);
  return series;
}

TEST(IncompleteGamma, IsThatOfSciPy) {
  struct Case {
    double x, degrees, tail;
  };
  // scipy.stats.chi2.sf(x, degrees)
  for (const Case& c : {Case{0.01, 1, 0.92034432544594202}, Case{3.84, 1, 0.050043521248705189},
                        Case{10, 10, 0.44049328506521257}, Case{31.41, 20, 0.050005239202315151},
                        Case{150, 20, 6.2856816739333514e-22}, Case{5, 40, 0.99999999999651956},
                        Case{1000, 1000, 0.49405285382923964}, Case{1200, 1000, 1.2255942330622893e-05},
                        Case{0.5, 7, 0.99944648139042491}, Case{700, 20, 2.2134053404244967e-135}})
    EXPECT_NEAR(internal::chi_square_tail(c.x, c.degrees) / c.tail, 1, 2e-12) << c.x << " " << c.degrees;
  EXPECT_EQ(internal::chi_square_tail(0, 3), 1);
}

TEST(Autocorrelation, IsThatOfStatsmodels) {
  // statsmodels 0.15: acf(series, nlags=3, fft=False)
  const Eigen::Vector4d expected(1, 0.767141219899342, 0.612613114156777, 0.507126055694864);
  EXPECT_LT((autocorrelation(some_series(), 3) - expected).norm(), 1e-14);
  EXPECT_EQ(autocorrelation(VectorXd::Constant(5, 0.1), 2), Eigen::Vector3d(1, 0, 0));
  EXPECT_EQ(error_text([] { autocorrelation(VectorXd::Ones(5), 5); }), "most_lag = 5, must be 0 to 4");
  EXPECT_EQ(error_text([] { autocorrelation(VectorXd::Constant(5, NAN), 2); }),
            "series has 5 numbers, must have some, all finite");
}

TEST(Whiteness, IsThatOfStatsmodels) {
  // statsmodels 0.15: acorr_ljungbox(series, lags=[5, 10])
  const Whiteness five = whiteness(some_series(), 5), ten = whiteness(some_series(), 10);
  EXPECT_NEAR(five.statistic, 55.579947315576, 1e-11);
  EXPECT_NEAR(five.probability / 9.91717052981312e-11, 1, 1e-11);
  EXPECT_NEAR(ten.statistic, 127.285686376158, 1e-11);
  EXPECT_NEAR(ten.probability / 1.67021027649418e-22, 1, 1e-11);
  VectorXd near_white(40);
  for (int i = 0; i < 40; ++i) near_white[i] = std::sin(5. * i * i);
  EXPECT_NEAR(whiteness(near_white, 10).probability, 0.995637861439306, 1e-11);
  EXPECT_EQ(error_text([] { whiteness(VectorXd::Ones(5)); }), "lags = 20, must be 1 to 4");
}

TEST(Whiteness, ProbabilityIsUniformForWhiteSeries) {
  RandomStream random(1, "white");
  int below_tenth = 0;
  for (int trial = 0; trial < 1000; ++trial)
    below_tenth += whiteness(autoregressive(random, 1, 300, 0).transpose()).probability < 0.1 ? 1 : 0;
  EXPECT_NEAR(below_tenth, 100, 30);
}

TEST(Whiteness, IntegralTimeIsThatOfAnAutoregression) {
  RandomStream random(1, "integral");
  for (const double rho : {-0.5, 0., 0.5, 0.9, 0.95}) {
    const double expected = (1 + rho) / (1 - rho);
    const Whiteness result = whiteness(autoregressive(random, 1, 100000, rho).transpose());
    EXPECT_NEAR(result.integral_time / expected, 1, 0.12) << rho;
  }
}

/// Runs are apart: the sum over both is that of their own products.
TEST(IntegralTimeAboutZero, IsThatOfTheSeriesInRuns) {
  RandomStream random(1, "runs");
  const VectorXd series = autoregressive(random, 1, 100000, 0.9).transpose();
  const std::vector<VectorXd> whole = {series}, runs = {series.head(40000), VectorXd(), series.tail(60000)};
  EXPECT_NEAR(integral_time_about_zero(whole) / integral_time(series), 1, 0.01);
  EXPECT_NEAR(integral_time_about_zero(runs) / integral_time_about_zero(whole), 1, 0.01);
  EXPECT_EQ(integral_time_about_zero(std::vector<VectorXd>{VectorXd::Zero(20)}), 1);
  EXPECT_EQ(integral_time_about_zero({}), 1);
}

/// A constant remembers for ever: sum over half the series of (n - k) / n on both sides. The quadratic sum of
/// so many takes a minute.
TEST(IntegralTimeAboutZero, OfAConstantIsThreeQuartersOfItAndQuick) {
  constexpr Index n = 400000;
  const std::vector<VectorXd> constant = {VectorXd::Constant(n, 0.3)};
  EXPECT_NEAR(integral_time_about_zero(constant), 0.75 * n, 2);
  const std::vector<VectorXd> shorter = {VectorXd::Constant(2000, 0.3), VectorXd::Constant(600, 0.3)};
  double direct = 1;
  for (Index k = 1; k <= 1000; ++k)
    direct += 2. * static_cast<double>(2000 - k + std::max<Index>(0, 600 - k)) / 2600;
  EXPECT_NEAR(integral_time_about_zero(shorter), direct, 1e-6);
}

double kernel(double x) {  // Andrews 1991, eq. 2.7
  if (x == 0) return 1;
  const double z = 6 * std::numbers::pi * x / 5;
  return 3 / (z * z) * (std::sin(z) / z - std::cos(z));
}

/// The double sum over all pairs within runs.
MatrixXd by_pairs(const MatrixXd& m, double bandwidth, const std::vector<Index>& firsts) {
  MatrixXd sum = MatrixXd::Zero(m.rows(), m.rows());
  for (std::size_t run = 0; run + 1 < firsts.size(); ++run)
    for (Index s = firsts[run]; s < firsts[run + 1]; ++s)
      for (Index t = firsts[run]; t < firsts[run + 1]; ++t)
        sum += kernel(static_cast<double>(s - t) / bandwidth) * m.col(s) * m.col(t).transpose();
  const double n = static_cast<double>(m.cols()), unknowns = static_cast<double>(m.rows());
  return sum / (n - unknowns) / (1 - 1.25 * bandwidth / n);
}

TEST(LongRun, IsTheSumOverPairs) {
  RandomStream random(1, "pairs");
  for (const double rho : {-0.4, 0., 0.3, 0.8}) {
    const MatrixXd m = Eigen::Vector3d(1, 1e6, 1e-6).asDiagonal() * autoregressive(random, 3, 300, rho);
    const LongRun whole = long_run_covariance(m), parts = long_run_covariance(m, {0, 100, 101, 150});
    EXPECT_NEAR(whole.effective_samples * whole.bandwidth, 300, 1e-9);
    const MatrixXd unit = Eigen::Vector3d(1, 1e-6, 1e6).asDiagonal();
    const MatrixXd whole_pairs = by_pairs(m, whole.bandwidth, {0, 300});
    const MatrixXd parts_pairs = by_pairs(m, parts.bandwidth, {0, 100, 101, 150, 300});
    EXPECT_LT((unit * (whole.covariance - whole_pairs) * unit).norm(),
              5e-3 * (unit * whole_pairs * unit).norm())
        << rho;
    EXPECT_LT((unit * (parts.covariance - parts_pairs) * unit).norm(),
              5e-3 * (unit * parts_pairs * unit).norm())
        << rho;
  }
}

TEST(LongRun, BandwidthIsAndrewsForAnAutoregression) {
  RandomStream random(1, "bandwidth");
  for (const double rho : {0.3, 0.8, 0.9}) {
    const double alpha = 4 * rho * rho / std::pow(1 - rho, 4);  // Andrews 1991, eq. 6.4
    const double expected = 1.3221 * std::pow(alpha * 50000, 0.2);
    EXPECT_NEAR(long_run_covariance(autoregressive(random, 2, 50000, rho)).bandwidth / expected, 1, 0.1);
  }
}

TEST(LongRun, SeesASlowPartBelowWhiteNoise) {
  // An autoregression of order 1 does not: the sum's first autocorrelation is small.
  RandomStream random(1, "buried");
  const MatrixXd m = autoregressive(random, 2, 20000, 0.95) + 2 * autoregressive(random, 2, 20000, 0);
  const double expected = 1.95 / 0.05 + 4;
  const VectorXd got = long_run_covariance(m).covariance.diagonal();
  EXPECT_NEAR(got[0] / expected, 1, 0.2);
  EXPECT_NEAR(got[1] / expected, 1, 0.2);
}

TEST(LongRun, IsPositiveSemiDefiniteAlways) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random(seed, "semi-definite");
    const Index unknowns = 1 + static_cast<Index>(random.uniform() * 8);
    const Index samples = unknowns + 1 + static_cast<Index>(random.uniform() * 60);
    MatrixXd m = autoregressive(random, unknowns, samples, random.uniform(-0.99, 0.999));
    if (seed % 3 == 0) m.row(0).setZero();
    if (seed % 4 == 0) m.row(unknowns - 1) = 2 * m.row(0);
    if (seed % 5 == 0) m.colwise() -= m.rowwise().mean().eval();
    const MatrixXd covariance =
        long_run_covariance(m, seed % 2 == 0 ? std::vector<Index>{samples / 2} : std::vector<Index>{})
            .covariance;
    ASSERT_TRUE(covariance.allFinite()) << seed;
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(covariance);
    EXPECT_GE(eigen.eigenvalues()[0], -1e-13 * covariance.norm()) << seed;
  }
}

/// How often intervals of 1.96 sigma hold the truth, over regressions on `unknowns` series with residuals that
/// are series like them.
struct Coverage {
  double naive = 0, told = 0;
};
Coverage coverage(Index unknowns, Index samples, double rho, int trials) {
  Coverage result;
  for (int trial = 0; trial < trials; ++trial) {
    RandomStream random(static_cast<std::uint64_t>(trial), "coverage");
    const MatrixXd A = autoregressive(random, unknowns, samples, rho);  // transposed
    const VectorXd y = autoregressive(random, 1, samples, rho).transpose();
    const MatrixXd gram = A * A.transpose();
    const VectorXd x = gram.ldlt().solve(A * y);  // the truth is zero
    const VectorXd residuals = y - A.transpose() * x;
    const LongRun moments = long_run_covariance(A * residuals.asDiagonal());
    const VectorXd told = sandwich(gram, moments, samples).diagonal();
    const double square = residuals.squaredNorm() / static_cast<double>(samples - unknowns);
    const VectorXd naive = square * gram.inverse().diagonal();
    const double share = 1. / static_cast<double>(unknowns * trials);
    result.told += share * static_cast<double>((x.array().abs() < 1.96 * told.array().sqrt()).count());
    result.naive += share * static_cast<double>((x.array().abs() < 1.96 * naive.array().sqrt()).count());
  }
  return result;
}

TEST(LongRun, IntervalsHoldTheTruthWhereNaiveOnesDoNot) {
  const Coverage slow = coverage(4, 1400, 0.9, 150);
  EXPECT_LT(slow.naive, 0.6);
  EXPECT_GT(slow.told, 0.88);
  EXPECT_LT(slow.told, 0.97);
  const Coverage white = coverage(4, 1400, 0, 150);
  EXPECT_NEAR(white.naive, 0.95, 0.03);
  EXPECT_NEAR(white.told, 0.95, 0.03);
}

TEST(LongRun, RefusesWhatDoesNotFit) {
  const MatrixXd m = MatrixXd::Ones(2, 10);
  EXPECT_EQ(error_text([&] { long_run_covariance(m.leftCols(2)); }),
            "moments are 2 x 2, must have more samples than unknowns");
  EXPECT_EQ(error_text([&] { long_run_covariance(NAN * m); }), "moments hold a number that is not finite");
  for (const std::vector<Index>& breaks : std::vector<std::vector<Index>>{{5, 3}, {4, 4}, {10}, {-1}})
    EXPECT_NE(error_text([&] { long_run_covariance(m, breaks); }).find("must rise and lie below 10 samples"),
              std::string::npos);
}

TEST(Sandwich, IsTheProduct) {
  RandomStream random(1, "sandwich");
  const MatrixXd slope = autoregressive(random, 3, 3, 0);
  LongRun moments;
  const MatrixXd root = autoregressive(random, 3, 3, 0);
  moments.covariance = root * root.transpose();
  const MatrixXd inverse = slope.inverse(), expected = 7 * inverse * moments.covariance * inverse.transpose();
  EXPECT_LT((sandwich(slope, moments, 7) - expected).norm(), 1e-12 * expected.norm());
  EXPECT_EQ(error_text([&] { sandwich(MatrixXd::Ones(3, 3), moments, 7); }), "slope is singular");
  EXPECT_EQ(error_text([&] { sandwich(MatrixXd::Ones(2, 2), moments, 7); }),
            "slope is 2 x 2 for 3 moments of 7 samples");
}

}  // namespace
}  // namespace fathom::solve::serial_correlation_test
