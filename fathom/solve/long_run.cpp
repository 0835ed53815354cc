#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <Eigen/Core>
#include <Eigen/LU>
#include <fmt/format.h>
#include <unsupported/Eigen/FFT>

#include "fathom/base/error.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::solve {
namespace {

/// Samples that follow one another in time.
struct Run {
  Eigen::Index first, count;
};

using Eigen::Index;
using Eigen::VectorXd;

constexpr double least_gap = 0.03;  // of sum a from one: Andrews and Monahan 1992 believe no nearer a root
constexpr double least_bandwidth = 0.1, most_bandwidth = 0.2;  // samples; share of all samples
constexpr Index most_order = 20;

/// m_t = sum_j a_j m_(t-j) + e_t.
struct Autoregression {
  VectorXd a;
  double variance;  ///< of e
};

VectorXd autocovariance(const Eigen::Ref<const VectorXd>& m, const std::vector<Run>& runs, Index most_lag) {
  VectorXd c = VectorXd::Zero(most_lag + 1);
  for (const Run& run : runs)
    for (Index lag = 0; lag <= std::min(most_lag, run.count - 1); ++lag)
      c[lag] += m.segment(run.first, run.count - lag).dot(m.segment(run.first + lag, run.count - lag));
  return c / static_cast<double>(m.size());
}

/// Orders 1 to the largest, by Levinson's and Durbin's recursion; calls `take` with each.
template <class Take>
void autoregressions(const VectorXd& c, const Take& take) {
  Autoregression fit{VectorXd(), c[0]};
  for (Index p = 1; p < c.size() && fit.variance > 0; ++p) {
    const double reflection = (c[p] - fit.a.dot(c.segment(1, p - 1).reverse())) / fit.variance;
    VectorXd a(p);
    a.head(p - 1) = fit.a - reflection * fit.a.reverse();
    a[p - 1] = reflection;
    fit = {a, fit.variance * (1 - reflection * reflection)};
    take(fit);
  }
}

/// Squares of the spectrum at frequency zero and of its second derivative there.
struct AtZero {
  double level = 0, curvature = 0;
  void add(const Autoregression& fit) {
    const VectorXd j = VectorXd::LinSpaced(fit.a.size(), 1, static_cast<double>(fit.a.size()));
    const double gap = std::max(1 - fit.a.sum(), least_gap);
    const double slope = fit.a.dot(j), bend = fit.a.dot(j.cwiseAbs2());
    const double f = fit.variance / (gap * gap), ff = -2 * f * (slope * slope + gap * bend) / (gap * gap);
    level += f * f;
    curvature += ff * ff;
  }
  /// Andrews 1991, eqs. 5.2 and 6.2.
  double bandwidth(double samples) const {
    const double alpha = level > 0 ? curvature / level : 0;
    return std::clamp(1.3221 * std::pow(alpha * samples, 0.2), least_bandwidth,
                      std::max(most_bandwidth * samples, least_bandwidth));
  }
};

/// Of the quadratic spectral kernel, for the columns of m (time down, columns of about equal size): the larger
/// of those that Andrews' formula gives for autoregressions of order 1 and of the order that Hannan's and
/// Quinn's criterion chooses (docs/solvers.md eq. 21).
double bandwidth(const Eigen::MatrixXd& m, const std::vector<Run>& runs) {
  const double samples = static_cast<double>(m.rows());
  const double penalty = 2 * std::log(std::log(std::max(samples, 16.0)));
  AtZero first, chosen;
  for (Index column = 0; column < m.cols(); ++column) {
    const VectorXd c = autocovariance(m.col(column), runs, std::min(most_order, m.rows() / 10 + 1));
    double least = samples * std::log(c[0]);  // the criterion at order 0
    Autoregression best{VectorXd(), c[0]};
    autoregressions(c, [&](const Autoregression& fit) {
      if (fit.a.size() == 1) first.add(fit);
      const double criterion = samples * std::log(fit.variance) + penalty * static_cast<double>(fit.a.size());
      if (criterion >= least) return;
      least = criterion;
      best = fit;
    });
    chosen.add(best);
  }
  return std::max(first.bandwidth(samples), chosen.bandwidth(samples));
}

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double tail = 8;  // bandwidths after which the kernel, below 0.4 %, may wrap around
constexpr double kernel_integral = 1.25;

std::vector<Run> runs_between(const std::vector<Index>& breaks, Index samples) {
  std::vector<Run> runs;
  Index first = 0;
  for (const Index next : breaks) {
    if (next < first || next >= samples || (next == first && next > 0))
      reject("breaks",
             fmt::format("hold {} after {}, must rise and lie below {} samples", next, first, samples));
    if (next > first) runs.push_back({first, next - first});
    first = next;
  }
  runs.push_back({first, samples - first});
  return runs;
}

void check(const Eigen::Ref<const MatrixXd>& moments) {
  if (moments.rows() < 1 || moments.cols() <= moments.rows())
    reject("moments",
           fmt::format("are {} x {}, must have more samples than unknowns", moments.rows(), moments.cols()));
  if (!moments.allFinite()) reject("moments", "hold a number that is not finite");
}

/// sum_l k(l / bandwidth) exp(i w l) of the quadratic spectral kernel: Epanechnikov's parabola, of support
/// 6 pi / (5 bandwidth), around every multiple of 2 pi.
double spectral_window(double w, double bandwidth) {
  const double support = 6 * std::numbers::pi / (5 * bandwidth), turn = 2 * std::numbers::pi;
  double sum = 0;
  for (double at = w - turn * std::floor((w + support) / turn); at < support; at += turn)
    sum += kernel_integral * bandwidth * std::max(0.0, 1 - at * at / (support * support));
  return sum;
}

/// Roots of the window's weights over n at frequencies 2 pi j / n, both signs together, up to the last that
/// weighs.
VectorXd root_weights(Index n, double bandwidth) {
  VectorXd roots(n / 2 + 1);
  Index count = 0;
  for (; count <= n / 2; ++count) {
    const double w = 2 * std::numbers::pi * static_cast<double>(count) / static_cast<double>(n);
    const double window = spectral_window(w, bandwidth);
    if (window == 0) break;
    roots[count] = std::sqrt((count == 0 || count == n / 2 ? 1 : 2) * window / static_cast<double>(n));
  }
  return roots.head(count);
}

/// Adds sum_l k(l / bandwidth) sum_t m_t m_(t-l)' of one run (time down) as a sum of squares over frequencies:
/// positive semi-definite by construction.
void add_spectrum(const Eigen::Ref<const MatrixXd>& m, double bandwidth, MatrixXd& sum) {
  const double least = std::max(2.0, static_cast<double>(m.rows()) + tail * bandwidth);
  const auto n = static_cast<Index>(std::bit_ceil(static_cast<std::size_t>(std::ceil(least))));
  const VectorXd roots = root_weights(n, bandwidth);
  Eigen::FFT<double> fft;
  fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  VectorXd padded = VectorXd::Zero(n);
  Eigen::VectorXcd spectrum(n / 2 + 1);
  MatrixXd parts(2 * roots.size(), m.cols());
  for (Index a = 0; a < m.cols(); ++a) {
    padded.head(m.rows()) = m.col(a);
    fft.fwd(spectrum.data(), padded.data(), n);
    parts.col(a).head(roots.size()) = roots.cwiseProduct(spectrum.head(roots.size()).real());
    parts.col(a).tail(roots.size()) = roots.cwiseProduct(spectrum.head(roots.size()).imag());
  }
  sum.noalias() += parts.transpose() * parts;
}

}  // namespace

