// Excitation: the criterion with its gradient, single starts and a whole design, on the problems of Panetsos.
#include <memory>

#include <fmt/format.h>

#include "fathom/excite/design.hpp"
#include "fathom/excite/instruction_set.hpp"
#include "fathom/excite/objective.hpp"

#include "bench/add.hpp"

namespace fathom {
namespace {

using excite::Criterion;

/// 420 coordinates, hull of the control points.
excite::Problem paper(Criterion criterion, int parts = 1) {
  auto problem = excite::read_problem(FATHOM_PROBLEMS_DIR "/paper-excitation.yaml", {FATHOM_ROBOTS_DIR});
  problem.criterion = criterion;
  problem.shape.parts = parts;
  return problem;
}

/// The same bounds, A-optimal: 348 free numbers with knots 3.1 s apart, 688 as the file has it.
excite::Problem spline(double interval) {
  auto problem = excite::read_problem(FATHOM_PROBLEMS_DIR "/tank-defender.yaml", {FATHOM_ROBOTS_DIR});
  problem.shape.interval = interval;
  return problem;
}

/// Made when it is first run: a filter that leaves it out does not wait for it.
using Make = std::function<excite::Problem()>;
std::function<const excite::Designer&()> later(const Make& make) {
  return [make, made = std::shared_ptr<excite::Designer>()]() mutable -> const excite::Designer& {
    if (!made) made = std::make_shared<excite::Designer>(make());
    return *made;
  };
}

void add_function(const std::string& name, const Make& make, const std::string& set) {
  const auto work = [designer_of = later(make), set](benchmark::State& state) mutable {
    const excite::Designer& designer = designer_of();
    excite::PathObjective objective(designer.problem(), designer.bounds().basis);
    const Eigen::VectorXd x = designer.random_path(1, 0);
    Eigen::VectorXd gradient(x.size());
    excite::use_instruction_set(set);
    for (auto _ : state) benchmark::DoNotOptimize(objective.evaluate(x, 0, gradient));
    excite::use_instruction_set(excite::instruction_sets().back());
  };
  add(fmt::format("excite: value and gradient, {}", name).c_str(), work)->Unit(benchmark::kMicrosecond);
}

/// Goes round the starts, so that the figures are those of many.
void add_start(const char* name, const Make& make) {
  const auto work = [designer_of = later(make), number = 0](benchmark::State& state) mutable {
    const excite::Designer& designer = designer_of();
    for (auto _ : state)
      benchmark::DoNotOptimize(designer.solve(number++ % 20, {}, [] { return false; }).result.f);
  };
  add(fmt::format("excite: one start, {}", name).c_str(), work)
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1)
      ->Repetitions(20);
}

void add_design(const char* name, const Make& make) {
  const auto work = [designer_of = later(make)](benchmark::State& state) mutable {
    const excite::Designer& designer = designer_of();
    ThreadPool pool;
    for (auto _ : state) benchmark::DoNotOptimize(designer.design(pool).certificate.f);
  };
  add(name, work)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1)->Repetitions(5);
}

const int excite_registered = [] {
  const Make by_condition = [] { return paper(Criterion::condition); };
  const auto sets = excite::instruction_sets();
  for (const std::string& set : sets) add_function("condition, " + set, by_condition, set);
  const auto& best = sets.back();
  add_function(
      "A-optimal", [] { return paper(Criterion::a_optimal); }, best);
  add_function(
      "spline A-optimal", [] { return spline(3.2); }, best);
  add_start("paper formulation", by_condition);
  add_start("subdivided by 8, condition", [] { return paper(Criterion::condition, 8); });
  add_start("subdivided by 8, A-optimal", [] { return paper(Criterion::a_optimal, 8); });
  add_start("spline A-optimal, 348 free", [] { return spline(3.2); });
  add_start("spline A-optimal, 688 free", [] { return spline(1.6); });
  add_design("excite: best of 40 starts, paper formulation", by_condition);
  return 0;
}();

}  // namespace
}  // namespace fathom
