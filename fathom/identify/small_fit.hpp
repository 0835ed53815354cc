#pragma once
#include "fathom/base/constants.hpp"

namespace ceres {
class Problem;  // whoever makes one has the header of Ceres; nobody else needs it
}

// Bounded least squares of a few unknowns, by Levenberg and Marquardt's steps (Ceres).
namespace fathom::identify {

struct SmallFitOptions {
  double function_tolerance = 1e-9;  ///< of the sum of squares, against itself
  int most_iterations = 100;
};

struct SmallFit {
  double cost = infinity;  ///< half the sum of squares
  bool converged = false;
};

/// The k-th of the unknowns at x stays within them.
void keep_within(ceres::Problem& problem, double* x, int k, double low, double high);

/// Moves the problem's unknowns to a least sum of squares. The same bytes on every machine: one thread, dense.
SmallFit solve_small(ceres::Problem& problem, const SmallFitOptions& options);

}  // namespace fathom::identify
