#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fathom/identify/vehicle/parameter_prior.hpp"
#include "fathom/identify/vehicle/regression.hpp"
#include "fathom/solve/conic.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify {

/// What is estimated besides the parameters, and what is known of errors that no log shows.
struct NuisanceOptions {
  bool estimate_delay = true;
  bool estimate_current = true;
  double current_sigma = 0.03;  ///< m/s, what is expected of a pool before anything is measured
  /// rad, one sigma of the constant error of roll, pitch and heading; it becomes part of the covariance. Unless
  /// it is given, identify() takes what the logs leave of that of the robot's sensors, and fit(), which knows
  /// no robot, takes zero.
  std::optional<Vec3> attitude_sigma = {};
  /// One sigma of a common error of all thrusters' forces, as a share: it scales every parameter alike and is
  /// part of the covariance.
  double thrust_sigma = 0;
};

struct FitOptions : NuisanceOptions {
  double delay = 0;    ///< s; where it is not estimated
  bool whiten = true;  ///< take from rows what they remember of the sample before
  /// At most so many rounds with new weights, and as many under the conditions; a few are enough.
  int most_rounds = 20;
  /// What the robot file says of the parameters; where there is none, the logs alone decide. identify() takes
  /// it where no thruster drives roll or pitch.
  std::optional<ParameterPrior> prior = {};
  /// kg, kg m^2: M_ii of the robot file by [u v w p q r], for the least scale of a row's residual. Zero: no
  /// limit. identify() takes it from the robot.
  Vec6 nominal_inertia = Vec6::Zero();
};

/// What is unknown besides the parameters, and their estimate: delay and current.
struct NuisanceEstimate {
  Nuisance value;
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

/// Where errors of delay and current (those that were estimated, in this order) come from, for estimates that
/// take them from a fit.
struct NuisanceErrors {
  Eigen::MatrixXd by_sample;  ///< unknowns x samples: what each one's residual adds
  Eigen::MatrixXd prior;      ///< covariance that what was known before adds
  Eigen::MatrixXd attitude;   ///< unknowns x 3: what an attitude error of one sigma adds
};

/// One structure fitted to recordings under its conditions.
struct Fit {
  Eigen::VectorXd theta;
  Eigen::MatrixXd covariance;        ///< true: serial correlation, delay, current and attitude errors included
  Eigen::MatrixXd naive_covariance;  ///< as if residuals were white and nothing else unknown
  Eigen::MatrixXd information;       ///< inverse of the whole covariance above; for what can be seen
  NuisanceEstimate nuisance;
  NuisanceErrors nuisance_errors;
  /// The delay would be `delay_wanted` [s], but that is beyond 0 or RegressionOptions::most_delay: it is kept
  /// there, and theta is that of the limit. The covariance does not know of it.
  bool delay_at_limit = false;
  double delay_wanted = 0;
  Eigen::VectorXd row_sigma;         ///< residuals' rms
  Eigen::VectorXd innovation_sigma;  ///< rms of what is new in them, by which whitened rows are weighed
  Eigen::VectorXd memory;            ///< correlation of a residual with the one before
  Residuals residuals;
  std::vector<solve::Whiteness> whiteness;     ///< by row
  double condition = 0, scaled_condition = 0;  ///< of the parameters' rows, weighed; and with unit columns
  solve::ConicResult conic;
  std::vector<std::string> active;  ///< conditions that hold the estimate back, by name
  double noise_share = 0;           ///< of the sensors' noise, taken out of Y'Y; 1 is all, 0 none is known
  double bandwidth = 0;             ///< samples, of the long-run covariance
  int rounds = 0;                   ///< of all, until the estimate no longer moved
  bool settled = false;             ///< false where most_rounds ended them
  std::optional<ParameterPrior> prior = {};  ///< that was a part of it
};

/// Least squares with weighed rows under `conditions` (fathom/consistency), with delay and current estimated
/// along. Throws InputError where the solver finds no estimate, or the delay that is told is out of bounds.
Fit fit(const Regression& regression, const solve::ConicSet& constraints, const FitOptions& options = {});

/// By row: of residuals so far apart that the blur does not link them. The integral time is that of all. NaN
/// where there are too few to tell.
std::vector<solve::Whiteness> whiteness_of(const Residuals& residuals);

}  // namespace fathom::identify
