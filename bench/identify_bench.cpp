// Identification of a 280 s log: all estimators, and the output-error refinement.
#include "fathom/consistency/constraints.hpp"
#include "fathom/identify/vehicle/identify.hpp"
#include "fathom/identify/vehicle/output_error.hpp"
#include "fathom/identify/vehicle/test/recordings.hpp"
#include "fathom/model/candidates.hpp"
#include "fathom/model_file/robot_file.hpp"

#include "bench/add.hpp"

namespace fathom {
namespace {

/// A vehicle in every degree of freedom, with noise on its velocities: 280 s every 0.02 s, as recordings are.
struct Day {
  model::Robot robot = model::read_robot(FATHOM_ROBOTS_DIR "/defender-like.yaml");
  model::Environment water;
  std::vector<identify::Recording> recordings;
  identify::IdentifyOptions options;

  explicit Day(std::string_view structure) {
    const dynamics::Vehicle vehicle(robot, water, model::Dof::six);
    const Vec6 size = (Vec6() << 12, 12, 12, 1, 2, 2).finished();
    recordings = {identify::test::swim(vehicle, identify::test::sinusoids(1, size), 280, 0.02, 0.1)};
    RandomStream random(1, "noise");
    for (double& nu : recordings[0].track.nu_b.reshaped()) nu += 0.003 * random.normal();
    recordings[0].track.nu_sigma_b.setConstant(0.003);
    options.candidates = {model::candidate(structure, robot)};
  }
};

void add_estimators(const char* name, std::string_view structure) {
  add(name,
      [structure](benchmark::State& state) {
        const Day day(structure);
        for (auto _ : state)
          benchmark::DoNotOptimize(identify::identify(day.recordings, day.robot, day.water, day.options).scale);
      })
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1)
      ->Repetitions(5);
}

void add_refinement(const char* name, std::string_view structure) {
  add(name,
      [structure](benchmark::State& state) {
        Day day(structure);
        day.options.compare = false;
        const identify::Fit start = identify::identify(day.recordings, day.robot, day.water, day.options).fit;
        const model::Structure& terms = day.options.candidates[0];
        const solve::ConicSet constraints = consistency::constraints(terms, day.robot, day.water);
        for (auto _ : state)
          benchmark::DoNotOptimize(identify::refine(terms, day.recordings, constraints, start).theta);
      })
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1)
      ->Repetitions(3);
}

const int identify_registered = [] {
  add_estimators("identify: all estimators on 280 s, cross (39 unknowns)", "cross");
  add_estimators("identify: all estimators on 280 s, 6dof-oblique (68)", "6dof-oblique");
  add_refinement("identify: output-error refinement of it, cross", "cross");
  add_refinement("identify: output-error refinement of it, 6dof-oblique", "6dof-oblique");
  return 0;
}();

}  // namespace
}  // namespace fathom
