#include "fathom/solve/truncated_gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <boost/math/special_functions/erf.hpp>

#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"

namespace fathom::solve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double near_border = 5;      // standard deviations: beyond, a border cuts off less than 1e-6
constexpr Index wanted_draws = 2000;   // quantiles of 2.5 % are then right to about 3 % of a sigma, or better
constexpr Index fewest_draws = 200;    // with fewer, the plain Gaussian is the better guess
constexpr Index most_tries = 40000;    // for them, where matrix inequalities reject many
constexpr int sweeps_per_draw = 4;     // of the Gibbs sampler, so that draws hardly remember the last one
constexpr int sweeps_to_forget = 200;  // the start
constexpr Index bins = 200;            // of the draws, for quantiles
constexpr double border_tolerance = 1e-7;  // of the scale of an inequality: a solver's rounding

double normal_share_below(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

/// Draws a standard normal number between low and high by the inverse of its distribution, in the tail that
/// keeps digits.
double normal_between(RandomStream& random, double low, double high) {
  const double u = random.uniform();
  if (!(low < high)) return low;
  if (low > 0) return -normal_between(random, -high, -low);
  const double from = normal_share_below(low), to = normal_share_below(high);
  const double p = from + u * (to - from);
  if (!(p > 1e-300)) return std::min(high, std::max(low, -37.0));
  return std::clamp(-std::numbers::sqrt2 * boost::math::erfc_inv(2 * p), low, high);
}

/// constant + slope'z >= 0 in units of the covariance's root, divided by its standard deviation.
struct Border {
  double constant;
  VectorXd slope;
};

/// Keeps a border that is near enough to matter. Returns false where the mean lies beyond it.
bool add_border(double constant, const VectorXd& slope, std::vector<Border>& borders) {
  const double sigma = slope.norm();
  if (!(sigma > 0)) return true;
  if (constant < -1e-3 * sigma) return false;
  const double distance = std::max(0.0, constant / sigma);
  if (distance < near_border) borders.push_back({distance, slope / sigma});
  return true;
}

/// u' dS/dx_i u for each unknown i.
VectorXd slope_along(const MatrixInequality& matrix, const VectorXd& u, Index unknowns) {
  VectorXd slope = VectorXd::Zero(unknowns);
  for (const auto& [unknown, row, column, value] : matrix.entries)
    slope[unknown] += (row == column ? 1 : 2) * value * u[row] * u[column];
  return slope;
}

bool is_inside(const ConicSet& set, const VectorXd& x) {
  return std::all_of(set.matrices.begin(), set.matrices.end(), [&](const MatrixInequality& matrix) {
    const MatrixXd S = slack(matrix, x);
    const double scale = std::max(1e-300, S.diagonal().cwiseAbs().maxCoeff());
    const Eigen::LLT<MatrixXd> llt(S + border_tolerance * scale * MatrixXd::Identity(S.rows(), S.cols()));
    return llt.info() == Eigen::Success;
  });
}

/// Where a matrix is nearly singular, u'S(x)u >= 0 of its null vectors is a necessary condition; drawing under
/// it makes few draws be rejected by the matrix itself.
bool find_borders(const ConicSet& set, const VectorXd& mean, const MatrixXd& root,
                  std::vector<Border>& borders) {
  const Index n = mean.size();
  for (const ScalarInequality& scalar : set.scalars) {
    VectorXd slope = VectorXd::Zero(n);
    for (const auto& [unknown, value] : scalar.entries) slope[unknown] += value;
    if (!add_border(slack(scalar, mean), root.transpose() * slope, borders)) return false;
  }
  for (const MatrixInequality& matrix : set.matrices) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> spectrum(slack(matrix, mean));
    for (Index k = 0; k < spectrum.eigenvalues().size(); ++k)
      if (!add_border(spectrum.eigenvalues()[k],
                      root.transpose() * slope_along(matrix, spectrum.eigenvectors().col(k), n), borders))
        return false;
  }
  return true;
}

/// Columns that span the borders' slopes.
MatrixXd basis_of(const std::vector<Border>& borders) {
  MatrixXd slopes(borders.front().slope.size(), static_cast<Index>(borders.size()));
  for (std::size_t k = 0; k < borders.size(); ++k) slopes.col(static_cast<Index>(k)) = borders[k].slope;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> spectrum(MatrixXd(slopes * slopes.transpose()));
  const auto none = (spectrum.eigenvalues().array() < 1e-10 * spectrum.eigenvalues().maxCoeff()).count();
  return spectrum.eigenvectors().rightCols(slopes.rows() - none);
}

/// One pass of the Gibbs sampler over the coordinates of w: each a standard normal between its borders.
void sweep(const MatrixXd& slopes, VectorXd& slack_now, VectorXd& w, RandomStream& random) {
  for (Index i = 0; i < w.size(); ++i) {
    double low = -infinity, high = infinity;
    for (Index k = 0; k < slopes.rows(); ++k) {
      const double a = slopes(k, i);
      if (std::abs(a) < 1e-12) continue;
      const double at = w[i] - std::max(0.0, slack_now[k]) / a;
      (a > 0 ? low : high) = a > 0 ? std::max(low, at) : std::min(high, at);
    }
    const double next = normal_between(random, low, high);
    slack_now += (next - w[i]) * slopes.col(i);
    w[i] = next;
  }
}

}  // namespace

