#pragma once
#include <functional>

#include <Eigen/Core>

namespace fathom::solve {

struct SimplexOptions {
  int evaluations = 1000;  ///< after which it ends with what it has
  /// It has converged when all corners are this near to the best one, in every coordinate and in value.
  double x_tolerance = 1e-4, value_tolerance = 1e-4;
};

struct SimplexResult {
  Eigen::VectorXd x;
  double value = 0;
  int evaluations = 0;
  bool converged = false;
};

/// A minimum of a function of a few unknowns without slopes: Nelder and Mead's simplex (1965) with the usual
/// coefficients 1, 2, 1/2, 1/2, in the form of Lagarias et al. (1998). `corners` has a column for each of the
/// n + 1 corners to begin with; their size is the scale of each unknown. An infinite value says "not here".
/// Throws InputError where the corners do not fit or a value is NaN.
SimplexResult simplex_search(const std::function<double(const Eigen::VectorXd&)>& function,
                             const Eigen::MatrixXd& corners, const SimplexOptions& options = {});

}  // namespace fathom::solve
