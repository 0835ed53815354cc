#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fathom/identify/vehicle/fit.hpp"

namespace fathom::identify {

struct OutputErrorOptions : NuisanceOptions {
  /// s, over which the model runs from one initial velocity. Longer than the vehicle's own time constants, so
  /// that damping shows; short enough that what the model lacks does not pile up.
  double segment = 12;
  double least_segment = 4;  ///< s; stretches without a gap that are shorter are left out
  double blur = 0.4;         ///< s, of the velocities that are compared: as RegressionOptions has it
  double every = 0.4;        ///< s between them
  double most_delay = 1;     ///< s; the log's first so many seconds are left out
  int iterations = 200;      ///< at most
  /// Weight of the barrier that keeps parameters inside the conditions, in the cost's unit: half a squared
  /// sigma. It begins a thousand times higher.
  double barrier = 1e-2;
  /// Told after each iteration, of the share of them that is done; may throw.
  std::function<void(double share)> progress = {};
};

/// Parameters that make the model's velocities, not its wrench, meet the measured ones.
struct OutputError {
  Eigen::VectorXd theta;
  Eigen::MatrixXd covariance;  ///< serial correlation, delay, current, initial states, attitude errors included
  Eigen::MatrixXd white_covariance;  ///< as if what is new in residuals were white
  /// Parameters that differ from the start by more than the larger sigma of the two explains; `covariance` has
  /// the square of the difference.
  std::vector<std::size_t> inconsistent;
  std::vector<std::string> active;  ///< conditions that hold the estimate back, by name
  NuisanceEstimate nuisance;
  int iterations = 0;
  bool converged = false;
  std::string about;  ///< why the solver stopped, in its own words
  /// Half the sum of squares of what is new in residuals, in sigmas: at the start, with measured initial
  /// velocities, and at the end.
  double cost_before = 0, cost_after = 0;
  Vec6 sigma;                ///< m/s, rad/s: residuals' rms; NaN for held velocities
  Vec6 r2_before, r2_after;  ///< over shots from measured initial velocities; NaN likewise
  std::size_t segments = 0, samples = 0;
  double bandwidth = 0;  ///< samples, of the long-run covariance
};

/// Refines a fit by multiple shooting (docs/identification.md): unknown are theta, delay, current and the
/// velocity at which each shot begins; attitude is taken as measured. What residuals remember is learnt on the
/// way, and only what is new in them is made small. Levenberg and Marquardt's method with exact
/// sensitivities; theta stays strictly inside `conditions`. `converged` is false where iterations ran out, with
/// the best that was found. Throws InputError where no stretch is long enough, where sizes or options do not
/// fit, and where the start's model cannot be run.
OutputError refine(const model::Structure& structure, std::span<const Recording> recordings,
                   const solve::ConicSet& constraints, const Fit& start,
                   const OutputErrorOptions& options = {});

}  // namespace fathom::identify
