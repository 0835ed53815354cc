#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/output.hpp"
#include "studies/pool-day/day_model.hpp"

namespace fathom::cli {

/// How much work the main job is.
struct DemoSizes {
  double seconds = 280;  ///< of each motion
  int starts = 2;        ///< random beginnings of the excitation
  int trajectories = 3;  ///< unseen motions
  double joystick_seconds = 600;
  int members = 64;  ///< of the ensembles behind the bands
};

/// The main job, done.
struct DemoResult {
  std::uint64_t seed = 1;
  DemoSizes sizes;
  studies::PoolDay day;
  excite::Problem problem;
  trajectory::Bezier motion;
  loop::VehicleStatistics statistics;  ///< of the swim along it
  bool swum_to_the_end = false;
  std::vector<identify::Recording> swum;  ///< one
  studies::DayModel chosen, linear;       ///< by the structure that the data chose, and the source's
  std::vector<studies::Estimated> parameters;
  studies::Unseen unseen;
  identify::Validation validation, linear_validation;  ///< of all unseen recordings; the joystick's is the last
  studies::TrackingComparison tracking;

  int held() const;  ///< true values in their intervals
  /// Of the unseen trajectories, of the joystick alone.
  identify::Validation trajectories(const identify::Validation& of) const;
  identify::Validation joystick(const identify::Validation& of) const;

  struct Check {
    std::string what;
    bool holds = false;
  };
  std::vector<Check> checks() const;
  bool good() const;
};

/// Excites, swims, identifies, validates and uses, with a progress bar of these stages; the logs go into `out`.
DemoResult run_demo(const DemoSizes& sizes, std::uint64_t seed, int threads, OutputFolder& out);

/// Where the files are that run_demo and write_files leave.
inline constexpr const char *swim_log = "log", *unseen_log = "unseen";

nlohmann::ordered_json summary_of(const DemoResult& result);
std::string text_of(const DemoResult& result);
/// What to try next, with the files in `folder`.
std::string next_steps(const DemoResult& result, const std::filesystem::path& folder);
/// Robots, trajectory and report; not the summary.
void write_files(const DemoResult& result, OutputFolder& out);

}  // namespace fathom::cli