LongRun long_run_covariance(const Eigen::Ref<const MatrixXd>& moments, const std::vector<Index>& breaks) {
  check(moments);
  const std::vector<Run> runs = runs_between(breaks, moments.cols());
  const double n = static_cast<double>(moments.cols()), unknowns = static_cast<double>(moments.rows());
  // Of unit mean square, so that units do not weigh in the bandwidth.
  const VectorXd size = moments.rowwise().norm() / std::sqrt(n);
  const VectorXd unscale = (size.array() > 0).select(size.cwiseInverse(), 0);
  const MatrixXd m = moments.transpose() * unscale.asDiagonal();

  LongRun result;
  result.bandwidth = bandwidth(m, runs);
  result.effective_samples = n / result.bandwidth;
  MatrixXd sum = MatrixXd::Zero(moments.rows(), moments.rows());
  for (const Run& run : runs) add_spectrum(m.middleRows(run.first, run.count), result.bandwidth, sum);
  // Moments that an estimate made sum to zero have lost what the kernel would see of their mean.
  const double lost = kernel_integral * result.bandwidth / n;
  const double factor = n / (n - unknowns) / (1 - lost) / n;
  result.covariance = factor * (size.asDiagonal() * sum * size.asDiagonal());
  return result;
}

MatrixXd sandwich(const MatrixXd& slope, const LongRun& moments, Index samples) {
  const Index k = slope.rows();
  if (slope.cols() != k || moments.covariance.rows() != k || samples < 1)
    reject("slope", fmt::format("is {} x {} for {} moments of {} samples", slope.rows(), slope.cols(),
                                moments.covariance.rows(), samples));
  const Eigen::FullPivLU<MatrixXd> lu(slope);
  if (!slope.allFinite() || !lu.isInvertible()) reject("slope", "is singular");
  // As a square: formed entry by entry, rounding is that of the largest terms, not of the variances.
  const VectorXd size = moments.covariance.diagonal().cwiseMax(1e-300).cwiseSqrt();
  const VectorXd unscale = size.cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(
      MatrixXd(unscale.asDiagonal() * moments.covariance * unscale.asDiagonal()));
  const MatrixXd root =
      size.asDiagonal() * eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
  const MatrixXd moved = std::sqrt(static_cast<double>(samples)) * lu.solve(root);
  MatrixXd covariance = MatrixXd::Zero(k, k);
  covariance.selfadjointView<Eigen::Lower>().rankUpdate(moved);
  return covariance.selfadjointView<Eigen::Lower>();
}

}  // namespace fathom::solve