TruncatedGaussian::TruncatedGaussian(const VectorXd& mean, const MatrixXd& covariance, const ConicSet& set,
                                     std::uint64_t seed)
    : mean_(mean), sigma_(covariance.diagonal().cwiseMax(0).cwiseSqrt()) {
  if (covariance.rows() != mean.size() || covariance.cols() != mean.size() || set.unknowns != mean.size())
    reject("covariance", "must have a row and a column per unknown of the set");
  if (!mean.allFinite() || !covariance.allFinite()) reject("covariance", "has numbers that are not finite");
  const VectorXd unit = sigma_.cwiseMax(1e-300);
  const MatrixXd correlation = unit.cwiseInverse().asDiagonal() * covariance * unit.cwiseInverse().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> spectrum(correlation);
  root_ =
      unit.asDiagonal() * spectrum.eigenvectors() * spectrum.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
  sample(set, seed);
}

void TruncatedGaussian::sample(const ConicSet& set, std::uint64_t seed) {
  std::vector<Border> borders;
  if (!find_borders(set, mean_, root_, borders) || borders.empty()) return;
  basis_ = basis_of(borders);
  along_ = root_ * basis_;
  rest_ = (sigma_.cwiseAbs2() - along_.rowwise().squaredNorm()).cwiseMax(0).cwiseSqrt();
  MatrixXd slopes(static_cast<Index>(borders.size()), basis_.cols());
  VectorXd constant(slopes.rows());
  for (Index k = 0; k < slopes.rows(); ++k) {
    slopes.row(k) = basis_.transpose() * borders[static_cast<std::size_t>(k)].slope;
    constant[k] = borders[static_cast<std::size_t>(k)].constant;
  }
  RandomStream random(seed, "truncated Gaussian");
  VectorXd w = VectorXd::Zero(basis_.cols()), others(root_.cols());
  MatrixXd kept(basis_.cols(), wanted_draws);
  Index found = 0, tried = 0;
  VectorXd slack_now = constant;
  for (int k = 0; k < sweeps_to_forget; ++k) sweep(slopes, slack_now, w, random);
  for (; tried < most_tries && found < wanted_draws; ++tried) {
    for (int k = 0; k < sweeps_per_draw; ++k) sweep(slopes, slack_now, w, random);
    slack_now = constant + slopes * w;  // sums of many small steps round
    if (!set.matrices.empty()) {
      for (double& one : others) one = random.normal();
      others -= basis_ * (basis_.transpose() * others);
      if (!is_inside(set, mean_ + along_ * w + root_ * others)) continue;
    }
    kept.col(found++) = w;
  }
  accepted_ = static_cast<double>(found) / static_cast<double>(std::max<Index>(1, tried));
  // Too few draws say less than the borders alone, which the Gaussian's own quantiles, cut off, respect.
  has_too_few_draws_ = found < fewest_draws;
  if (!has_too_few_draws_) draws_ = kept.leftCols(found);
}

double TruncatedGaussian::quantile(Index k, double p) const {
  if (!(p > 0 && p < 1)) reject("p", "must be between 0 and 1");
  const double plain = -std::numbers::sqrt2 * boost::math::erfc_inv(2 * p);
  if (!is_truncated()) return mean_[k] + plain * sigma_[k];
  const VectorXd at = draws_.transpose() * along_.row(k).transpose();
  const double low_at = at.minCoeff(), high_at = at.maxCoeff(), width = (high_at - low_at) / bins;
  if (!(width > 1e-6 * sigma_[k])) return mean_[k] + plain * sigma_[k];
  if (rest_[k] < width) {  // the draws are all that moves it
    std::vector<double> sorted(at.begin(), at.end());
    std::sort(sorted.begin(), sorted.end());
    const double place = p * static_cast<double>(sorted.size() - 1);
    const auto before = static_cast<std::size_t>(place);
    const double after = sorted[std::min(before + 1, sorted.size() - 1)];
    return mean_[k] + sorted[before] + (place - static_cast<double>(before)) * (after - sorted[before]);
  }
  VectorXd share = VectorXd::Zero(bins);
  for (const double value : at)
    share[std::min<Index>(bins - 1, static_cast<Index>((value - low_at) / width))] += 1;
  share /= static_cast<double>(at.size());
  const auto share_below = [&](double x) {
    double sum = 0;
    for (Index b = 0; b < bins; ++b)
      if (share[b] > 0)
        sum += share[b] * normal_share_below((x - low_at - (static_cast<double>(b) + 0.5) * width) / rest_[k]);
    return sum;
  };
  double low = low_at - 9 * rest_[k], high = high_at + 9 * rest_[k];
  for (int step = 0; step < 30 && high - low > 1e-5 * sigma_[k]; ++step) {
    const double middle = 0.5 * (low + high);
    (share_below(middle) < p ? low : high) = middle;
  }
  return mean_[k] + 0.5 * (low + high);
}

}  // namespace fathom::solve
