#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "fathom/identify/thruster/step_law_choice.hpp"
#include "fathom/task/context.hpp"
#include "fathom/task/result.hpp"

namespace fathom::task {

/// Options of identify_thruster(); keys are the flags of `fathom identify --what thruster`.
struct IdentifyThrusterOptions {
  std::string table = {};                ///< CSV of a bollard or towing test
  std::vector<std::string> column = {};  ///< ROLE=NAME:UNIT of columns that do not say it themselves
  std::vector<std::string> steps = {};   ///< CSV files of runs in time
  std::vector<std::string> test = {};    ///< CSV files of runs in time for validation only
  std::string law = {};                  ///< of the transient; empty: chosen by prediction of unseen steps
  std::optional<double> neutral = {};    ///< command without force; absent: 1500 us, or 0
  std::string name = "thruster";         ///< of the map in the robot file

  identify::StaticThrustOptions search = {};  ///< of the static laws; has no flag

  /// Throws InputError that names the option.
  void check() const;
  /// Returns what is read.
  std::vector<std::filesystem::path> inputs() const;
};

/// The numbers of an identified thruster, as summary.json has them.
struct IdentifyThrusterSummary {
  struct Tried {
    int degree = 1;
    double held_out_error_N = 0;
  };
  struct Side {
    int degree = 1;
    double dead_band = 0;
    std::array<double, 5> coefficients = {};
    double full_force_N = 0, rmse_N = 0, held_out_error_N = 0, half_band_N = 0;
    std::vector<Tried> tried = {};
  };
  struct Shaft {
    double a = 0, exponent = 0, exponent_sigma = 0, c = 0, c_sigma = 0, r2 = 0;
    double T_ww = 0, T_ww_sigma = 0, T_ww_r2 = 0;
  };
  struct Test {
    std::optional<double> voltage;
    Side forward, reverse;
    std::optional<Shaft> forward_shaft, reverse_shaft;
  };
  struct LeftOut {
    double voltage = 0;
    std::array<double, 2> from = {};
    double rms_N = 0, peak_N = 0, full_force_N = 0;
  };
  struct Between {
    double voltage = 0;
    std::array<double, 2> from = {};
    double mean_half_band_N = 0, largest_half_band_N = 0;
  };
  struct Motor {
    double k_t = 0, k_t_sigma = 0, resistance = 0, resistance_sigma = 0;
  };
  struct Loss {
    double shaft_speed_rad_s = 0, inflow_m_s = 0, share = 0, sigma = 0;
  };
  struct Inflow {
    std::size_t points = 0;
    double T_ww = 0, T_ww_sigma = 0, T_wu = 0, T_wu_sigma = 0, r2 = 0, r2_without_inflow = 0;
    std::vector<Loss> loss = {};
  };
  struct Number {
    double estimate = 0;
    std::array<double, 2> interval_95 = {};
    std::string unit;
    bool of_bench = false;
  };
  struct Score {
    std::string run;
    double speed_r2 = 0, force_r2 = 0, speed_rmse_rad_s = 0, force_rmse_N = 0;
  };
  struct Law {
    std::string law;
    std::optional<std::string> why_not = {};
    bool converged = false;
    double held_out_error = 0, worse = 0, worse_sigma = 0;
    ByName<Number> parameters = {};
    std::vector<Score> held_out = {};
  };
  struct Dynamics {
    std::string law;
    bool forced = false;
    std::string held_out;
    std::size_t steps = 0;
    std::vector<Law> laws = {};
    std::vector<Score> tests = {};        ///< of the chosen law, runs of --test
    std::vector<Score> without_law = {};  ///< the same of a force that follows at once
    std::vector<std::string> not_told = {};
  };

  std::string version, command, what = "thruster", name;
  std::vector<std::string> columns = {};
  std::string command_unit, law;
  std::array<double, 2> force_N = {};
  std::vector<Test> tests = {};
  std::vector<LeftOut> voltages_left_out = {};
  std::vector<Between> between_voltages = {};
  std::size_t points_moved = 0;
  std::optional<Motor> motor_forward = {}, motor_reverse = {};
  std::optional<Inflow> inflow_forward = {}, inflow_reverse = {};
  std::optional<Dynamics> dynamics = {};
  std::vector<std::string> not_fitted = {};
  std::vector<std::string> failed = {};  ///< checks that failed, a sentence each
  std::vector<std::string> files = {};
};

struct IdentifyThrusterResult : ResultOf<IdentifyThrusterResult, IdentifyThrusterSummary> {
  std::string yaml;  ///< map and, where runs showed it, transient: a part of a robot file
  /// What the numbers come from, for plots and for further work; nothing in a result that was loaded.
  struct Evidence {
    identify::IdentifiedThruster found;
    std::vector<identify::StepRun> runs;
    std::optional<identify::StepLawChoice> steps;  ///< of the runs
    std::vector<identify::StepRun> tests = {};     ///< that nothing was fitted to
  };
  std::optional<Evidence> evidence;

  static constexpr bool has_page = true;

  /// A check fails where a row of the table is contradicted by the others, and where the law predicts a run of
  /// --test worse than its mean, or than a force that follows at once.
  Status status() const { return status_of(summary.failed.empty()); }
  std::vector<std::string> reasons() const { return summary.failed; }
  report::Document report() const;
  std::vector<ResultFile> files() const { return {{"thruster.yaml", yaml}}; }
  static IdentifyThrusterResult load(const std::filesystem::path& folder);
};

/// Finds the map of a thruster from a bollard or towing table, and its transient from runs in time
/// (docs/tutorial-thruster.md). Throws InputError and Interrupted.
IdentifyThrusterResult identify_thruster(const IdentifyThrusterOptions& options, const Context& context = {});
/// The same of a table and runs that are in memory; of `options` the files only name them.
IdentifyThrusterResult identify_thruster(const identify::BollardTable& table,
                                         std::vector<identify::StepRun> runs,
                                         const IdentifyThrusterOptions& options, const Context& context = {},
                                         std::vector<identify::StepRun> tests = {});

}  // namespace fathom::task
