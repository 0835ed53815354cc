#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fathom/identify/regression.hpp"
#include "fathom/solve/conic.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify {

struct FitOptions {
  bool estimate_delay = true;
  double delay = 0;  ///< s; where it is not estimated
  bool estimate_current = true;
  double current_sigma = 0.03;  ///< m/s, what is expected of a pool before anything is measured
  /// rad, one sigma of the constant error of roll, pitch and heading; it becomes part of the covariance.
  Vec3 attitude_sigma = Vec3::Zero();
  /// One sigma of a common error of all thrusters' forces, as a share: it scales every parameter alike and is
  /// part of the covariance.
  double thrust_sigma = 0;
  bool whiten = true;  ///< take from rows what they remember of the sample before
  int iterations = 4;
};

/// What is unknown besides the parameters, and their estimate: delay and current.
struct Nuisance {
  Supposition supposition;
  double delay_sigma = 0;
  Vec3 current_sigma = Vec3::Zero();
};

/// Residuals of the blurred equation, in the order of time.
struct Residuals {
  Eigen::MatrixXd values;  ///< rows x samples: tau - Y theta [N, N m]
  std::vector<double> t;   ///< s
  std::vector<std::size_t> recording;
  std::vector<Eigen::Index> breaks;  ///< samples at which a run begins
};

/// One structure fitted to recordings under its conditions.
struct Fit {
  Eigen::VectorXd theta;
  Eigen::MatrixXd covariance;        ///< true: serial correlation, delay, current and attitude errors included
  Eigen::MatrixXd naive_covariance;  ///< as if residuals were white and nothing else unknown
  Eigen::MatrixXd
      information;  ///< Y'WY over the long-run variance, delay and current eliminated; for what can be seen
  Nuisance nuisance;
  Eigen::VectorXd row_sigma;  ///< residuals' rms, by which rows are weighed
  Residuals residuals;
  std::vector<solve::Whiteness> whiteness;     ///< by row
  double condition = 0, scaled_condition = 0;  ///< of Ybar with weighed rows; and with columns of unit length
  solve::ConicResult conic;
  std::vector<std::string> active;  ///< conditions that hold the estimate back, by name
  double noise_share = 0;           ///< of the sensors' noise that could be taken out of Y'Y; 1 is all
  Eigen::VectorXd unconstrained;    ///< without the conditions
  double bandwidth = 0;             ///< samples, of the long-run covariance
};

/// Least squares with weighed rows under `conditions` (fathom/consistency), with delay and current estimated
/// along. Throws InputError where the solver finds no estimate.
Fit fit(const Regression& regression, const solve::ConicSet& conditions, const FitOptions& options = {});

/// The delay [s] at which the unconstrained residual is least, on a grid; 0 to RegressionOptions::most_delay.
double scan_delay(const Regression& regression);

}  // namespace fathom::identify
