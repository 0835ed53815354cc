#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "fathom/identify/arm/arm_fit.hpp"
#include "fathom/task/context.hpp"
#include "fathom/task/result.hpp"

namespace fathom::task {

/// Options of identify_arm(); keys are the flags of `fathom identify --what arm`.
struct IdentifyArmOptions {
  std::string arm = {};                ///< name of a shipped arm, arm file or URDF
  std::vector<std::string> log = {};   ///< CSV files of runs to learn from
  std::vector<std::string> test = {};  ///< CSV files of runs for validation only
  double hold_out = 0;                 ///< share of each log, at its end, for validation only
  std::string columns = {};            ///< ROLE=NAMES,... of the CSV files; empty: found by usual names
  bool by_current = false;             ///< efforts are currents of the motors
  std::string gains = {};         ///< N m per ampere of each joint; empty: those of controller or actuators
  std::string friction = "auto";  ///< of joints; auto: that of motors, else viscous and Coulomb
  bool no_offset = false;         ///< fits no constant effort
  bool no_motors = false;         ///< leaves out inertia and friction of the motors
  std::string derivatives = "zero-phase";                    ///< of positions; or spline
  double cutoff_hz = 10;                                     ///< of zero-phase; well above the motion
  double rest_speed = identify::ArmFitOptions().rest_speed;  ///< rad/s; slower samples are left out
  std::optional<double> rest_shaft_speed = {};               ///< rad/s of shafts, in its place; absent: it
  std::string medium = "auto";                               ///< auto: water where links have volumes, else air
  std::string fit_water = {};                        ///< what of the water is unknown: buoyancy,added-mass,drag
  std::string down = {};                             ///< X,Y,Z in the base frame; empty: z, of a URDF -z
  double spread = identify::ArmFitOptions().spread;  ///< one sigma of the arm file's links, as a share
  std::optional<double> density = {};                ///< kg/m^3; absent: fresh water
  std::string estimator = "consistent";              ///< the only one that keeps to links that can exist

  /// Throws InputError that names the option.
  void check() const;
  /// Returns what is read: that arm file, logs and tests.
  std::vector<std::filesystem::path> inputs(const std::filesystem::path& arm_file) const;
};

/// The numbers of an identified arm, as summary.json has them.
struct IdentifyArmSummary {
  struct Gain {
    double gain = 0, sigma = 0, residual = 0;
  };
  struct Parameter {
    std::string name, unit;
    double estimate = 0, free_estimate = 0, sigma = 0;
    std::array<double, 2> interval_95 = {};
    double naive_sigma = 0;
    bool weak = false;
    std::string grouping;
  };
  struct Consistent {
    double least_pseudo_inertia_eigenvalue = 0, gap = 0, objective = 0;
    bool solved = false;
    std::vector<std::string> held_back_by;
    double moved_chi_square = 0;
    ByName<double> standard_parameters = {};
  };
  struct Joint {
    std::string joint;
    std::size_t samples = 0;
    double rmse = 0, nrmse = 0, r2 = 0;
    double half_band_95 = nan, in_band_95 = nan;  ///< mean half of the 95 % band; share of samples inside
  };
  /// A row that was left out, and why.
  struct Outlier {
    int line = 0;
    double time_s = 0;
    std::string signal;
    double value = 0, expected = 0;
    std::string reason;
  };
  struct Run {
    std::string name;
    bool seen = false;
    std::ptrdiff_t samples = 0;
    std::size_t repeated_rows = 0, trimmed_samples = 0, gaps = 0;
    double uneven_s = 0, held_positions = 0;
    std::vector<Outlier> outliers = {};
    std::vector<Joint> joints = {}, by_the_file = {};
  };

  std::string version, command, what = "arm", name, estimator, effort, medium;
  std::vector<std::string> water_fitted = {}, drag_moved_to_origins = {};
  std::size_t standard_parameters = 0, base_parameters_of_any_motion = 0, base_parameters = 0;
  double scaled_condition_number = 0;
  std::size_t rows = 0;
  ByName<std::size_t> rows_at_rest = {};
  std::size_t rows_down_weighted = 0;
  double effective_samples = 0, degrees_of_freedom = 0, variance_inflation = 0;
  std::vector<Gain> gains = {};  ///< that the controller wanted
  std::vector<Parameter> parameters = {};
  std::optional<Consistent> consistent = {};
  std::vector<Run> runs = {};
  std::vector<std::string> notes = {};   ///< of reading the arm's file and the runs
  std::vector<std::string> failed = {};  ///< checks that failed, a sentence each
  std::vector<std::string> files = {};
};

/// A prepared run and its errors by joint.
struct ScoredArmRun {
  identify::ArmRun run;
  bool seen = true;                                              ///< the fit learns from it
  std::vector<identify::Metrics> scores = {}, by_the_file = {};  ///< of the fit; of the arm's own values
  std::vector<identify::BandScore> bands = {};                   ///< of the fit
};

struct IdentifyArmResult : ResultOf<IdentifyArmResult, IdentifyArmSummary> {
  std::optional<model::Arm> arm;  ///< with the estimate in it, where that is the consistent one
  /// What the numbers come from, for plots and for further work; nothing in a result that was loaded.
  struct Evidence {
    identify::ArmFit fit;
    std::vector<ScoredArmRun> runs;
  };
  std::optional<Evidence> evidence;

  static constexpr bool has_page = true;

  /// A check fails where the fit predicts an unseen run worse than the arm's file does.
  Status status() const { return status_of(summary.failed.empty()); }
  std::vector<std::string> reasons() const { return summary.failed; }
  report::Document report() const;
  /// Returns the arm, if there is one.
  std::vector<ResultFile> files() const;
  static IdentifyArmResult load(const std::filesystem::path& folder);
};

/// Estimates links, friction and motors of an arm from its runs, with uncertainty (docs/tutorial-arm.md).
/// Throws InputError and Interrupted.
IdentifyArmResult identify_arm(const IdentifyArmOptions& options, const Context& context = {});
/// The same of an arm that was read already; `options.arm` only names its file.
IdentifyArmResult identify_arm(const model::Arm& arm, const IdentifyArmOptions& options,
                               const Context& context = {});
/// The same of prepared runs that are in memory; log, test and how they are read is not looked at in `options`.
IdentifyArmResult identify_arm(const model::Arm& arm, std::vector<ScoredArmRun> runs,
                               const IdentifyArmOptions& options, const Context& context = {});

}  // namespace fathom::task
