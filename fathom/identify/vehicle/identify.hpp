#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fathom/consistency/identifiability.hpp"
#include "fathom/identify/vehicle/estimators.hpp"
#include "fathom/identify/vehicle/lag_average.hpp"
#include "fathom/identify/vehicle/map_uncertainty.hpp"
#include "fathom/identify/vehicle/output_error.hpp"
#include "fathom/identify/vehicle/structure_choice.hpp"

namespace fathom::identify {

struct IdentifyOptions {
  /// Among which the data decide; with one only, there is no choice. None: model::candidate_structures.
  std::vector<model::Structure> candidates;
  RegressionOptions regression;
  FitOptions fit;
  consistency::ConstraintOptions constraints;
  ChoiceOptions choice;
  LagOptions lag;       ///< of find_lag() and average_lag()
  MapOptions map;       ///< of widen_by_map()
  bool compare = true;  ///< the other estimators too
  /// A parameter is unseen where one sigma of it makes this share of its row's wrench.
  double unseen_share = 0.5;
  int threads = 1;  ///< of structure candidates and estimators; 0: one per core. The numbers are the same
  /// Told now and then the share of the work that is done, and what is being done. It may throw to end it.
  std::function<void(double share, const std::string& doing)> progress;
};

/// What a vehicle's logs say of its parameters.
struct Identified {
  model::Structure structure;
  model::ParameterVector parameters;
  /// Part of the covariance that errors of the thrusters' forces and of their
  /// lag make: parameters go with the forces that they were fitted to.
  Eigen::MatrixXd by_thrusters;
  Fit fit;
  std::optional<StructureChoice> choice;  ///< where there were several candidates
  std::vector<Estimate> estimates;        ///< by other estimators
  Vec6 excitation = Vec6::Zero();         ///< of each velocity: rms over the smoother's sigma
  Vec6 wrench = Vec6::Zero();             ///< rms of the thrusters' wrench [N, N m]
  double tilt = 0;                        ///< rad, rms of the angle between the body's down and the true one
  /// rms wrench [N, N m] of the terms that a structure without roll and pitch lacks, in the logs' motion.
  Vec6 neglected = Vec6::Zero();
  consistency::Identifiability identifiability;
  std::optional<LagAverage> lag;  ///< after average_lag()
  /// Where the robot file entered as a prior: what the logs show less of than it did. Its value and its sigma
  /// are the file's, and no result of the logs.
  consistency::Identifiability at_prior;
  /// Parameters that no motion like this tells apart, such as W and B: they leave no digit of a covariance, and
  /// count as not identifiable.
  std::vector<std::size_t> not_told_apart;
  /// Of each parameter the size that would matter: that which makes, by itself, the wrench of its row.
  Eigen::VectorXd scale;

  bool all_identifiable() const { return identifiability.unidentifiable.empty(); }
  /// Active conditions that say that the data want something else. Not among them are those at whose edge an
  /// estimate is to be expected (docs/consistency.md): whole matrices of quadratic damping, which drag whose
  /// centre is not the body origin makes singular in truth, and drag by another axis' speed, of which a hull
  /// may well have none.
  std::vector<std::string> active_constraints() const;
  std::vector<std::string> expected_active_constraints() const;  ///< those
  double sample_interval() const;                                ///< s, between residuals
  double residual_rms(Eigen::Index row) const;                   ///< N or N m
  /// Returns the largest share of a row's wrench that a structure without roll and pitch neglects.
  double neglected_share() const;
  /// Whether that is more than half of what the row leaves unexplained anyway, and at least 1 % of its wrench:
  /// inertia and drag are then off by more than their intervals say.
  bool neglects_tilt() const;
  /// Whether the logs show roll and pitch, so that a 6-DoF structure can be fitted: they move, and where 6-DoF
  /// structures were candidates, one of them could be tried.
  bool shows_tilt() const;
};

/// Estimates a vehicle's parameters from recordings. Default options give the estimate and the sigmas that
/// `fathom identify` writes for a robot whose command path is known.
///
/// Throws InputError where the logs show nothing of a degree of freedom that every candidate has (named), or
/// where nothing can be fitted.
Identified identify(const std::vector<Recording>& recordings, const model::Robot& robot,
                    const model::Environment& environment, const IdentifyOptions& options = {});

/// The likeliest lag of the thrusters by a first fit of the largest structure, `stated` being what the robot
/// file says of it; recordings get the wrench of it.
ThrusterLag find_lag(std::vector<Recording>& recordings, const model::Robot& robot,
                     const model::Environment& environment, const IdentifyOptions& options,
                     const StatedLag& stated);

/// Averages what was found over what the lag may be: estimate, covariance, delay, residuals, active
/// constraints. `recordings` have the wrench of `from` as they had it for identify(), and get that of the mean
/// lag. Where there is no average (LagAverage::why_not) both stay as they are, with `from` as the lag.
void average_lag(std::vector<Recording>& recordings, const model::Robot& robot,
                 const model::Environment& environment, const IdentifyOptions& options, const StatedLag& stated,
                 const ThrusterLag& from, Identified& found);

/// Adds to the covariance what is not known of the thrusters' maps, at the lag that the recordings have.
void widen_by_map(const std::vector<Recording>& recordings, const model::Robot& robot,
                  const model::Environment& environment, const IdentifyOptions& options, const ThrusterLag& lag,
                  Identified& found);

/// Refines what was found by output error, and puts it in the place of the fitted estimate with all that is
/// said of it: covariances, residuals of the equation, active conditions, what is unseen. There is no
/// certificate then. `recordings`, `robot`, `environment` and `options` as it was found with.
OutputError refine(const std::vector<Recording>& recordings, const model::Robot& robot,
                   const model::Environment& environment, const IdentifyOptions& options, Identified& found);

/// Adds to the covariance what one sigma of the dead band does to the parameters, by fitting anew to either
/// side. `recordings` have the wrench of `dead_band` [N].
void widen_by_dead_band(const std::vector<Recording>& recordings, const model::Robot& robot,
                        const model::Environment& environment, const IdentifyOptions& options, double dead_band,
                        double sigma, Identified& found);
/// The same by the saturation [N] of thrusters that lose `dead_band`.
void widen_by_saturation(const std::vector<Recording>& recordings, const model::Robot& robot,
                         const model::Environment& environment, const IdentifyOptions& options,
                         double dead_band, double saturation, double sigma, Identified& found);

/// Returns the options of a fit with what robot and logs say: the attitude error, unless the caller states it,
/// and the nominal inertia.
FitOptions fit_options(const IdentifyOptions& options, const std::vector<Recording>& recordings,
                       const model::Robot& robot);

/// rad, what the robot file says of the constant error of its attitude sensors (`bias`), of each angle the
/// largest: roll, pitch, heading.
Vec3 attitude_sigma(const model::Robot& robot);
/// Returns what the logs leave of it, about the axes of b: of each axis the largest. A log that does not say
/// counts with what the robot file says.
Vec3 attitude_sigma(const std::vector<Recording>& recordings, const model::Robot& robot);

}  // namespace fathom::identify
