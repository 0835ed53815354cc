#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fathom/base/constants.hpp"
#include "fathom/consistency/base_parameters.hpp"
#include "fathom/dynamics/arm_regressor.hpp"
#include "fathom/identify/arm/arm_run.hpp"
#include "fathom/identify/metrics.hpp"
#include "fathom/solve/conic.hpp"

namespace fathom::identify {

struct ArmFitOptions {
  /// What is unknown. Friction and motors without a column are left out of the model; water without one is as
  /// the arm's file has it.
  dynamics::ArmColumns columns;
  /// Efforts are currents: rows are divided by K(q) = ratio k_t of the joints' actuators (Leborne et al. 2018,
  /// eqs. 12 to 15), so that residuals are those of what was measured. Every joint then needs an actuator.
  bool by_current = false;
  Vec3 down_b = Vec3::UnitZ();  ///< in the frame of the arm's base; a URDF's is upward: -UnitZ()
  dynamics::Medium medium = dynamics::Medium::water;
  model::Environment environment = model::Environment();
  /// rad/s or m/s. Below it dry friction is an inequality, not an equality: such rows are left out, and
  /// counted. Without friction among the columns every row is used.
  double rest_speed = 0.02;
  /// rad/s of the shaft, in place of rest_speed for joints with a motor: what sticks there is the motor, and a
  /// lever makes one speed of the joint many of the shaft. Some 40 increments a second of its counter are
  /// enough. Without: rest_speed for these too, since a shaft's speed means nothing unless its gear is known.
  std::optional<double> rest_shaft_speed = {};
  enum class Estimator {
    ordinary,   ///< every row alike
    weighted,   ///< rows of a joint by what its residuals say, iterated
    huber,      ///< likewise, outliers count less
    consistent  ///< weighted, then the nearest bodies that exist
  } estimator = Estimator::consistent;
  /// Of columns of length one: what is left of a base parameter's column once those before it are taken off,
  /// below which this run does not show it.
  double run_tolerance = 1e-6;
  /// A base parameter is weakly shown where one sigma of it makes this share of a joint's effort.
  double weak_share = 0.05;
  /// Of the consistent estimate: how far from the arm's own values the links may be, one sigma as a share; and
  /// the least eigenvalue of a link's pseudo-inertia against one of its mass and size.
  double spread = 1, least_share = 1e-4;
};

/// Bodies behind base parameters.
struct ConsistentArm {
  Eigen::VectorXd theta;  ///< standard parameters, in the order of ArmFit::parameters
  solve::ConicResult conic;
  std::vector<std::string> active;  ///< conditions that hold it back
  double least_eigenvalue = nan;    ///< of the links' 4 x 4 pseudo-inertias, the smallest
  /// (b - b_free)' information (b - b_free): how far the conditions and the arm's own values moved the base
  /// parameters, chi-square with `rank` degrees of freedom where they are true.
  double moved = 0;
};

struct ArmFit {
  ArmFit(model::Arm fitted, ArmFitOptions how) : arm(std::move(fitted)), options(std::move(how)) {}

  model::Arm arm;
  ArmFitOptions options;
  /// Links whose drag has columns and was not diagonal at their origin, as columns are: `arm` has its diagonals
  /// there.
  std::vector<std::string> drag_moved = {};
  model::ParameterVector parameters = {};  ///< standard, with the arm's own values
  std::size_t structural_rank = 0;         ///< of any motion
  consistency::BaseParameters base;        ///< that the runs show
  /// Base parameters of the chosen estimator. Covariance: of free_beta, by how blocks of time disagree
  /// (variances) and by the residuals' serial correlation (correlations).
  model::ParameterVector estimate = {};
  Eigen::VectorXd free_beta;  ///< before any condition
  /// Of free_beta: that of independent residuals, over what serial correlation makes of variances in the mean.
  /// The inverse of the estimate's covariance itself is no use: with fewer effective samples than unknowns it
  /// is nearly singular.
  Eigen::MatrixXd information;
  double inflation = 1;         ///< of variances, in the mean
  Eigen::VectorXd naive_sigma;  ///< as if residuals were independent
  double effective_samples = 0;
  /// Of freedom, of sigmas: these are what blocks of time disagree by, which holds errors of the model (another
  /// friction, flexible joints) as well as noise.
  double degrees = 1;
  Eigen::VectorXd effort_share;  ///< what one sigma makes of a joint's effort, at the worst joint

  Eigen::VectorXd joint_sigma;        ///< rms of residuals, in units of the effort
  Eigen::VectorXd band_factor;        ///< half of a 95 % band of predicted efforts over their sigma, by joint
  std::vector<std::size_t> at_rest;   ///< rows left out, by joint
  std::size_t rows = 0, samples = 0;  ///< used
  std::size_t down_weighted = 0;      ///< rows, of Huber's estimate
  double scaled_condition = 0;        ///< of the weighted rows with columns of length one
  int rounds = 0;                     ///< of weighting
  std::optional<ConsistentArm> consistent = {};

  std::size_t rank() const { return base.rank(); }
  double half_width(std::size_t k) const;  ///< of the 95 % interval, by Student's t
  bool is_weak(std::size_t k) const;
  std::string grouping(std::size_t k) const;  ///< "link.Izz + 0.5 other.m"
};

/// Runs must have been prepared. Throws InputError where sizes do not fit, `by_current` lacks an actuator, or
/// too few rows are left.
ArmFit fit_arm(const model::Arm& arm, std::span<const ArmRun> runs, const ArmFitOptions& options = {});

/// Efforts, or currents, that the fit predicts at the motion of a run: samples x joints.
Eigen::MatrixXd predict(const ArmFit& fit, const ArmRun& run);
/// The same of any standard parameters in the order of ArmFit::parameters, such as the arm's own.
Eigen::MatrixXd predict(const ArmFit& fit, const Eigen::VectorXd& theta, const ArmRun& run);

/// Half of the 95 % band about predicted efforts, samples x joints: the estimate's own uncertainty and what is
/// left at a joint, at the size that they have on blocks of time that the fit did not see. Of joints that move.
Eigen::MatrixXd half_band(const ArmFit& fit, const ArmRun& run);

/// How a joint's band meets a run, of the samples at which the joint moves.
struct BandScore {
  double half = nan;     ///< mean half width, in units of the effort
  double covered = nan;  ///< share of samples inside
};
std::vector<BandScore> score_band(const ArmFit& fit, const ArmRun& run);

/// Dry friction is among the unknowns and the joint is too slow for its sign to be known.
bool is_at_rest(const model::Arm& arm, const ArmFitOptions& options, std::size_t joint, double q, double dq);

/// Joint by joint, of the samples at which the joint moves.
std::vector<Metrics> score(const ArmFit& fit, const ArmRun& run);
/// The same of the arm as its file has it, all water by its numbers.
std::vector<Metrics> score_of_file(const model::Arm& arm, const ArmFitOptions& options, const ArmRun& run);

/// The arm with the consistent estimate's links, friction and motors; what was not fitted stays. Constant
/// efforts have no place in an arm. Throws InputError where the fit is not a consistent one.
model::Arm identified_arm(const ArmFit& fit, const std::string& source);

}  // namespace fathom::identify
