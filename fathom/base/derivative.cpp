#include "fathom/base/derivative.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"

namespace fathom {
namespace {

constexpr int levels = 8;
constexpr double shrink = 1.6;  // steps step, step/1.6, ...: slow enough to see where rounding takes over

Eigen::VectorXd central_difference(const VectorFunction& at, const Eigen::VectorXd& x, Eigen::Index column,
                                   double step) {
  Eigen::VectorXd ahead = x, behind = x;
  ahead[column] += step;
  behind[column] -= step;
  return (at(ahead) - at(behind)) / (ahead[column] - behind[column]);
}

/// Central differences are blind to a kink at x itself: |x| has the difference 0 there. The two one-sided
/// slopes differ by h f'' for a smooth function, which falls with h, and by a constant at a kink. Returns that
/// constant.
Eigen::VectorXd kink(const VectorFunction& at, const Eigen::VectorXd& x, Eigen::Index column, double step) {
  const Eigen::VectorXd middle = at(x);
  const auto slope_change = [&](double h) -> Eigen::VectorXd {
    Eigen::VectorXd ahead = x, behind = x;
    ahead[column] += h;
    behind[column] -= h;
    return (at(ahead) - 2 * middle + at(behind)).cwiseAbs() / h;
  };
  const double small_step = step / 16;
  const Eigen::VectorXd large = slope_change(step), small = slope_change(small_step);
  Eigen::VectorXd result = Eigen::VectorXd::Zero(middle.size());
  for (Eigen::Index row = 0; row < middle.size(); ++row) {
    const double rounding = 64 * epsilon * std::abs(middle[row]) / small_step;
    if (!(small[row] <= large[row] / 4 + rounding)) result[row] = small[row];
  }
  return result;
}

}  // namespace

Eigen::MatrixXd numerical_jacobian(const VectorFunction& at, const Eigen::VectorXd& x, double step,
                                   Eigen::MatrixXd* error_estimate) {
  const Eigen::Index rows = at(x).size(), columns = x.size();
  Eigen::MatrixXd jacobian = Eigen::MatrixXd::Constant(rows, columns, nan);
  Eigen::MatrixXd error = Eigen::MatrixXd::Constant(rows, columns, infinity);

  for (Eigen::Index column = 0; column < columns; ++column) {
    // Ridders' tableau: each diagonal removes one more even power of the step; the best entry, row by row of
    // the function, is the one that changed least.
    std::array<Eigen::VectorXd, levels> last, current;
    double h = step;
    for (int i = 0; i < levels; ++i, h /= shrink) {
      current[0] = central_difference(at, x, column, h);
      double factor = shrink * shrink;
      for (int k = 1; k <= i; ++k, factor *= shrink * shrink) {
        const auto now = static_cast<std::size_t>(k), before = static_cast<std::size_t>(k - 1);
        current[now] = (factor * current[before] - last[before]) / (factor - 1);
        const Eigen::VectorXd change =
            (current[now] - current[before]).cwiseAbs().cwiseMax((current[now] - last[before]).cwiseAbs());
        for (Eigen::Index row = 0; row < rows; ++row) {
          if (change[row] >= error(row, column)) continue;
          error(row, column) = change[row];
          jacobian(row, column) = current[now][row];
        }
      }
      last = current;
    }
    error.col(column) = error.col(column).cwiseMax(kink(at, x, column, step));
  }
  if (error_estimate) *error_estimate = error;
  return jacobian;
}

DerivativeCheck check_derivative(const VectorFunction& at, const Eigen::VectorXd& x,
                                 const Eigen::MatrixXd& analytic, double step, double tolerance) {
  DerivativeCheck check;
  Eigen::MatrixXd estimate;
  const Eigen::MatrixXd numeric = numerical_jacobian(at, x, step, &estimate);
  if (numeric.rows() != analytic.rows() || numeric.cols() != analytic.cols()) return check;

  check.ok = true;
  double worst_excess = -infinity;
  for (Eigen::Index i = 0; i < numeric.rows(); ++i) {
    for (Eigen::Index j = 0; j < numeric.cols(); ++j) {
      const double scale = 1 + std::abs(numeric(i, j));
      const double error = std::abs(analytic(i, j) - numeric(i, j)) / scale;
      const double own_error = estimate(i, j) / scale;
      const double allowed = tolerance + 10 * own_error;
      const bool can_tell = own_error <= 100 * tolerance;
      const double excess = can_tell ? error - allowed : infinity;
      if (!(excess <= 0)) check.ok = false;
      if (!(excess <= worst_excess)) {
        worst_excess = excess;
        check.can_tell = can_tell;
        check.worst_error = error;
        check.worst_allowed = allowed;
        check.row = static_cast<int>(i);
        check.column = static_cast<int>(j);
      }
    }
  }
  return check;
}

std::string DerivativeCheck::text() const {
  if (row < 0) return "the analytic Jacobian has the wrong size";
  if (!can_tell)
    return fmt::format("entry ({}, {}): no derivative that differences agree on, a kink?", row, column);
  return fmt::format("entry ({}, {}): relative error {:.3g}, allowed {:.3g}", row, column, worst_error,
                     worst_allowed);
}

}  // namespace fathom
