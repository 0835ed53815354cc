#pragma once
#include <functional>
#include <string>

#include <Eigen/Core>

namespace fathom {

/// A function R^n -> R^m. For states on a manifold, x is the tangent displacement from the state under test.
using VectorFunction = std::function<Eigen::VectorXd(const Eigen::VectorXd&)>;

/// Holds the comparison of an analytic Jacobian with numerical derivatives.
struct DerivativeCheck {
  double worst_error = 0;     ///< largest |analytic - numeric| / (1 + |numeric|)
  double worst_allowed = 0;   ///< error bound of the numerical derivative there
  int row = -1, column = -1;  ///< where
  bool can_tell = true;       ///< false: the numerical derivative is too inaccurate to decide
  bool ok = false;
  std::string text() const;
};

/// Returns central differences extrapolated to step zero (Ridders 1982), with an estimate of their own error.
/// `step` is the first and largest step, in units of x.
Eigen::MatrixXd numerical_jacobian(const VectorFunction& at, const Eigen::VectorXd& x, double step,
                                   Eigen::MatrixXd* error_estimate = nullptr);

/// Compares `analytic` with the numerical Jacobian at x. An entry passes if it differs by no more than
/// `tolerance` (relative to 1 + |numeric|) plus ten times the numerical derivative's own error estimate; that
/// estimate must itself be below 100 * tolerance, else the check fails as undecided.
DerivativeCheck check_derivative(const VectorFunction& at, const Eigen::VectorXd& x,
                                 const Eigen::MatrixXd& analytic, double step = 0.05, double tolerance = 1e-9);

}  // namespace fathom
