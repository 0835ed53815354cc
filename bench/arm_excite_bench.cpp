// Excitation of an arm: the criterion with its gradient, and the design that must be done within a second:
// three joints of five harmonics, 20 starts, one thread.

#include "fathom/excite/arm/design.hpp"
#include "fathom/model_file/arm_file.hpp"

#include "bench/add.hpp"

namespace fathom {
namespace {

excite::ArmProblem ariane_problem() {
  model::ArmSpec spec = model::read_arm(FATHOM_ROBOTS_DIR "/../arms/ariane.yaml").spec();
  spec.joints.pop_back(), spec.links.pop_back();
  excite::ArmProblem problem(model::Arm::make(spec));
  problem.medium = dynamics::Medium::air;
  problem.columns.motor = true;
  problem.space = excite::ArmSpace::motor;
  problem.in_current = true;
  return problem;
}

const int arm_excite_registered = [] {
  add("arm: excitation, value and gradient, 3 x 5", [](benchmark::State& state) {
    const excite::ArmDesigner designer(ariane_problem());
    const auto objective = designer.objective();
    const Eigen::VectorXd x = designer.random_motion(1, 0);
    Eigen::VectorXd gradient(x.size());
    for (auto _ : state) benchmark::DoNotOptimize(objective->evaluate(x, 0, gradient));
  })->Unit(benchmark::kMicrosecond);
  add("arm: excitation 3 x 5, 20 starts",
      [](benchmark::State& state) {
        ThreadPool pool(1);
        double condition = 0;
        for (auto _ : state) condition = excite::ArmDesigner(ariane_problem()).design(pool).condition;
        state.counters["condition"] = condition;
      })
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime()
      ->Iterations(1)
      ->Repetitions(5);
  return 0;
}();

}  // namespace
}  // namespace fathom
