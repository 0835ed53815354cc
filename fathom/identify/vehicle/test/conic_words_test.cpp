#include "fathom/identify/vehicle/internal/conic_words.hpp"

#include <gtest/gtest.h>

#include "fathom/consistency/constraints.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/model/candidates.hpp"

namespace fathom::identify::internal::conic_words_test {
namespace {

/// Of the conditions of a structure with this bound, whatever the log.
std::string words(const std::string& structure, const consistency::ConstraintOptions::Bound& bound) {
  const model::Robot& robot = dynamics::test::robot_named("defender-like");
  consistency::ConstraintOptions options;
  options.bounds = {bound};
  const solve::ConicSet set =
      consistency::constraints(model::candidate(structure, robot), robot, model::Environment(), options);
  solve::ConicObjective objective;
  objective.G.setIdentity(set.unknowns, set.unknowns);
  objective.b.setZero(set.unknowns);
  objective.c = 1;
  solve::ConicSolver solver(set);
  return no_estimate(structure, set, solver.solve(objective)).text();
}

const std::string hint = " (change a `--bound`, or the robot file's dry body; `--no-dry-body` does without it)";

TEST(ConicWords, NameWhatContradicts) {
  EXPECT_EQ(words("diagonal", {"m11", 0, 10}),
            "diagonal has conditions that contradict each other: added mass (M - M_rb) of surge and heave; "
            "m11 <= 10" +
                hint);
  EXPECT_EQ(words("quadratic", {"d33", -5, -1}),
            "quadratic has conditions that contradict each other: linear damping; d33 <= -1" + hint);
  EXPECT_EQ(words("6dof-cross", {"q11|1|", -5, -1e-3}),
            "6dof-cross has conditions that contradict each other: quadratic damping |u| of surge and pitch; "
            "q11|1| <= -0.001" +
                hint);
}

TEST(ConicWords, HaveOneTextPerStatus) {
  const solve::ConicSet set{1, {}, {}};
  solve::ConicResult result;
  result.f = 2;
  result.gap = 0.1;
  result.iterations = 60;
  const auto text = [&](solve::ConicStatus status) {
    result.status = status;
    return no_estimate("linear", set, result).message;
  };
  EXPECT_EQ(text(solve::ConicStatus::unbounded),
            "has parameters that the log does not determine: they can grow without end at no cost");
  EXPECT_EQ(text(solve::ConicStatus::stalled),
            "the conic solver got stuck after 60 iterations, up to 0.05 of the sum of squares above the best "
            "estimate");
  EXPECT_EQ(text(solve::ConicStatus::iteration_limit),
            "the conic solver was stopped after 60 iterations, up to 0.05 of the sum of squares above the best "
            "estimate");
}

}  // namespace
}  // namespace fathom::identify::internal::conic_words_test
