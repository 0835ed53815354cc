#include "studies/pool-day/day_model.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/parallel_map.hpp"
#include "fathom/identify/vehicle/identified_robot.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::studies {
namespace {

constexpr std::uint64_t other_swims = 1000;  // seeds of the unseen swims' water and sensors, from here on

identify::Recording joystick_recording(const PoolDay& day, std::uint64_t seed, double seconds,
                                       const Stop& stop) {
  loop::Scenario scenario = day.joystick;
  scenario.duration = seconds;
  return record(day, swim(scenario, seed, stop), "joystick");
}

identify::IdentifyOptions options_of(double thrust_sigma) {
  identify::IdentifyOptions options;
  options.fit.thrust_sigma = thrust_sigma;
  return options;
}

}  // namespace

excite::Problem excitation_problem(const PoolDay& day, const std::filesystem::path& problem_file,
                                   const std::vector<std::filesystem::path>& robot_folders, int starts,
                                   double duration) {
  excite::Problem problem = excite::read_problem(problem_file, robot_folders, duration);
  problem.robot = day.nominal;  // of the same size, from which the clearance follows
  problem.starts = starts;
  return problem;
}

identify::Recording record(const PoolDay& day, const Swim& swim, const std::string& name) {
  return identify::make_recording(swim.log, name, day.nominal, day.excitation.environment);
}

identify::Recording read_log(const PoolDay& day, const std::filesystem::path& folder, const std::string& name) {
  identify::Recording recording = identify::read_recording(folder, day.nominal, day.excitation.environment);
  recording.name = name;
  return recording;
}

DayModel identify_day(const PoolDay& day, const std::vector<identify::Recording>& recordings,
                      std::vector<model::Structure> candidates, double thrust_sigma, bool compare) {
  const model::Environment& environment = day.excitation.environment;
  identify::IdentifyOptions options = options_of(thrust_sigma);
  options.candidates = std::move(candidates);
  options.compare = compare;
  identify::Identified identified = identify::identify(recordings, day.nominal, environment, options);
  const identify::NuisanceEstimate& nuisance = identified.fit.nuisance;
  model::Robot robot = identify::identified_robot(
      day.nominal, environment, identified.structure, identified.parameters, "pool day",
      model::IdentifiedParameters::Delay{nuisance.value.delay, nuisance.delay_sigma});
  return {std::move(identified), std::move(robot)};
}

identify::Identified refined_day(const PoolDay& day, const std::vector<identify::Recording>& recordings,
                                 identify::Identified identified, double thrust_sigma) {
  identify::refine(recordings, day.nominal, day.excitation.environment, options_of(thrust_sigma), identified);
  return identified;
}

std::vector<Estimated> beside_truth(const identify::Identified& identified, const model::Robot& plant,
                                    const model::Environment& environment) {
  const model::ParameterVector truth =
      model::parameters_of(plant, environment, identified.structure).parameters;
  std::vector<Estimated> list;
  for (std::size_t k = 0; k < truth.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    list.push_back({truth[k].name, truth[k].unit, truth[k].value, identified.parameters[k].value,
                    identified.parameters.sigma(k), std::sqrt(identified.fit.naive_covariance(i, i))});
  }
  return list;
}

Coverage held_of(const std::vector<Estimated>& list) {
  Coverage held;
  for (const Estimated& one : list) held.add(one.holds());
  return held;
}

identify::Validation validate_day(const PoolDay& day, const DayModel& model,
                                  const std::vector<identify::Recording>& recordings,
                                  const std::optional<identify::BandOptions>& band, WorkerPool& pool) {
  identify::ValidationOptions options;
  options.prediction.delay = model.identified.fit.nuisance.value.delay;
  options.delay_sigma = model.identified.fit.nuisance.delay_sigma;
  options.band = band;
  options.warp.reset();  // neither the demo nor a study shows it
  return identify::validate(model.robot, day.excitation.environment, model.identified.structure.dof, recordings,
                            options, pool);
}

Unseen swim_unseen(const PoolDay& day, const excite::Problem& problem, std::uint64_t seed,
                   const UnseenOptions& options, ThreadPool& pool, const std::function<void(int)>& ended) {
  struct One {
    std::optional<trajectory::Bezier> motion;
    identify::Recording recording;
  };
  const auto one = [&](int k) -> One {
    const auto number = static_cast<std::uint64_t>(k);
    if (k == 0) return {{}, joystick_recording(day, seed + other_swims, options.joystick_seconds, pool.stop())};
    ThreadPool alone(1, pool.stop());
    trajectory::Bezier motion = unseen_motions(problem, seed + number - 1, 1, alone).front();
    const loop::Scenario scenario = with_motion(day.excitation, motion);
    const std::string name = fmt::format("unseen {}", k);
    if (k > 1 || options.first_log.empty())
      return {std::move(motion), record(day, swim(scenario, seed + other_swims + number, pool.stop()), name)};
    swim_to(options.first_log, scenario, seed + other_swims + number, pool.stop());
    return {std::move(motion), read_log(day, options.first_log, name)};
  };
  std::vector<One> all = parallel_map(pool, options.trajectories + 1, one, ended);
  Unseen unseen;
  for (std::size_t k = 1; k < all.size(); ++k) {
    unseen.motions.push_back(std::move(*all[k].motion));
    unseen.recordings.push_back(std::move(all[k].recording));
  }
  unseen.recordings.push_back(std::move(all.front().recording));  // the longest, so it began first
  return unseen;
}

TrackingComparison compare_tracking(const PoolDay& day, const DayModel& model, const trajectory::Bezier& motion,
                                    std::uint64_t seed, ThreadPool& pool) {
  const loop::Scenario scenario = with_motion(day.excitation, motion);
  const std::array<std::optional<model::Robot>, 3> robots = {std::nullopt, day.nominal, model.robot};
  const auto tracks = parallel_map(pool, 3, [&](int k) {
    return track(scenario, seed + other_swims, robots[static_cast<std::size_t>(k)], pool.stop());
  });
  return {tracks[0], tracks[1], tracks[2]};
}

identify::Validation part_of(const identify::Validation& validation, std::size_t first, std::size_t count) {
  identify::Validation part = validation;
  const auto begin = part.recordings.begin() + static_cast<std::ptrdiff_t>(first);
  part.recordings = {begin, begin + static_cast<std::ptrdiff_t>(count)};
  return part;
}

}  // namespace fathom::studies
