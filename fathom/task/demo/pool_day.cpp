#include "fathom/task/demo/pool_day.hpp"

#include <array>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/parallel_map.hpp"
#include "fathom/excite/design.hpp"
#include "fathom/model/robot_parameters.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::task::pool {
namespace {

constexpr std::uint64_t other_dives = 1000;  // seeds of the unseen dives' water and sensors, from here on

ScenarioRun run(const loop::Scenario& scenario, std::uint64_t seed, log::Sink& sink, const Stop& stop) {
  Context context;
  context.stop = stop;
  return run_scenario(scenario, seed, sink, context);
}

identify::Recording joystick_recording(const PoolDay& day, std::uint64_t seed, double seconds,
                                       const Stop& stop) {
  loop::Scenario scenario = day.joystick;
  scenario.duration = seconds;
  return record(day, dive(scenario, seed, stop), "joystick");
}

}  // namespace

PoolDay read_pool_day(const std::filesystem::path& folder) {
  const auto scenario = [&](const char* file) { return loop::read_scenario(folder / file, {}); };
  return {model::read_robot(folder / "plant.yaml"),
          model::read_robot(folder / "nominal.yaml"),
          model::read_robot(folder / "in-class-plant.yaml"),
          scenario("excitation.yaml"),
          scenario("joystick.yaml"),
          scenario("in-class.yaml")};
}

trajectory::Bezier design_motion(const excite::Problem& problem, std::uint64_t seed, ThreadPool& pool) {
  excite::DesignOptions options;
  options.seed = seed;
  options.interrupted = pool.stop();
  excite::Design design = excite::Designer(problem).design(pool, options);
  throw_if(pool.stop());
  return std::move(design.path);
}

std::vector<trajectory::Bezier> unseen_motions(const excite::Problem& problem, std::uint64_t seed, int count,
                                               ThreadPool& pool) {
  excite::Problem quick = problem;
  quick.starts = 1;
  std::vector<trajectory::Bezier> motions;
  for (int k = 1; k <= count; ++k)
    motions.push_back(design_motion(quick, seed + static_cast<std::uint64_t>(k), pool));
  return motions;
}

loop::Scenario with_motion(loop::Scenario scenario, const trajectory::Bezier& motion) {
  loop::VehicleScenario& vehicle = scenario.vehicles.front();
  vehicle.reference = trajectory::PosePath(motion);
  const trajectory::Reference first = vehicle.reference->at(0);
  vehicle.start = {first.q_nb, first.p_nb_n, first.nu_b};
  scenario.duration = vehicle.reference->duration();
  return scenario;
}

Dive dive(const loop::Scenario& scenario, std::uint64_t seed, const Stop& stop) {
  log::DatasetSink sink;
  ScenarioRun done = run(scenario, seed, sink, stop);
  return {std::move(sink).dataset(), std::move(done)};
}

Dive dive_to(const std::filesystem::path& folder, const loop::Scenario& scenario, std::uint64_t seed,
             const Stop& stop) {
  log::CsvSink sink(folder);
  ScenarioRun done = run(scenario, seed, sink, stop);
  sink.close();
  return {{}, std::move(done)};
}

std::optional<loop::Tracking> track(loop::Scenario scenario, std::uint64_t seed,
                                    const std::optional<model::Robot>& feed_forward, const Stop& stop) {
  auto& pid = std::get<loop::PidControl>(scenario.vehicles.front().control);
  pid.options.feed_forward = feed_forward.has_value();
  pid.feed_forward_model = feed_forward;
  log::NoSink nowhere;
  const ScenarioRun done = run(scenario, seed, nowhere, stop);
  return done.failed ? std::nullopt : done.vehicles.front().tracking;
}

excite::Problem excitation_problem(const PoolDay& day, const std::filesystem::path& problem_file,
                                   const std::vector<std::filesystem::path>& robot_folders, int starts,
                                   double duration) {
  excite::Problem problem = excite::read_problem(problem_file, robot_folders, duration);
  problem.robot = day.nominal;  // of the same size, from which the clearance follows
  problem.starts = starts;
  return problem;
}

identify::Recording record(const PoolDay& day, const Dive& dive, const std::string& name) {
  return identify::make_recording(dive.log, name, day.nominal, day.excitation.environment);
}

identify::Recording read_log(const PoolDay& day, const std::filesystem::path& folder, const std::string& name) {
  identify::Recording recording = identify::read_recording(folder, day.nominal, day.excitation.environment);
  recording.name = name;
  return recording;
}

IdentifyVehicleResult identify_day(const PoolDay& day, std::vector<identify::Recording> recordings,
                                   const std::string& structure, double thrust_sigma, bool compare,
                                   const Context& context) {
  IdentifyVehicleOptions options;
  options.structure = structure;
  options.thrust_sigma = thrust_sigma;
  options.compare = compare;
  options.source = "pool day";
  options.estimator = "consistent";  // what the demo and the studies count; a choice would triple their time
  return identify_vehicle(day.nominal, day.excitation.environment, std::move(recordings), options, context);
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

ValidateResult validate_day(const PoolDay& day, const IdentifyVehicleResult& model,
                            std::vector<identify::Recording> recordings, int members, std::uint64_t seed,
                            const Context& context) {
  ValidateOptions options;
  options.dof = std::to_string(model.summary.dof);
  options.members = members;
  options.seed = seed;
  options.compare = options.warp = false;  // neither the demo nor a study shows them
  return validate(model.robot, day.excitation.environment, std::move(recordings), options, context);
}

Unseen dive_unseen(const PoolDay& day, const excite::Problem& problem, std::uint64_t seed,
                   const UnseenOptions& options, ThreadPool& pool, const std::function<void(int)>& ended) {
  struct One {
    std::optional<trajectory::Bezier> motion;
    identify::Recording recording;
  };
  const auto one = [&](int k) -> One {
    const auto number = static_cast<std::uint64_t>(k);
    if (k == 0) return {{}, joystick_recording(day, seed + other_dives, options.joystick_seconds, pool.stop())};
    ThreadPool alone(1, pool.stop());
    trajectory::Bezier motion = unseen_motions(problem, seed + number - 1, 1, alone).front();
    const loop::Scenario scenario = with_motion(day.excitation, motion);
    const std::string name = fmt::format("unseen {}", k);
    if (k > 1 || options.first_log.empty())
      return {std::move(motion), record(day, dive(scenario, seed + other_dives + number, pool.stop()), name)};
    dive_to(options.first_log, scenario, seed + other_dives + number, pool.stop());
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

TrackingComparison compare_tracking(const PoolDay& day, const model::Robot& identified,
                                    const trajectory::Bezier& motion, std::uint64_t seed, ThreadPool& pool) {
  const loop::Scenario scenario = with_motion(day.excitation, motion);
  const std::array<std::optional<model::Robot>, 3> robots = {std::nullopt, day.nominal, identified};
  const auto tracks = parallel_map(pool, 3, [&](int k) {
    return track(scenario, seed + other_dives, robots[static_cast<std::size_t>(k)], pool.stop());
  });
  return {tracks[0], tracks[1], tracks[2]};
}

identify::Validation part_of(const identify::Validation& validation, std::size_t first, std::size_t count) {
  identify::Validation part = validation;
  const auto begin = part.recordings.begin() + static_cast<std::ptrdiff_t>(first);
  part.recordings = {begin, begin + static_cast<std::ptrdiff_t>(count)};
  return part;
}

}  // namespace fathom::task::pool
