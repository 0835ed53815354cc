#include "fathom/assembly/cluster_survey.hpp"

#include <gtest/gtest.h>

#include "fathom/assembly/test/cubes.hpp"
#include "fathom/base/constants.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/geometry/test/random_geometry.hpp"

namespace fathom::assembly::cluster_survey_test {
namespace {

using fathom::test::distance;
using test::Cube;

const model::Environment fresh;
const Cube thrusting{.has_thrusters = true};

/// Side by side: thrusters ahead at -0.3, -0.1, 0.1 and 0.3 m from the middle.
Assembly parallel_map() { return Assembly::make(test::cube_pair(thrusting, thrusting, "starboard", "port")); }

const LoadCase* find(const ClusterSurvey& survey, const std::string& name) {
  for (const LoadCase& one : survey.cases)
    if (one.name == name) return &one;
  return nullptr;
}

TEST(ClusterSurvey, OfTwoCubesIsToldByHand) {
  const ClusterSurvey survey = assembly::survey(parallel_map(), 0, fresh);
  EXPECT_EQ(survey.modules.size(), 2u);
  EXPECT_EQ(survey.couplings.size(), 1u);
  EXPECT_EQ(survey.loops, 0u);
  EXPECT_FALSE(survey.in_loop[0]);
  EXPECT_NEAR(survey.M(0, 0), 24, 1e-12);
  EXPECT_NEAR(survey.M(5, 5), 2 * (0.4 + 12 * 0.04), 1e-12);  // 0.2 m to either side
  EXPECT_NEAR(survey.reach.alone->at(0).max, 200, 1e-9);
  EXPECT_FALSE(survey.reach_after);
  // Each module pushes itself: nothing goes through the coupling.
  const LoadCase* surge = find(survey, "full surge");
  ASSERT_TRUE(surge);
  EXPECT_NEAR(surge->acceleration_b[0], 200.0 / 24, 1e-9);
  EXPECT_LT(surge->loads[0].norm(), 1e-9);
  EXPECT_EQ(find(survey, "push"), nullptr);
  EXPECT_EQ(find(survey, "posed"), nullptr);
}

TEST(ClusterSurvey, LeavesFailedThrustersOut) {
  SurveyOptions options;
  options.failed = {"A-port"};
  const ClusterSurvey survey = assembly::survey(parallel_map(), 0, fresh, options);
  ASSERT_TRUE(survey.reach_after);
  EXPECT_EQ(survey.failed, std::vector<std::string>{"A-port"});
  EXPECT_EQ(survey.reach_after->rank, 6);
  // The two at -0.1 and 0.1 m give 50 N each; the one at 0.3 m would turn the pair.
  EXPECT_NEAR(survey.reach_after->alone->at(0).max, 100, 1e-9);
  const LoadCase* surge = find(survey, "full surge");
  ASSERT_TRUE(surge);
  // Of A its starboard one: it would turn A by -5 N m, which the coupling takes up.
  Vec6 load = Vec6::Zero();
  load[5] = 5;
  EXPECT_LT(distance(surge->loads[0], load), 1e-8);
}

TEST(ClusterSurvey, TellsPushAndPose) {
  SurveyOptions options;
  options.pushes = {{1, 6 * Vec6::Unit(1)}, {1, 6 * Vec6::Unit(1)}};  // they add up
  options.attitude = quaternion_from_euler({std::numbers::pi / 2, 0, 0});
  const Cube heavy{.mass = 11, .volume = 0.01}, light{.mass = 10, .volume = 0.011};
  const Assembly pair = Assembly::make(test::cube_pair(heavy, light, "starboard", "port"));
  const ClusterSurvey survey = assembly::survey(pair, 0, fresh, options);
  const LoadCase *push = find(survey, "push"), *posed = find(survey, "posed");
  ASSERT_TRUE(push && posed);
  // B, to starboard, is pushed to starboard by 12 N: 13 of 25 kg are behind the coupling.
  EXPECT_NEAR(push->loads[0][0], 12 * 13.0 / 25, 1e-12);
  EXPECT_FALSE(push->has_weight);
  // Rolled to starboard, light B is below and presses up against heavy A.
  EXPECT_NEAR(posed->loads[0][0], -9.81, 1e-9);
  EXPECT_TRUE(posed->has_weight);
  // At rest it is the other way up.
  const LoadCase* rest = find(survey, "at rest");
  ASSERT_TRUE(rest);
  EXPECT_NEAR(degrees * euler_from_quaternion(survey.equilibrium.q_nb).x(), -90, 1e-9);
  EXPECT_NEAR(rest->loads[0][0], 9.81, 1e-9);
}

TEST(ClusterSurvey, MarksLoops) {
  const ClusterSurvey survey = assembly::survey(Assembly::make(test::cube_ring(thrusting)), 0, fresh);
  EXPECT_EQ(survey.loops, 1u);
  EXPECT_EQ(std::count(survey.in_loop.begin(), survey.in_loop.end(), true), 4);
  EXPECT_EQ(survey.merged.robot.thrusters().size(), 24u);
}

}  // namespace
}  // namespace fathom::assembly::cluster_survey_test
