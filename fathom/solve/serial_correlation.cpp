#include "fathom/solve/serial_correlation.hpp"

#include <algorithm>
#include <complex>

#include <fmt/format.h>
#include <unsupported/Eigen/FFT>

#include "fathom/base/error.hpp"
#include "fathom/solve/internal/incomplete_gamma.hpp"

namespace fathom::solve {
namespace {

constexpr double sokal_window = 5;   // half integral times: exp(-5) of an exponential is left out
constexpr double least_window = 10;  // lags: where signs alternate, the first ones alone mislead

/// About the mean, over its norm; zero where constant.
Eigen::VectorXd unit_deviations(const Eigen::Ref<const Eigen::VectorXd>& series) {
  if (series.size() == 0 || !series.allFinite())
    reject("series", fmt::format("has {} numbers, must have some, all finite", series.size()));
  const Eigen::VectorXd deviations = series.array() - series.mean();
  // What rounding leaves of a constant is no signal.
  const bool is_constant = deviations.lpNorm<Eigen::Infinity>() <= 1e-14 * series.lpNorm<Eigen::Infinity>();
  return is_constant ? Eigen::VectorXd::Zero(series.size()) : Eigen::VectorXd(deviations.normalized());
}

double at_lag(const Eigen::VectorXd& series, Eigen::Index lag) {
  const Eigen::Index pairs = std::max<Eigen::Index>(0, series.size() - lag);
  return series.head(pairs).dot(series.tail(pairs));
}

/// Sums of products of samples so many lags apart, in all runs. The first lags are summed directly, because
/// most series forget within them; all others come from one spectrum, so that a series that remembers for long
/// takes n log n in place of n^2.
class LagProducts {
 public:
  explicit LagProducts(std::span<const Eigen::VectorXd> runs) : runs_(runs) {}

  double at(Eigen::Index lag) {
    constexpr Eigen::Index direct = 256;
    if (lag > direct && all_.size() == 0) find_all();
    if (lag > direct) return lag < all_.size() ? all_[lag] : 0;
    double sum = 0;
    for (const Eigen::VectorXd& run : runs_) sum += at_lag(run, lag);
    return sum;
  }

 private:
  void find_all() {
    Eigen::FFT<double> fft;
    fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
    for (const Eigen::VectorXd& run : runs_) {
      if (run.size() == 0) continue;
      Eigen::Index n = 2;
      while (n < 2 * run.size()) n *= 2;  // padded by zeros, so that the ends do not meet
      Eigen::VectorXd padded = Eigen::VectorXd::Zero(n), products(n);
      padded.head(run.size()) = run;
      Eigen::VectorXcd spectrum(n / 2 + 1);
      fft.fwd(spectrum.data(), padded.data(), n);
      spectrum = spectrum.cwiseAbs2().cast<std::complex<double>>().eval();
      fft.inv(products.data(), spectrum.data(), n);
      if (all_.size() < run.size()) all_.conservativeResizeLike(Eigen::VectorXd::Zero(run.size()));
      all_.head(run.size()) += products.head(run.size());
    }
  }

  std::span<const Eigen::VectorXd> runs_;
  Eigen::VectorXd all_;
};

/// Sokal 1997, section 3: the least window of `sokal_window` times the half integral time within it.
double time_of(std::span<const Eigen::VectorXd> runs) {
  LagProducts products(runs);
  const double square = products.at(0);
  if (!(square > 0)) return 1;
  Eigen::Index longest = 0;
  for (const Eigen::VectorXd& run : runs) longest = std::max(longest, run.size());
  double time = 1;
  for (Eigen::Index lag = 1; lag <= longest / 2; ++lag) {
    time += 2 * products.at(lag) / square;
    if (static_cast<double>(lag) >= std::max(sokal_window * time / 2, least_window)) break;
  }
  return std::max(time, 0.0);
}

}  // namespace

Eigen::VectorXd autocorrelation(const Eigen::Ref<const Eigen::VectorXd>& series, int most_lag) {
  if (most_lag < 0 || most_lag >= series.size())
    reject("most_lag", fmt::format("= {}, must be 0 to {}", most_lag, series.size() - 1));
  const Eigen::VectorXd unit = unit_deviations(series);
  Eigen::VectorXd r(most_lag + 1);
  r[0] = 1;
  for (int lag = 1; lag <= most_lag; ++lag) r[lag] = at_lag(unit, lag);
  return r;
}

double integral_time(const Eigen::Ref<const Eigen::VectorXd>& series) {
  const Eigen::VectorXd unit = unit_deviations(series);
  return time_of({&unit, 1});
}

double integral_time_about_zero(std::span<const Eigen::VectorXd> runs) {
  for (const Eigen::VectorXd& run : runs)
    if (!run.allFinite()) reject("series", "holds a number that is not finite");
  return time_of(runs);
}

Whiteness whiteness(const Eigen::Ref<const Eigen::VectorXd>& series, int lags) {
  if (lags < 1 || lags >= series.size())
    reject("lags", fmt::format("= {}, must be 1 to {}", lags, series.size() - 1));
  const Eigen::VectorXd unit = unit_deviations(series);
  const double n = static_cast<double>(series.size());
  Whiteness result;
  result.lags = lags;
  for (int lag = 1; lag <= lags; ++lag) {
    const double r = at_lag(unit, lag);
    result.statistic += n * (n + 2) * r * r / (n - lag);
  }
  result.probability = internal::chi_square_tail(result.statistic, lags);
  result.integral_time = time_of({&unit, 1});
  return result;
}

}  // namespace fathom::solve
