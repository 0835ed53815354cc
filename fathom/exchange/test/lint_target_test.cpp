// The conditions of explicit schemes against the schemes themselves, step by step.
#include <Eigen/LU>
#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/exchange/test/lint_case.hpp"

namespace fathom::exchange::lint_target_test {
namespace {

/// Does an error of the acceleration die out, if each step takes M_a times the last acceleration, as `alpha` =
/// 1, or filtered?
bool dies_out(const model::Hull& hull, double alpha) {
  const Mat6 step = -model::rigid_body_inertia(hull).partialPivLu().solve(hull.added_mass.value);
  Vec6 acceleration = Vec6::Constant(1), filtered = Vec6::Constant(1);
  double start = 0;
  for (int k = 0; k < 4000; ++k) {
    filtered = (1 - alpha) * filtered + alpha * acceleration;
    acceleration = step * filtered;
    if (k == 2000) start = acceleration.norm();
    if (!(acceleration.norm() < 1e100)) return false;
  }
  return acceleration.norm() < start || start < 1e-100;
}

void compare_with_steps(Target target, double alpha, double limit) {
  RandomStream random(1, "explicit schemes");
  int stable = 0, unstable = 0;
  for (int k = 0; k < 200; ++k) {
    model::RobotSpec spec = test::shipped(k % 2 == 0 ? "rexrov" : "defender-like");
    // Large and small added mass, some of it right beside the limit.
    spec.hull.added_mass.value *= k % 5 == 0 ? 1 + 0.02 * random.normal() : limit * random.uniform();
    const bool flagged =
        test::found_by(lint_model(spec, test::lint_for(target)), "explicit-added-mass") != nullptr;
    EXPECT_EQ(flagged, !dies_out(spec.hull, alpha)) << "case " << k;
    ++(flagged ? unstable : stable);
  }
  EXPECT_GT(stable, 20);
  EXPECT_GT(unstable, 20);
}

TEST(LintTarget, GzSimDivergesWhereLintSaysSo) { compare_with_steps(Target::gz_sim, 1, 1.2); }
TEST(LintTarget, UuvSimulatorDivergesWhereLintSaysSo) { compare_with_steps(Target::uuv_simulator, 0.3, 7); }

TEST(LintTarget, RexrovIsTooMuchForGzSimAndNotForUuvSimulator) {
  const model::RobotSpec spec = test::shipped("rexrov");
  const LintFindings findings = lint_model(spec, test::lint_for(Target::gz_sim));
  const LintFinding* found = test::found_by(findings, "explicit-added-mass");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->key, "hull.added_mass[2]");
  EXPECT_NE(found->message.find("= 3660 against 1863 of the rigid body"), std::string::npos) << found->message;
  EXPECT_NE(found->message.find("must be < 1"), std::string::npos) << found->message;
  EXPECT_EQ(test::lines_of(lint_model(spec, test::lint_for(Target::uuv_simulator))), "");
}

TEST(LintTarget, WhereAddedMassStandsInAFileDecides) {
  const model::RobotSpec spec = test::shipped("bluerov2-heavy");
  LintOptions options = test::lint_for(Target::gz_sim);
  EXPECT_EQ(test::found_by(lint_model(spec, options), "explicit-added-mass")->severity, Severity::warning);
  options.places["hull.added_mass[2][2]"] = {"model.sdf", 7, "zDotW"};
  const LintFindings findings = lint_model(spec, options);
  const LintFinding* found = test::found_by(findings, "explicit-added-mass");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->severity, Severity::error);
  EXPECT_EQ(found->file + ":" + std::to_string(found->line) + " " + found->tag, "model.sdf:7 zDotW");
  EXPECT_NE(test::found_by(findings, "gz-coriolis"), nullptr);
  options.places["hull.added_mass[2][2]"].tag = "zz";  // of <fluid_added_mass>
  EXPECT_EQ(test::lines_of(lint_model(spec, options)), "");
}

}  // namespace
}  // namespace fathom::exchange::lint_target_test
