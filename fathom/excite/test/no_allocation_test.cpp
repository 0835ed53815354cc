// The hot paths take no memory from the heap (HABITS 13).
#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/base/test/count_allocations.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/excite/design.hpp"
#include "fathom/excite/objective.hpp"
#include "fathom/excite/path_limits.hpp"
#include "fathom/excite/test/problems.hpp"

namespace fathom::excite::no_allocation_test {
namespace {

using fathom::test::allocations_of;

TEST(NoAllocation, BarrierOfPathLimits) {
  const Vec6 start = Vec6::Zero();
  const Problem problem{"test",
                        "",
                        "",
                        dynamics::test::robot_named("bluerov2-heavy"),
                        "",
                        model::Environment(),
                        model::structure_by_name("vehicle-24"),
                        start,
                        start,
                        {},
                        0.2,
                        {},
                        Criterion::a_optimal,
                        {},
                        {},
                        ThrusterShare{},
                        View{Vec3::Zero(), Vec3::UnitZ(), 0.5, {Vec3(0, 0, 3), Vec3(0.1, 0, 3)}},
                        TetherReach{Vec3(1, 0, 0), Vec3::Zero(), 5},
                        {},
                        8};
  const PathLimits limits(problem);
  Samples at(1000), adjoint(1000);
  at.down.col(2).setOnes();
  const Eigen::ArrayXd weight = Eigen::ArrayXd::Ones(1000);
  double sum = 0;
  EXPECT_EQ(
      allocations_of([&] { sum = limits.barrier(at, weight, nullptr) + limits.barrier(at, weight, &adjoint); }),
      0);
  EXPECT_TRUE(std::isfinite(sum));
}

TEST(NoAllocation, ValueAndGradientOfAPath) {
  for (const Problem& base :
       {test::tank(), test::board(), test::pool(), test::with_bezier(test::tank(), 12, 1),
        test::with_thruster_errors(test::tank()), test::with_thruster_errors(test::pool())})
    for (const auto criterion : {Criterion::a_optimal, Criterion::d_optimal, Criterion::condition}) {
      const Designer designer(test::with_criterion(base, criterion));
      PathObjective objective(designer.problem(), designer.bounds().basis);
      const Eigen::VectorXd x = designer.random_path(1, 0);
      Eigen::VectorXd gradient(x.size());
      objective.evaluate(x, 1e-3, gradient);
      double value = 0;
      EXPECT_EQ(allocations_of([&] { value = objective.evaluate(x, 1e-3, gradient); }), 0)
          << base.name << ", criterion " << static_cast<int>(criterion);
      EXPECT_TRUE(std::isfinite(value));
      EXPECT_EQ(allocations_of([&] { value = objective.is_inside(x); }), 0);
      EXPECT_EQ(value, 1);
    }
}

TEST(NoAllocation, ValueAndCurvatureOfAPath) {
  Problem problem{"test", "", "", dynamics::test::robot_named("bluerov2-heavy"), ""};
  problem.structure = model::structure_by_name("vehicle-24");
  problem.thrusters = ThrusterShare{};
  problem.view = View{Vec3::Zero(), Vec3::UnitZ(), 0.4, {Vec3(0, 0, 3), Vec3(0.9, 0, 3)}};
  problem.tether = TetherReach{Vec3(1, 0, 0), Vec3::Zero(), 1.05};
  const trajectory::Basis basis = trajectory::spline_basis(std::vector<double>{20}, std::vector<int>{20});
  PathObjective objective(problem, basis);
  RandomStream random(1, "path");
  Eigen::VectorXd x(objective.sampling().unknowns()), gradient(x.size());
  for (double& number : x) number = random.uniform(-0.02, 0.02);
  struct Count : solve::Curvature {
    void add(Eigen::Index, Eigen::Index, const double*) override { ++pieces; }
    int pieces = 0;
  } count;
  double value = 0;
  EXPECT_EQ(allocations_of([&] {
              value = objective.evaluate(x, 1e-3, gradient);
              objective.add_curvature(x, 1e-3, count);
            }),
            0);
  EXPECT_TRUE(std::isfinite(value));
  EXPECT_EQ(count.pieces, 20);
}

}  // namespace
}  // namespace fathom::excite::no_allocation_test
