#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/constants.hpp"
#include "fathom/identify/vehicle/identify.hpp"
#include "fathom/task/logs.hpp"
#include "fathom/task/result.hpp"

namespace fathom::task {

/// Options of identify_vehicle(); keys are the flags of `fathom identify`.
struct IdentifyVehicleOptions : LogOptions {
  std::string structure = "auto";  ///< which parameters; auto: the data decide, as few as explain them
  /// Whose values and intervals the robot gets; auto: the consistent one, unless another predicts held-out data
  /// better.
  std::string estimator = "auto";
  bool output_error = false;  ///< refines until the model's velocities, not its wrench, meet the measured ones
  /// One sigma of the thrusters' forces, as a share: 0, unless a bench test says how well they are known.
  double thrust_sigma = 0;
  /// One sigma of the gain of each thruster by itself, as a share: how units of one type differ.
  double unit_sigma = identify::MapOptions().unit_sigma;
  double blur = identify::RegressionOptions().blur;  ///< s, of the Gaussian that both sides of the equation see
  std::string delay = "auto";  ///< s from command to wrench; auto: estimated, for no log is without one
  /// Of the thrusters: auto: averaged over, with what the robot file says as a prior; file: that of the file,
  /// exactly; or seconds.
  std::string lag = "auto";
  std::string current = "auto";  ///< of the water; auto: estimated; none: a pool that is still
  bool no_dry_body = false;      ///< asks M > 0 alone, where the dry body of the robot file is not known well
  std::vector<std::string> bound = {};  ///< NAME=MIN:MAX of parameters
  /// A parameter is not identifiable where one sigma of it makes this share of the thrusters' wrench.
  double unseen_share = identify::IdentifyOptions().unseen_share;
  bool accept_bounds = false;  ///< an active constraint is no failed check
  bool accept_unseen = false;  ///< a parameter that is not identifiable is no failed check

  bool compare = true;      ///< runs the other estimators too; has no flag
  std::string source = {};  ///< of the robot's values; empty: estimator and logs; has no flag

  /// Throws InputError that names the option.
  void check() const;
};

/// The numbers of an identification, as summary.json has them; what is not finite is null there.
struct IdentifyVehicleSummary {
  struct Unseen {
    std::vector<std::string> parameters;
    std::size_t rank = 0;
    std::vector<std::string> unidentifiable_directions = {}, identifiable_combinations = {};
  };
  struct Parameter {
    std::string name, unit, group;
    double estimate = 0, sigma = 0;
    /// determined, weak, at bound or not identifiable: identify::ParameterInterval::Kind.
    std::string state = {};
    /// Of the distribution cut off at the constraints; none of a parameter that is not identifiable.
    std::optional<std::array<double, 2>> interval_95 = {}, interval_80 = {}, interval_50 = {};
    bool begins_at_bound = false, ends_at_bound = false;  ///< that end of the 95 % interval is a bound
    double naive_sigma = 0;  ///< as if residuals were white; of the consistent estimate alone
    double before = 0, before_sigma = 0;
    bool seen = true;
    bool at_prior = false;  ///< value and sigma are mostly those of the robot file
    /// With a choice of the estimator: `estimate` is the consistent one of inertia and the chosen one of all
    /// else. The written robot has `in_robot`.
    double consistent = nan, consistent_sigma = nan;
    double in_robot = 0;
  };
  /// Which estimator predicts held-out data best: identify::EstimatorChoice.
  struct EstimatorCandidate {
    std::string estimator, structure;
    bool tried = false;
    std::string why_not;
    double score = 0;  ///< error on held-out data over that of the consistent estimate
    double difference = 0, difference_sigma = 0;  ///< logarithm of the score, and its standard error by blocks
    double probability = 0;                       ///< share of the draws of blocks in which it is chosen
    bool chosen = false;
  };
  struct EstimatorChoice {
    std::string held_out;  ///< logs or blocks
    std::size_t folds = 0, blocks = 0;
    std::string why_consistent;  ///< where nothing could be compared
    std::vector<EstimatorCandidate> candidates = {};
  };
  struct Structure {
    std::string name;
    int dof = 0;
    std::size_t parameters = 0;
    bool tried = false;
    std::string why_not;
    double error = 0, worse = 0, worse_sigma = 0;
    ByName<double> share = {};
    bool chosen = false;
  };
  struct Estimator {
    std::string name, about;
    bool found = false;
    std::string why_not;
    std::vector<double> values = {}, sigmas = {};
  };
  struct OutputError {
    bool converged = false;
    std::string about;
    std::vector<std::string> inconsistent;
    int iterations = 0;
    std::size_t segments = 0, samples = 0;
    double cost_before = 0, cost_after = 0;
    ByName<double> r2_before = {}, r2_after = {};
  };
  struct CommandPathNumber {
    double estimate = 0, sigma = 0;
    std::array<double, 2> interval_95 = {};
  };
  struct CommandPath {
    std::string by;
    std::optional<CommandPathNumber> dead_band_N, gain;
    std::size_t blocks = 0;
    bool at_limit = false;
    /// Of a thruster. Absent: not looked for, or not reached.
    std::optional<CommandPathNumber> saturation_N = {};
    std::optional<bool> saturation_reached = {};  ///< absent: not looked for
    std::optional<double> largest_force_N = {};   ///< that a thruster is asked for, where it was looked for
  };
  struct Lag {
    double time_constant_s = 0, sigma_s = 0;
    std::string acts_on;
    double probability = 1;             ///< of what it acts on
    bool averaged = false;              ///< false where it was held
    bool only_sum = false;              ///< the log tells lag and delay apart hardly better than the robot file
    double sum_s = 0, sum_sigma_s = 0;  ///< of lag and delay
    std::optional<double> before_s;     ///< of the robot file
    double inflation = 1;
  };
  struct Residual {
    double rms = 0, wrench_rms = 0, integral_time_s = 0, ljung_box = 0, ljung_box_probability = 0;
    int lags = 0;
  };
  struct Certificate {
    double gap = 0, objective = 0, stationarity = 0, complementarity = 0;
    int iterations = 0;
  };

