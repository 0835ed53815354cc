#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "fathom/identify/commanded/vehicle_score.hpp"
#include "fathom/identify/vehicle/validation.hpp"
#include "fathom/task/logs.hpp"
#include "fathom/task/result.hpp"

namespace fathom::task {

/// Options of validate(); keys are the flags of `fathom validate`.
struct ValidateOptions : LogOptions {
  std::string dof = "auto";  ///< 4, 6, or auto: six only where the logs need them
  std::optional<double> delay =
      {};  ///< s from command to wrench; absent: that of the robot's estimate, or none
  /// m/s north and east; absent: estimated from the first fifth of each log, which is then not scored
  std::optional<std::array<double, 2>> current = {};
  double window = identify::WarpOptions().window;  ///< of dynamic time warping, as a share of the log
  std::string slope = "free";        ///< of dynamic time warping; symmetric: of two steps one is diagonal
  std::string ends = "closed";       ///< of dynamic time warping: which ends meet; open-end, open
  bool measured_tilt = false;        ///< of a 4-DoF model, takes roll and pitch from the log
  double horizon = 0;                ///< s after which to start anew from the measurement; 0: never
  std::optional<double> limit = {};  ///< least median R2 of surge, sway, heave and yaw; absent: no check
  /// Logs that the robot was identified from, for baselines and for the residuals of the bands; absent: those
  /// that the robot file has of them.
  std::vector<std::string> seen = {};
  int members = 64;        ///< simulations in the prediction bands; 0: no bands
  std::uint64_t seed = 1;  ///< of the members

  bool compare = true;  ///< runs the other degrees of freedom too; without it `dof` is 4 or 6; has no flag
  bool warp = true;     ///< warps, the slowest part; has no flag

  /// Throws InputError that names the option.
  void check() const;
};

/// The numbers of a validation, as summary.json has them.
struct ValidateSummary {
  struct Spread {
    double median = 0;
    std::array<double, 2> quartiles = {}, range = {};
  };
  struct Velocity {
    Spread r2, rmse;
    IfAny<Spread> coverage;  ///< of the bands
  };
  struct FourOrSix {
    double error_4dof = 0, error_6dof = 0, noise = 0;
    bool six_is_better = false;
    std::string verdict;
    ByName<Velocity> _4dof, _6dof;
  };
  struct Models {
    double robot = 0, linear = 0, constant_velocity = 0;
  };
  struct Baselines {
    Models acceleration_r2, free_run_error;
    double gain = 0, ratio = 0;
    double gain_sigma = 0, ratio_sigma = 0;  ///< standard errors, by paired blocks of 5 s
  };
  struct Band {
    double step_s = 0;
    std::size_t redrawn = 0, shrunk = 0, ran_away = 0;
  };
  struct Score {
    double r2 = 0, rmse = 0, nrmse = 0, mae = 0, slope = 0, pearson = 0, warp_mean = 0, coverage = 0, noise = 0;
  };
  /// Current of a log. Where it was estimated, the log up to `until_s` was used for it and is not scored.
  struct Current {
    std::array<double, 2> north_east = {}, sigma = {};
    std::string source;  ///< estimated, given, or still water assumed
    std::optional<double> until_s;
  };
  /// A quantity that leaves the range of the logs of the identification.
  struct Beyond {
    std::string name, unit;
    double value = 0;
    std::array<double, 2> range = {};
    double share = 0;  ///< of the compared samples
  };
  struct Log {
    std::string name;
    std::size_t samples = 0, compared = 0, starts = 0, ran_away = 0;
    std::vector<LogSummary::Drop> dropped = {};
    Current current = {};
    std::vector<Beyond> beyond_range = {};
    IfAny<Band> band = {};
    ByName<Score> velocities = {};
  };

  std::string version, command, robot;
  std::uint64_t seed = 1;
  int dof = 0;
  bool measured_tilt = false;  ///< roll, pitch and their rates are those of the log, not predicted
  double delay_s = 0, horizon_s = 0;
  bool has_covariance = false;
  std::string residual;           ///< that the bands have: of the robot file, of the seen logs, or none
  bool residual_is_6dof = false;  ///< what a 4-DoF prediction lacks besides is not in it
  std::optional<double> limit;
  double least_r2 = 0;  ///< of surge, sway, heave and yaw: the least median over logs
  std::vector<std::string> not_compared, identified_from;
  bool good = false;
  ByName<Velocity> velocities;
  IfAny<FourOrSix> four_or_six;
  IfAny<ByName<Baselines>> baselines;  ///< of the axes that move
  std::string why_no_baselines;        ///< where there are none
  std::vector<Log> logs;
  std::vector<std::string> files;
};

struct ValidateResult : ResultOf<ValidateResult, ValidateSummary> {
  /// What the numbers come from, for plots; nothing in a result that was loaded.
  struct Evidence {
    std::vector<identify::Recording> recordings;
    identify::Validation chosen;
    std::optional<identify::Validation> other;  ///< with the other degrees of freedom
  };
  std::optional<Evidence> evidence;
  /// With residual, range and baseline of the seen logs, where there were any and the robot has an estimate.
  std::optional<model::Robot> robot = {};

  static constexpr bool has_page = true;
  Status status() const { return summary.good ? Status::done : Status::check_failed; }
  std::vector<std::string> reasons() const;
  std::vector<std::string> warnings() const;
  report::Document report() const;
  /// Returns measured and predicted velocities of each log, and the robot where it was given statistics.
  std::vector<ResultFile> files() const;
};

/// Predicts unseen logs from their inputs alone by forward simulation, and scores the prediction
/// (docs/identification.md). Throws InputError and Interrupted.
ValidateResult validate(const ValidateOptions& options, const Context& context = {});
/// The same of a robot that was read already; `options.robot` only names it.
ValidateResult validate(const model::Robot& robot, const ValidateOptions& options, const Context& context = {});
/// The same of logs that are in memory; robot, log, seen and what goes with them are not looked at in
/// `options`. Their wrench is made anew with the lag of the robot's thrusters.
ValidateResult validate(const model::Robot& robot, const model::Environment& environment,
                        std::vector<identify::Recording> recordings, const ValidateOptions& options,
                        const Context& context = {});

/// R2 over the logs of each validation, one group of boxes for each of `velocities` in [u v w p q r].
struct NamedValidation {
  std::string name;
  const identify::Validation* validation;
};
report::Boxes r2_boxes(std::string title, const std::vector<NamedValidation>& validations,
                       std::span<const int> velocities);

}  // namespace fathom::task
