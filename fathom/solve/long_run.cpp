#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/LU>
#include <fmt/format.h>

#include "fathom/solve/internal/check.hpp"
#include "fathom/solve/internal/fourier.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::solve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double most_persistence = 0.97;  // Andrews and Monahan 1992: no root nearer to one is believed
constexpr double least_bandwidth = 0.1, most_bandwidth = 0.2;  // samples; share of all samples
constexpr double tail = 8;  // bandwidths after which the kernel, below 0.4 %, may wrap around

struct Run {
  Index first, count;
};

std::vector<Run> runs_between(const std::vector<Index>& breaks, Index samples) {
  std::vector<Run> runs;
  Index first = 0;
  for (const Index next : breaks) {
    if (next < first || next >= samples || (next == first && next > 0))
      internal::refuse(
          "breaks", fmt::format("hold {} after {}, must rise and lie below {} samples", next, first, samples));
    if (next > first) runs.push_back({first, next - first});
    first = next;
  }
  runs.push_back({first, samples - first});
  return runs;
}

void check(const Eigen::Ref<const MatrixXd>& moments) {
  if (moments.rows() < 1 || moments.cols() <= moments.rows())
    internal::refuse("moments", fmt::format("are {} x {}, must have more samples than unknowns", moments.rows(),
                                            moments.cols()));
  if (!moments.allFinite()) internal::refuse("moments", "hold a number that is not finite");
}

/// Of each row, its regression on the sample before.
VectorXd persistence(const MatrixXd& m, const std::vector<Run>& runs) {
  VectorXd products = VectorXd::Zero(m.rows()), squares = products;
  for (const Run& run : runs) {
    const auto before = m.middleCols(run.first, run.count - 1);
    products += before.cwiseProduct(m.middleCols(run.first + 1, run.count - 1)).rowwise().sum();
    squares += before.cwiseAbs2().rowwise().sum();
  }
  const VectorXd r = (squares.array() > 0).select(products.cwiseQuotient(squares), 0);
  return r.cwiseMax(-most_persistence).cwiseMin(most_persistence);
}

/// m_t - r m_(t-1), and the runs that are left: each loses its first sample.
struct Innovations {
  MatrixXd e;
  std::vector<Run> runs;
};
Innovations whiten(const MatrixXd& m, const std::vector<Run>& runs, const VectorXd& r) {
  Innovations result{MatrixXd(m.rows(), m.cols() - static_cast<Index>(runs.size())), {}};
  Index first = 0;
  for (const Run& run : runs) {
    const Index count = run.count - 1;
    if (count == 0) continue;
    result.e.middleCols(first, count) =
        m.middleCols(run.first + 1, count) - r.asDiagonal() * m.middleCols(run.first, count);
    result.runs.push_back({first, count});
    first += count;
  }
  return result;
}

/// Andrews 1991, eqs. 6.2 and 6.4, for rows of about equal size.
double andrews_bandwidth(const VectorXd& persistence, Index samples) {
  const double n = static_cast<double>(samples);
  double curvature = 0, level = 0;  // of the spectrum at frequency zero, squared
  for (const double r : persistence) {
    const double square = (1 - r * r) * (1 - r * r);
    curvature += 4 * r * r * square / std::pow(1 - r, 8);
    level += square / std::pow(1 - r, 4);
  }
  return std::clamp(1.3221 * std::pow(curvature / level * n, 0.2), least_bandwidth,
                    std::max(most_bandwidth * n, 1.0));
}

/// sum_l k(l / bandwidth) exp(i w l) of the quadratic spectral kernel: Epanechnikov's parabola, of support
/// 6 pi / (5 bandwidth), around every multiple of 2 pi.
double spectral_window(double w, double bandwidth) {
  const double support = 6 * std::numbers::pi / (5 * bandwidth), turn = 2 * std::numbers::pi;
  double sum = 0;
  for (double at = w - turn * std::floor((w + support) / turn); at < support; at += turn)
    sum += 1.25 * bandwidth * std::max(0.0, 1 - at * at / (support * support));
  return sum;
}

