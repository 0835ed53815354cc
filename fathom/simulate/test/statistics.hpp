#pragma once
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace fathom::simulate::test {

/// Two-sided bounds are crossed by chance once in 100000 tests; the seeds are fixed, so a test that passes
/// passes always.
inline constexpr double z = 4.417;  // normal quantile of 1 - 0.5e-5

/// The chi-square quantile at z standard deviations (Wilson and Hilferty 1931; for n > 10 good to a percent).
inline double chi_square(double n, double at_z) {
  const double root = 1 - 2 / (9 * n) + at_z * std::sqrt(2 / (9 * n));
  return n * root * root * root;
}

/// Is sum / variance a chi-square of n degrees of freedom?
inline void expect_variance(double sum_of_squares, double n, double variance, const char* what) {
  EXPECT_GT(sum_of_squares / variance, chi_square(n, -z)) << what << ": too small";
  EXPECT_LT(sum_of_squares / variance, chi_square(n, z)) << what << ": too large";
}

/// Zero mean and the standard deviation `sigma`.
inline void expect_noise(const std::vector<double>& errors, double sigma, const char* what) {
  double sum = 0, squares = 0;
  for (const double e : errors) {
    sum += e;
    squares += e * e;
  }
  const auto n = static_cast<double>(errors.size());
  EXPECT_LT(std::abs(sum), z * sigma * std::sqrt(n)) << what << ": biased";
  expect_variance(squares, n, sigma * sigma, what);
}

/// Ljung and Box 1978: the first autocorrelations together are those of white noise.
inline void expect_white(const std::vector<double>& errors, const char* what) {
  constexpr int lags = 20;
  const auto n = static_cast<double>(errors.size());
  double variance = 0, statistic = 0;
  for (const double e : errors) variance += e * e;
  for (std::size_t lag = 1; lag <= lags; ++lag) {
    double sum = 0;
    for (std::size_t k = lag; k < errors.size(); ++k) sum += errors[k] * errors[k - lag];
    statistic += sum * sum / (variance * variance) / (n - static_cast<double>(lag));
  }
  EXPECT_LT(n * (n + 2) * statistic, chi_square(lags, z)) << what << ": not white";
}

/// Correlation of two series at lag 0 is that of independent ones.
inline void expect_independent(const std::vector<double>& a, const std::vector<double>& b, const char* what) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    ab += a[k] * b[k];
    aa += a[k] * a[k];
    bb += b[k] * b[k];
  }
  EXPECT_LT(std::abs(ab) / std::sqrt(aa * bb), z / std::sqrt(static_cast<double>(a.size()))) << what;
}

/// Allan variance over clusters of m samples that do not overlap; `clusters`: how many there were.
inline double allan_variance(const std::vector<double>& samples, std::size_t m, double* clusters = nullptr) {
  std::vector<double> means;
  for (std::size_t k = 0; k + m <= samples.size(); k += m) {
    double sum = 0;
    for (std::size_t i = k; i < k + m; ++i) sum += samples[i];
    means.push_back(sum / static_cast<double>(m));
  }
  double sum = 0;
  for (std::size_t k = 1; k < means.size(); ++k) sum += (means[k] - means[k - 1]) * (means[k] - means[k - 1]);
  if (clusters) *clusters = static_cast<double>(means.size());
  return sum / 2 / static_cast<double>(means.size() - 1);
}

}  // namespace fathom::simulate::test
