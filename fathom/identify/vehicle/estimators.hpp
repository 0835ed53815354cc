#pragma once
#include <string>
#include <vector>

#include "fathom/dynamics/vehicle.hpp"
#include "fathom/identify/vehicle/fit.hpp"
#include "fathom/solve/least_squares.hpp"

namespace fathom::identify {

/// What one estimator makes of the rows that another one sees too.
struct Estimate {
  std::string name;   ///< ordinary, weighted, total, instrumental, robust, consistent, output-error
  std::string about;  ///< for people
  bool found = false;
  std::string why_not;
  Eigen::VectorXd theta;
  Eigen::MatrixXd covariance = {};  ///< its own: of its equations and residuals
};

/// All estimators without conditions, at the delay and current of `fit`, for comparison. Instruments are the
/// rows along the motion that `instrument`, a vehicle with the parameters of a first fit, makes of the
/// commands: free of the sensors' errors. `options` are those of the fit. The estimators run in parallel on
/// `threads` (0: one per core); the numbers do not depend on it.
std::vector<Estimate> compare_estimators(const Regression& regression, const Fit& fit,
                                         const FitOptions& options, const dynamics::Vehicle* instrument,
                                         int threads = 1);

/// The recordings with the motion that the vehicle makes of the commands, attitudes as measured: its rows are
/// the instruments.
std::vector<Recording> simulated(const Regression& regression, const dynamics::Vehicle& vehicle,
                                 const Nuisance& at);

/// f of the conic solver for these rows.
solve::ConicObjective sum_of_squares(const solve::Rows& rows);

}  // namespace fathom::identify
