#include "fathom/base/derivative.hpp"

#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

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

}  // namespace

Eigen::MatrixXd numerical_jacobian(const VectorFunction& at, const Eigen::VectorXd& x, double step,
                                   Eigen::MatrixXd* error_estimate) {
  const Eigen::Index rows = at(x).size(), columns = x.size();
  Eigen::MatrixXd jacobian(rows, columns);
  Eigen::MatrixXd error = Eigen::MatrixXd::Constant(rows, columns, std::numeric_limits<double>::infinity());

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
  double worst_excess = -std::numeric_limits<double>::infinity();
  for (Eigen::Index i = 0; i < numeric.rows(); ++i) {
    for (Eigen::Index j = 0; j < numeric.cols(); ++j) {
      const double scale = 1 + std::abs(numeric(i, j));
      const double error = std::abs(analytic(i, j) - numeric(i, j)) / scale;
      const double own_error = estimate(i, j) / scale;
      const double allowed = tolerance + 10 * own_error;
      if (!(error <= allowed) || !(own_error <= 100 * tolerance)) check.ok = false;
      if (!(error - allowed <= worst_excess)) {
        worst_excess = error - allowed;
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
  return fmt::format("entry ({}, {}): relative error {:.3g}, allowed {:.3g}", row, column, worst_error,
                     worst_allowed);
}

}  // namespace fathom
