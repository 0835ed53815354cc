#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include <Eigen/LU>
#include <fmt/format.h>
#include <unsupported/Eigen/FFT>

#include "fathom/base/error.hpp"
#include "fathom/solve/internal/bandwidth.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::solve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using internal::Run;

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
  result.bandwidth = internal::bandwidth(m, runs);
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
  const MatrixXd half = lu.solve(static_cast<double>(samples) * moments.covariance);
  const MatrixXd covariance = lu.solve(half.transpose());
  return (covariance + covariance.transpose()) / 2;
}

}  // namespace fathom::solve
