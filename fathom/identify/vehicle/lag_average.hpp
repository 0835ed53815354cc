#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fathom/identify/vehicle/fit.hpp"
#include "fathom/identify/vehicle/thruster_lag.hpp"
#include "fathom/solve/conic.hpp"

namespace fathom::identify {

/// Priors of lag and delay, and the grid of the average: docs/identification.md eqs. 41 and 43.
struct LagOptions {
  /// s: held at this in place of an average; what it acts on is still an average unless the file says it.
  std::optional<double> held;
  double most_held = 5;       ///< s
  double share = 0.15;        ///< sigma of a stated lag, where the file gives none
  double shortest = 0.01;     ///< s, of a lag of which nothing is known: log-uniform between the two
  double longest = 0.6;       ///< s
  double delay_sigma = 0.05;  ///< s, of the half-normal prior of the delay that stays beyond the lag
  double step = 0.005;        ///< s, the most between two lags of the grid
  bool rough = false;         ///< the likeliest lag alone, without a grid about it
};

/// One lag of the grid.
struct LagComponent {
  ThrusterLag lag;
  double delay = 0, delay_sigma = 0;  ///< s: mean and sigma of what stays, given the lag
  double log_weight = 0;              ///< prior times likelihood, before the step of the grid
  double weight = 0;                  ///< share of the whole
  Eigen::VectorXd moment;             ///< b of eq. 40
  Eigen::VectorXd theta;              ///< without constraints
};

/// The average of a fit over what the thrusters' lag may be.
struct LagAverage {
  StatedLag stated;
  /// s, of the prior of a stated lag: that of the file, or LagOptions::share of it.
  double stated_sigma = 0;
  std::string why_not;                ///< of an average without an estimate: the fit stays as it was
  ThrusterLag lag;                    ///< mean of the likelier kind
  double sigma = 0;                   ///< s
  double probability = 1;             ///< of what the lag acts on
  double delay = 0, delay_sigma = 0;  ///< s
  double sum = 0, sum_sigma = 0;      ///< s, of lag and delay together
  double fitted_lag = 0;              ///< s, of the fit that was averaged
  double inflation = 1;               ///< of the likelihood, for residuals that remember
  bool is_averaged = false;           ///< false where the lag was held
  Eigen::VectorXd theta;              ///< under the constraints
  solve::ConicResult conic;           ///< its certificate
  std::vector<std::string> active;    ///< constraints that hold it back, by name
  Eigen::VectorXd current_n;          ///< m/s, north and east; empty where it is not estimated
  Eigen::MatrixXd between;            ///< covariance between components, of theta without constraints
  std::vector<LagComponent> components;

  /// The log tells lag and delay apart hardly better than the file did.
  bool shows_only_sum() const;
  /// By how many sigmas of both a stated lag is longer than the logs say; 0 where they agree.
  double too_long() const;
};

/// Averages `fit` over the lag. `recordings` are those of the regression, with the wrench of `from`; its
/// weights, memory, noise and prior are held: if the weights varied with the lag the data would choose one with
/// a certainty that they do not have. Where no theta meets the constraints, `why_not` says so.
LagAverage average_over_lag(const Regression& regression, const solve::ConicSet& constraints, const Fit& fit,
                            const FitOptions& options, const model::Robot& robot,
                            const model::Environment& environment, const StatedLag& stated,
                            const ThrusterLag& from, const LagOptions& lag_options = {});

/// Puts what was found in the place of the fit's own, but for its residuals, which belong to the wrench of the
/// mean lag.
void take_average(const LagAverage& average, Fit& fit);

}  // namespace fathom::identify
