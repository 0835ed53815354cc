#pragma once
#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/constants.hpp"
#include "fathom/identify/vehicle/identify.hpp"
#include "fathom/identify/vehicle/validation.hpp"

#include "studies/coverage.hpp"
#include "studies/pool-day/pool_day.hpp"

namespace fathom::studies {

/// The problem of that file, data/problems/tank-defender.yaml, for the vehicle as it is known before the pool
/// day.
excite::Problem excitation_problem(const PoolDay& day, const std::filesystem::path& problem_file,
                                   const std::vector<std::filesystem::path>& robot_folders, int starts,
                                   double duration);

/// The log as it is read by one who knows the nominal robot, its thruster map and its sensors, and no more.
identify::Recording record(const PoolDay& day, const Swim& swim, const std::string& name);
/// The same from a folder.
identify::Recording read_log(const PoolDay& day, const std::filesystem::path& folder, const std::string& name);

/// What a pool day said of the vehicle.
struct DayModel {
  identify::Identified identified;
  model::Robot robot;  ///< the nominal one with the estimate in it
};
/// From the recordings of one day; `compare` and `thrust_sigma` as identify's options have them.
DayModel identify_day(const PoolDay& day, const std::vector<identify::Recording>& recordings,
                      std::vector<model::Structure> candidates, double thrust_sigma, bool compare = false);
/// The same, refined by output error.
identify::Identified refined_day(const PoolDay& day, const std::vector<identify::Recording>& recordings,
                                 identify::Identified identified, double thrust_sigma);
/// The bench test of nominal.yaml is within 2 % of the plant; that of the in-class plant is exact.
inline constexpr double bench_sigma = 0.01;

/// One parameter beside the truth, which is the plant's own entry.
struct Estimated {
  std::string name, unit;
  double truth = 0, value = 0, sigma = 0;
  double naive_sigma = 0;  ///< as if residuals were white

  double low() const { return value - sigmas_of_95 * sigma; }
  double high() const { return value + sigmas_of_95 * sigma; }
  bool holds() const { return low() <= truth && truth <= high(); }
  bool naive_holds() const { return std::abs(value - truth) <= sigmas_of_95 * naive_sigma; }
};
std::vector<Estimated> beside_truth(const identify::Identified& identified, const model::Robot& plant,
                                    const model::Environment& environment);
/// How many of them are in their intervals.
Coverage held_of(const std::vector<Estimated>& list);

/// Forward simulation in the model's own degrees of freedom with the delay that was identified along; still
/// water, as the current of another day is not known.
identify::Validation validate_day(const PoolDay& day, const DayModel& model,
                                  const std::vector<identify::Recording>& recordings,
                                  const std::optional<identify::BandOptions>& band, WorkerPool& pool);
/// The same for `count` recordings from the first-th on.
identify::Validation part_of(const identify::Validation& validation, std::size_t first, std::size_t count);

/// Swims that the estimate has not seen.
struct UnseenOptions {
  int trajectories = 15;
  double joystick_seconds = 600;
  std::filesystem::path first_log = {};  ///< where the log of the first trajectory goes, if anywhere
};
struct Unseen {
  std::vector<trajectory::Bezier> motions;
  std::vector<identify::Recording> recordings;  ///< one per motion, then that of the joystick
};
/// `ended` hears of each swim.
Unseen swim_unseen(const PoolDay& day, const excite::Problem& problem, std::uint64_t seed,
                   const UnseenOptions& options, ThreadPool& pool, const std::function<void(int)>& ended);

/// PID on an unseen motion. Nothing where it ran away.
struct TrackingComparison {
  std::optional<loop::Tracking> alone;
  std::optional<loop::Tracking> nominal, identified;  ///< with the feed-forward of these robots
  bool model_helps() const { return alone && identified && identified->position_rms < alone->position_rms; }
};
TrackingComparison compare_tracking(const PoolDay& day, const DayModel& model, const trajectory::Bezier& motion,
                                    std::uint64_t seed, ThreadPool& pool);

}  // namespace fathom::studies
