#include "fathom/identify/small_fit.hpp"

#include <ceres/problem.h>
#include <ceres/solver.h>

namespace fathom::identify {

void keep_within(ceres::Problem& problem, double* x, int k, double low, double high) {
  if (low > -infinity) problem.SetParameterLowerBound(x, k, low);
  if (high < infinity) problem.SetParameterUpperBound(x, k, high);
}

SmallFit solve_small(ceres::Problem& problem, const SmallFitOptions& options) {
  ceres::Solver::Options how;
  how.linear_solver_type = ceres::DENSE_QR;
  how.num_threads = 1;
  how.max_num_iterations = options.most_iterations;
  how.function_tolerance = options.function_tolerance;
  how.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(how, &problem, &summary);
  return {summary.final_cost, summary.termination_type == ceres::CONVERGENCE};
}

}  // namespace fathom::identify