/// Adds sum_l k(l / bandwidth) sum_t m_t m_(t-l)' of one run, as a sum of squares over frequencies: positive
/// semi-definite by construction. Two rows go through one transform as real and imaginary part.
void add_spectrum(const Eigen::Ref<const MatrixXd>& m, double bandwidth, MatrixXd& sum) {
  const internal::Fourier fourier(
      internal::power_of_two(std::max(2.0, static_cast<double>(m.cols()) + tail * bandwidth)));
  const Index n = fourier.size(), unknowns = m.rows();
  std::vector<double> roots;  // of the window's weights over n, both signs of the frequency
  for (Index j = 0; j <= n / 2; ++j) {
    const double w = 2 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(n);
    const double window = spectral_window(w, bandwidth);
    if (window == 0) break;
    roots.push_back(std::sqrt((j == 0 || j == n / 2 ? 1 : 2) * window / static_cast<double>(n)));
  }
  const Index frequencies = static_cast<Index>(roots.size());
  MatrixXd parts(2 * frequencies, unknowns);
  Eigen::VectorXcd z(n);
  for (Index a = 0; a < unknowns; a += 2) {
    const Index b = std::min(a + 1, unknowns - 1);
    z.setZero();
    for (Index t = 0; t < m.cols(); ++t) z[t] = {m(a, t), m(b, t)};
    fourier.transform(z);
    for (Index j = 0; j < frequencies; ++j) {
      const std::complex<double> plus = z[j], minus = std::conj(z[(n - j) % n]);
      const double half = roots[static_cast<std::size_t>(j)] / 2;
      parts(2 * j, a) = half * (plus + minus).real();
      parts(2 * j + 1, a) = half * (plus + minus).imag();
      parts(2 * j, b) = half * (plus - minus).imag();
      parts(2 * j + 1, b) = -half * (plus - minus).real();
    }
  }
  sum.noalias() += parts.transpose() * parts;
}

}  // namespace

LongRun long_run_covariance(const Eigen::Ref<const MatrixXd>& moments, const std::vector<Index>& breaks) {
  check(moments);
  const std::vector<Run> runs = runs_between(breaks, moments.cols());
  const double n = static_cast<double>(moments.cols()), unknowns = static_cast<double>(moments.rows());
  // Rows of unit mean square, so that units do not weigh in the bandwidth.
  const VectorXd size = moments.rowwise().norm() / std::sqrt(n);
  const VectorXd unscale = (size.array() > 0).select(size.cwiseInverse(), 0);
  const MatrixXd m = unscale.asDiagonal() * moments;
  const VectorXd r = persistence(m, runs);
  const Innovations innovations = whiten(m, runs, r);
  const VectorXd left = persistence(innovations.e, innovations.runs);

  LongRun result;
  result.bandwidth = andrews_bandwidth(left, innovations.e.cols());
  MatrixXd sum = MatrixXd::Zero(moments.rows(), moments.rows());
  for (const Run& run : innovations.runs)
    add_spectrum(innovations.e.middleCols(run.first, run.count), result.bandwidth, sum);
  const VectorXd recolour = size.array() / (1 - r.array());
  const double samples = static_cast<double>(innovations.e.cols());
  result.covariance = n / (n - unknowns) / samples * (recolour.asDiagonal() * sum * recolour.asDiagonal());
  const double integral_time = ((1 + r.array()) / (1 - r.array())).mean();
  result.effective_samples = n / (result.bandwidth + 2 * integral_time);
  return result;
}

MatrixXd sandwich(const MatrixXd& slope, const LongRun& moments, Index samples) {
  const Index k = slope.rows();
  if (slope.cols() != k || moments.covariance.rows() != k || samples < 1)
    internal::refuse("slope", fmt::format("is {} x {} for {} moments of {} samples", slope.rows(), slope.cols(),
                                          moments.covariance.rows(), samples));
  const Eigen::FullPivLU<MatrixXd> lu(slope);
  if (!slope.allFinite() || !lu.isInvertible()) internal::refuse("slope", "is singular");
  const MatrixXd half = lu.solve(static_cast<double>(samples) * moments.covariance);
  const MatrixXd covariance = lu.solve(half.transpose());
  return (covariance + covariance.transpose()) / 2;
}

}  // namespace fathom::solve
