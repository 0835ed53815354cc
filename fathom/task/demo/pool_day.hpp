#pragma once
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/constants.hpp"
#include "fathom/excite/problem.hpp"
#include "fathom/log/dataset.hpp"
#include "fathom/task/identify/vehicle.hpp"
#include "fathom/task/simulate/simulate.hpp"
#include "fathom/task/validate/validate.hpp"
#include "fathom/trajectory/bezier.hpp"

/// The simulated pool day of the demo, on which studies work too.
namespace fathom::task::pool {

/// The files of studies/pool-day: what dives, what is known of it beforehand, and the dives.
struct PoolDay {
  model::Robot plant, nominal;
  model::Robot in_class_plant;  ///< one that the fitted structure holds
  loop::Scenario excitation;    ///< also for unseen motions: with_motion() puts the motion in
  loop::Scenario joystick;
  loop::Scenario in_class;
};
PoolDay read_pool_day(const std::filesystem::path& folder);

/// Returns the problem of that file, data/problems/tank-defender.yaml, for the vehicle as it is known
/// beforehand.
excite::Problem excitation_problem(const PoolDay& day, const std::filesystem::path& problem_file,
                                   const std::vector<std::filesystem::path>& robot_folders, int starts,
                                   double duration);
/// Returns the motion of a problem's best start. Throws Interrupted.
trajectory::Bezier design_motion(const excite::Problem& problem, std::uint64_t seed, ThreadPool& pool);
/// Returns unseen motions of the same problem: each where one random beginning leads to, by the seeds that
/// follow `seed`.
std::vector<trajectory::Bezier> unseen_motions(const excite::Problem& problem, std::uint64_t seed, int count,
                                               ThreadPool& pool);
/// Returns the scenario with its first vehicle on this motion, from beginning to end.
loop::Scenario with_motion(loop::Scenario scenario, const trajectory::Bezier& motion);

/// What came of a dive.
struct Dive {
  log::Dataset log;
  ScenarioRun run;
};
/// Throws Interrupted where it is to stop.
Dive dive(const loop::Scenario& scenario, std::uint64_t seed, const Stop& stop = {});
/// The same into a folder of CSV files, for people; its `log` stays empty.
Dive dive_to(const std::filesystem::path& folder, const loop::Scenario& scenario, std::uint64_t seed,
             const Stop& stop = {});
/// Returns how well the PID holds the first vehicle on its motion: alone, or with the feed-forward of that
/// robot. The gains are those of the scenario's believed robot either way. Nothing where the motion ran away.
std::optional<loop::Tracking> track(loop::Scenario scenario, std::uint64_t seed,
                                    const std::optional<model::Robot>& feed_forward, const Stop& stop = {});

/// Returns the log as it is read by one who knows the nominal robot, its thruster map and its sensors.
identify::Recording record(const PoolDay& day, const Dive& dive, const std::string& name);
/// The same from a folder.
identify::Recording read_log(const PoolDay& day, const std::filesystem::path& folder, const std::string& name);

/// The bench test of nominal.yaml is within 2 % of the plant; that of the in-class plant is exact.
inline constexpr double bench_sigma = 0.01;
/// Identifies the nominal robot from the recordings of one day; arguments as identify_vehicle() has them.
IdentifyVehicleResult identify_day(const PoolDay& day, std::vector<identify::Recording> recordings,
                                   const std::string& structure, double thrust_sigma, bool compare = false,
                                   const Context& context = {});
/// Forward simulation in the model's own degrees of freedom with the delay that was identified along; still
/// water, as the current of another day is not known.
ValidateResult validate_day(const PoolDay& day, const IdentifyVehicleResult& model,
                            std::vector<identify::Recording> recordings, int members, std::uint64_t seed,
                            const Context& context = {});
/// Returns the same for `count` recordings from the first-th on.
identify::Validation part_of(const identify::Validation& validation, std::size_t first, std::size_t count);

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

/// Dives that the estimate has not seen.
struct UnseenOptions {
  int trajectories = 15;
  double joystick_seconds = 600;
  std::filesystem::path first_log = {};  ///< where the log of the first trajectory goes, if anywhere
};
struct Unseen {
  std::vector<trajectory::Bezier> motions;
  std::vector<identify::Recording> recordings;  ///< one per motion, then that of the joystick
};
/// `ended` hears of each dive.
Unseen dive_unseen(const PoolDay& day, const excite::Problem& problem, std::uint64_t seed,
                   const UnseenOptions& options, ThreadPool& pool, const std::function<void(int)>& ended);

/// PID on an unseen motion. Nothing where it ran away.
struct TrackingComparison {
  std::optional<loop::Tracking> alone;
  std::optional<loop::Tracking> nominal, identified;  ///< with the feed-forward of these robots
  bool model_helps() const { return alone && identified && identified->position_rms < alone->position_rms; }
};
TrackingComparison compare_tracking(const PoolDay& day, const model::Robot& identified,
                                    const trajectory::Bezier& motion, std::uint64_t seed, ThreadPool& pool);

}  // namespace fathom::task::pool
