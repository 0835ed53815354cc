#include "fathom/filter/internal/spline_system.hpp"

#include <algorithm>
#include <cmath>

namespace fathom::filter::internal {
namespace {

/// L D L' of a symmetric positive matrix given by its bands: D in row 0, L below. False: not positive.
bool factor(Eigen::MatrixXd& bands) {
  const Eigen::Index p = bands.rows() - 1, n = bands.cols();
  for (Eigen::Index j = 0; j < n; ++j) {
    if (!(bands(0, j) > 0)) return false;
    const Eigen::Index last = std::min(p, n - 1 - j);
    for (Eigen::Index k = 1; k <= last; ++k) {
      const double l = bands(k, j) / bands(0, j);
      for (Eigen::Index m = k; m <= last; ++m) bands(m - k, j + k) -= l * bands(m, j);
    }
    for (Eigen::Index k = 1; k <= last; ++k) bands(k, j) /= bands(0, j);
  }
  return true;
}

Eigen::VectorXd solve_factored(const Eigen::MatrixXd& bands, Eigen::VectorXd x) {
  const Eigen::Index p = bands.rows() - 1, n = bands.cols();
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index k = 1; k <= std::min(p, n - 1 - j); ++k) x[j + k] -= bands(k, j) * x[j];
  for (Eigen::Index j = n; j-- > 0;) {
    x[j] /= bands(0, j);
    for (Eigen::Index k = 1; k <= std::min(p, n - 1 - j); ++k) x[j] -= bands(k, j) * x[j + k];
  }
  return x;
}

/// The inverse within the band, from the last column to the first (Hutchinson and de Hoog 1985).
Eigen::MatrixXd inverse_bands(const Eigen::MatrixXd& bands) {
  const Eigen::Index p = bands.rows() - 1, n = bands.cols();
  Eigen::MatrixXd inverse = Eigen::MatrixXd::Zero(p + 1, n);
  const auto entry = [&](Eigen::Index i, Eigen::Index j) { return inverse(std::abs(i - j), std::min(i, j)); };
  for (Eigen::Index j = n; j-- > 0;) {
    const Eigen::Index last = std::min(p, n - 1 - j);
    for (Eigen::Index k = last; k >= 0; --k) {
      double sum = k == 0 ? 1 / bands(0, j) : 0;
      for (Eigen::Index m = 1; m <= last; ++m) sum -= bands(m, j) * entry(j + m, j + k);
      inverse(k, j) = sum;
    }
  }
  return inverse;
}

}  // namespace

SplineSystem::SplineSystem(const Eigen::VectorXd& t, const Eigen::VectorXd& y, const Eigen::VectorXd& weights,
                           int order)
    : order_(order),
      n_(t.size()),
      rows_(t.size() - order),
      factorial_(order == 2 ? 2 : 6),
      t_(t),
      y_(y),
      weights_(weights) {
  Q_.resize(order_ + 1, rows_);
  for (Eigen::Index j = 0; j < rows_; ++j)
    for (Eigen::Index a = 0; a <= order_; ++a) {
      double product = 1;
      for (Eigen::Index b = 0; b <= order_; ++b)
        if (b != a) product *= t_[j + a] - t_[j + b];
      Q_(a, j) = 1 / product;
    }
  K_.setZero(order_ + 1, rows_);
  for (Eigen::Index j = 0; j < rows_; ++j)
    for (Eigen::Index k = 0; k <= std::min(order_, rows_ - 1 - j); ++k)
      for (Eigen::Index a = k; a <= order_; ++a) K_(k, j) += Q_(a, j) * Q_(a - k, j + k) / weights_[j + a];
  R_.setZero(order_ + 1, rows_);
  for (Eigen::Index i = 0; i + 1 < n_; ++i) add_gram(i);
}

/// B-spline of degree order - 1 on t_j .. t_(j + order) with integral one, at t in [t_i, t_(i+1)]; Cox and de
/// Boor.
double SplineSystem::b_spline(Eigen::Index j, Eigen::Index interval, double t) const {
  double values[3] = {};
  for (Eigen::Index k = 0; k < order_; ++k) values[k] = interval == j + k ? 1 / (t_[j + k + 1] - t_[j + k]) : 0;
  for (Eigen::Index degree = 1; degree < order_; ++degree)
    for (Eigen::Index k = 0; k + degree < order_; ++k) {
      const double left = t_[j + k], right = t_[j + k + degree + 1];
      values[k] = static_cast<double>(degree + 1) / static_cast<double>(degree) *
                  ((t - left) * values[k] + (right - t) * values[k + 1]) / (right - left);
    }
  return values[0];
}

/// One interval's share in the products of B-splines; Gauss' rule of three points is exact for them.
void SplineSystem::add_gram(Eigen::Index interval) {
  static const double nodes[] = {-std::sqrt(0.6), 0, std::sqrt(0.6)}, weights[] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  const double half = 0.5 * (t_[interval + 1] - t_[interval]), middle = t_[interval] + half;
  const Eigen::Index first = std::max<Eigen::Index>(0, interval - order_ + 1),
                     last = std::min(interval, rows_ - 1);
  for (int q = 0; q < 3; ++q)
    for (Eigen::Index j = first; j <= last; ++j) {
      const double weighted = weights[q] * half / factorial_ * b_spline(j, interval, middle + half * nodes[q]);
      for (Eigen::Index k = j; k <= last; ++k)
        R_(k - j, j) += weighted * b_spline(k, interval, middle + half * nodes[q]);
    }
}

double SplineSystem::scale() const { return R_.row(0).sum() / (factorial_ * K_.row(0).sum()); }

double SplineSystem::highest(const Eigen::VectorXd& gamma, Eigen::Index i, double t) const {
  double sum = 0;
  for (Eigen::Index j = std::max<Eigen::Index>(0, i - order_ + 1); j <= std::min(i, rows_ - 1); ++j)
    sum += gamma[j] * b_spline(j, i, t);
  return sum;
}

std::optional<SplineSystem::Solution> SplineSystem::solve(double smoothing) const {
  const double mu = factorial_ * smoothing;
  Eigen::MatrixXd bands = R_ + mu * K_;
  if (!factor(bands)) return std::nullopt;
  Eigen::VectorXd differences(rows_);
  for (Eigen::Index j = 0; j < rows_; ++j) differences[j] = Q_.col(j).dot(y_.segment(j, order_ + 1));
  Solution solution;
  solution.gamma = solve_factored(bands, differences);
  Eigen::VectorXd pull = Eigen::VectorXd::Zero(n_);
  for (Eigen::Index j = 0; j < rows_; ++j) pull.segment(j, order_ + 1) += solution.gamma[j] * Q_.col(j);
  const Eigen::VectorXd residual = mu * pull.cwiseQuotient(weights_);
  solution.g = y_ - residual;
  const Eigen::MatrixXd inverse = inverse_bands(bands);
  const double trace =  // of I - A
      mu * (inverse.row(0).dot(K_.row(0)) +
            2 * inverse.bottomRows(order_).cwiseProduct(K_.bottomRows(order_)).sum());
  const double n = static_cast<double>(n_);
  solution.freedom = n - trace;
  solution.gcv = residual.cwiseAbs2().dot(weights_) / n / std::pow(trace / n, 2);
  return solution;
}

}  // namespace fathom::filter::internal
