#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/solve/internal/triangle.hpp"

namespace fathom::solve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double tolerance = 1e-9;     // root mean square change of A x, over the scale
constexpr double exact_scale = 1e-14;  // scale over the root mean square of y at which the fit is exact
constexpr double normal_mad = 0.67448975019608171;  // median of |a standard normal|

using Panel = Eigen::Ref<const MatrixXd>;
using Sides = Eigen::Ref<const VectorXd>;

/// The passes over rows, with the residual of each row at the latest x.
class Passes {
 public:
  Passes(Index unknowns, const RowSource& source) : n_(unknowns), source_(source) {}

  Rows plain() {
    Rows rows(n_);
    source_([&](const Panel& A, const Sides& y) { rows.add(A, y); });
    residuals_.resize(static_cast<std::size_t>(rows.count()));
    return rows;
  }
  void find_residuals(const VectorXd& x) {
    each([&](const Panel& A, const Sides& y, Eigen::Map<VectorXd> r) { r = y - A * x; });
  }
  /// Rows times the root of their weight: one up to the corner, then corner / |residual|.
  Rows weighted(double corner) {
    Rows rows(n_);
    each([&](const Panel& A, const Sides& y, Eigen::Map<VectorXd> r) {
      rows.add(A, y, (r.array().abs() / corner).max(1).sqrt().matrix());
    });
    return rows;
  }
  Eigen::Map<const Eigen::ArrayXd> residuals() const {
    return {residuals_.data(), static_cast<Index>(residuals_.size())};
  }
  double scale() {
    sorted_.assign(residuals_.begin(), residuals_.end());
    for (double& r : sorted_) r = std::abs(r);
    const auto middle = sorted_.begin() + static_cast<std::ptrdiff_t>(sorted_.size() / 2);
    std::nth_element(sorted_.begin(), middle, sorted_.end());
    double median = *middle;
    if (sorted_.size() % 2 == 0) median = (median + *std::max_element(sorted_.begin(), middle)) / 2;
    return median / normal_mad;
  }

 private:
  template <class Action>
  void each(const Action& action) {
    Index first = 0;
    const Index all = static_cast<Index>(residuals_.size());
    source_([&](const Panel& A, const Sides& y) {
      if (first + y.size() > all) reject_other_rows();
      action(A, y, Eigen::Map<VectorXd>(residuals_.data() + first, y.size()));
      first += y.size();
    });
    if (first != all) reject_other_rows();
  }
  [[noreturn]] static void reject_other_rows() {
    reject("rows", "differ in number from pass to pass", "a source must give the same rows each time");
  }

  Index n_;
  const RowSource& source_;
  std::vector<double> residuals_, sorted_;
};

/// Huber 1981, section 7.6, with his correction K squared: what statsmodels calls H1.
MatrixXd covariance_of_huber(const RobustFit& fit, const Eigen::Map<const Eigen::ArrayXd>& residuals,
                             double corner, const MatrixXd& inverse_gram) {
  const double n = static_cast<double>(fit.rows), p = static_cast<double>(fit.rank);
  const double inside = 1 - static_cast<double>(fit.down_weighted) / n;  // mean of psi'
  const double k = 1 + p / n * (1 - inside) / inside;
  const double square = residuals.abs().min(corner).square().sum() / (n - p);
  return k * k * square / (inside * inside) * inverse_gram;
}

}  // namespace

RobustFit huber(Index unknowns, const RowSource& source, double corner) {
  if (!(corner > 0)) reject("corner", fmt::format("= {}, must be positive", corner));
  Passes passes(unknowns, source);
  const Rows plain = passes.plain();
  const internal::Triangle of = internal::triangle(plain);
  RobustFit fit;
  static_cast<LinearFit&>(fit) = ordinary(plain);
  const double count = static_cast<double>(fit.rows);
  const double smallest_scale = exact_scale * std::sqrt(plain.square() / count);
  passes.find_residuals(fit.x);
  fit.scale = passes.scale();
  constexpr int most_iterations = 200;
  while (!fit.converged && fit.iterations < most_iterations) {
    fit.converged = fit.scale <= smallest_scale;
    if (fit.converged) break;
    const VectorXd x = ordinary(passes.weighted(corner * fit.scale)).x;
    fit.converged = (of.R * (x - fit.x)).norm() <= tolerance * fit.scale * std::sqrt(count);
    fit.x = x;
    passes.find_residuals(fit.x);
    fit.scale = passes.scale();
    ++fit.iterations;
  }
  const auto residuals = passes.residuals();
  fit.rss = residuals.square().sum();
  fit.down_weighted = (residuals.abs() > corner * fit.scale).count();
  fit.covariance.resize(0, 0);
  if (fit.rows > fit.rank && fit.down_weighted < fit.rows)
    fit.covariance = covariance_of_huber(fit, residuals, corner * fit.scale, internal::inverse_gram(of, fit));
  return fit;
}

}  // namespace fathom::solve