  std::string version, command, robot, what = "vehicle", structure;
  int dof = 0;
  std::string estimator, about_estimator;
  double density = 0, gravity = 0;
  bool good = false;
  std::vector<std::string> active_constraints, expected_active_constraints;
  Unseen unseen;
  std::vector<std::string> at_prior;             ///< parameters of which the logs show less than the robot file
  std::vector<std::string> at_prior_directions;  ///< and the directions that they make
  std::vector<Parameter> parameters;
  std::optional<std::vector<Structure>> structures;  ///< where there were several candidates
  std::vector<Estimator> estimators;
  std::optional<EstimatorChoice> estimator_choice;  ///< with `--estimator auto`
  std::optional<OutputError> output_error;
  double delay_s = 0, delay_sigma_s = 0;
  bool delay_estimated = false, delay_at_limit = false;
  std::optional<double> delay_wanted_s;
  std::optional<Lag> lag;
  std::array<double, 3> current = {}, current_sigma = {};
  bool current_estimated = false;
  std::optional<CommandPath> command_path;
  std::size_t samples = 0;
  double sample_interval_s = 0;
  int rounds = 0;
  bool settled = false;
  double noise_share = 0, bandwidth_s = 0, condition_number = 0, scaled_condition_number = 0;
  ByName<Residual> residuals;
  ByName<double> excitation;
  double tilt_deg = 0;
  /// Of the dry mass and inertia, that the robot with the estimate has: below 1 where the estimate is below the
  /// dry body of the robot file.
  double dry_body_share = 1;
  double neglected_share = 0;  ///< of the wrench: what a structure without roll and pitch lacks
  std::optional<Certificate> certificate;
  std::vector<LogSummary> logs;
  std::vector<std::string> files;
};

struct IdentifyVehicleResult : ResultOf<IdentifyVehicleResult, IdentifyVehicleSummary> {
  model::Robot robot;  ///< with the estimate in it
  /// What the numbers come from, for plots and for further work; nothing in a result that was loaded.
  struct Evidence {
    model::Robot before;
    model::Environment environment;
    std::vector<identify::Recording> recordings;
    identify::Identified found;  ///< its parameters are those of the chosen estimator
    std::vector<std::string> inconsistent =
        {};                                ///< parameters in which it and the fit differ beyond their sigmas
    std::vector<std::string> doubts = {};  ///< of delay, command path and tilt, a sentence each
  };
  std::optional<Evidence> evidence;

  static constexpr bool has_page = true;
  Status status() const { return summary.good ? Status::done : Status::check_failed; }
  std::vector<std::string> reasons() const;
  std::vector<std::string> warnings() const;
  report::Document report() const;
  /// Returns the robot and the residuals.
  std::vector<ResultFile> files() const;
  static IdentifyVehicleResult load(const std::filesystem::path& folder);
};

/// Estimates a vehicle's parameters with their uncertainty from logs: command path, structure, fit under
/// physical constraints, and the robot with the estimate in it (docs/identification.md). Throws InputError
/// where options, robot or logs are bad, and Interrupted.
IdentifyVehicleResult identify_vehicle(const IdentifyVehicleOptions& options, const Context& context = {});
/// The same of a robot that was read already; `options.robot` only names it.
IdentifyVehicleResult identify_vehicle(const model::Robot& robot, const IdentifyVehicleOptions& options,
                                       const Context& context = {});
/// The same of logs that are in memory; robot, log and what goes with them are not looked at in `options`.
IdentifyVehicleResult identify_vehicle(const model::Robot& robot, const model::Environment& environment,
                                       std::vector<identify::Recording> recordings,
                                       const IdentifyVehicleOptions& options, const Context& context = {});

}  // namespace fathom::task
