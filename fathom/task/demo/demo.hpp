#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fathom/task/demo/pool_day.hpp"
#include "fathom/task/result.hpp"

namespace fathom::task {

/// Options of demo(): how much work the main job is. The defaults give intervals and bands that can be judged
/// within a minute.
struct DemoOptions {
  std::uint64_t seed = 1;                       ///< of all random draws
  double seconds = 280;                         ///< of each motion, s
  int starts = 2;                               ///< random beginnings of the excitation
  int trajectories = 3;                         ///< unseen motions
  double joystick_seconds = 600;                ///< s
  int members = 64;                             ///< of the ensembles behind the bands
  std::filesystem::path log = {}, unseen = {};  ///< folders of the two logs that people get; empty: in memory

  /// Returns sizes that are small enough for tests of what is written; the checks may fail.
  static DemoOptions quick() { return {1, 60, 1, 2, 30, 8}; }
};

/// The numbers of the demo, as summary.json has them.
struct DemoSummary {
  struct Excitation {
    std::string problem, robot;
    double duration_s = 0;
    int starts = 0;
    std::optional<double> off_its_path_rms_m;
    double distance_m = 0;
    bool completed = false;
  };
  struct Candidate {
    std::string structure;
    std::size_t parameters = 0;
    double error = 0, worse = 0, worse_sigma = 0;
    std::string why_not;
  };
  struct Parameter {
    std::string name, unit;
    double true_ = 0, estimate = 0, sigma = 0, low = 0, high = 0;
    bool holds = false;
  };
  struct Identification {
    std::string structure;
    std::vector<Candidate> candidates;
    std::vector<Parameter> parameters;
    std::ptrdiff_t intervals_that_hold = 0;
    double share_that_holds = 0, delay_s = 0, delay_sigma_s = 0;
    IfAny<double> lag_s, lag_sigma_s;  ///< of the thrusters, before which the delay stands
    std::vector<std::string> active_constraints, expected_active_constraints, not_shown;
  };
  struct Validation {
    std::size_t trajectories = 0;
    ByName<double> r2, r2_linear, r2_joystick, r2_joystick_linear;
    ByName<double> in_95_percent_band, in_95_percent_band_joystick;
  };
  struct Track {
    double position_rms_m = 0, position_max_m = 0, attitude_rms_rad = 0;
  };
  struct Tracking {
    std::optional<Track> alone, nominal, identified;  ///< nothing where the motion ran away
  };
  struct Check {
    std::string what;
    bool holds = false;
  };

  IfAny<double> seconds;  ///< of work; not in the file, so that the same seed gives the same bytes
  std::string version, command;
  std::uint64_t seed = 1;
  Excitation excitation;
  Identification identification;
  Validation validation;
  Tracking tracking;
  std::vector<Check> checks;
  bool checks_hold = false;
  std::string log, report;
};

struct DemoResult : ResultOf<DemoResult, DemoSummary> {
  /// What the numbers come from; nothing in a result that was loaded.
  struct Evidence {
    DemoOptions options;
    pool::PoolDay day;
    excite::Problem problem;
    trajectory::Bezier motion;
    IdentifyVehicleResult chosen;  ///< by the structure that the data chose
    pool::Unseen unseen;
    ValidateResult validation, linear;  ///< of all unseen recordings; the joystick's is the last
    std::vector<ResultFile> exported;   ///< the identified robot for other programs
    std::vector<report::FileLink> links;
  };
  std::optional<Evidence> evidence;

  static constexpr bool has_page = true;
  Status status() const { return summary.checks_hold ? Status::done : Status::check_failed; }
  report::Document report() const;
  /// Returns what to try next with the files of a result that was saved.
  std::string next_steps() const;
  /// Returns robots, trajectory and exported models.
  std::vector<ResultFile> files() const;
};

/// Runs a whole pool day: excites, dives, identifies, validates on unseen motions and uses the estimate. Needs
/// the search paths of studies, problems and robots. Throws InputError and Interrupted.
DemoResult demo(const DemoOptions& options, const Context& context);

}  // namespace fathom::task
