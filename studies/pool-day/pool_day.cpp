#include "studies/pool-day/pool_day.hpp"

#include "fathom/base/error.hpp"
#include "fathom/excite/design.hpp"
#include "fathom/loop/simulation.hpp"
#include "fathom/model/robot_file.hpp"

namespace fathom::studies {
namespace {

Swim run(const loop::Scenario& scenario, std::uint64_t seed, log::Sink& sink, const Stop& stop) {
  loop::Simulation simulation(scenario, seed, sink);
  while (!simulation.done()) {
    simulation.step();
    throw_if(stop);
  }
  simulation.finish();
  return {{}, simulation.vehicle_statistics().front(), simulation.events(), simulation.failed()};
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

Swim swim(const loop::Scenario& scenario, std::uint64_t seed, const Stop& stop) {
  log::DatasetSink sink;
  Swim swim = run(scenario, seed, sink, stop);
  swim.log = std::move(sink).dataset();
  return swim;
}

Swim swim_to(const std::filesystem::path& folder, const loop::Scenario& scenario, std::uint64_t seed,
             const Stop& stop) {
  log::CsvSink sink(folder);
  Swim swim = run(scenario, seed, sink, stop);
  sink.close();
  return swim;
}

std::optional<loop::Tracking> track(loop::Scenario scenario, std::uint64_t seed,
                                    const std::optional<model::Robot>& feed_forward, const Stop& stop) {
  auto& pid = std::get<loop::PidControl>(scenario.vehicles.front().control);
  pid.options.feed_forward = feed_forward.has_value();
  pid.feed_forward_model = feed_forward;
  log::NoSink nowhere;
  const Swim done = run(scenario, seed, nowhere, stop);
  return done.failed ? std::nullopt : done.statistics.tracking;
}

}  // namespace fathom::studies
