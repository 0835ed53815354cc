#include "fathom/dynamics/reach.hpp"

#include <gtest/gtest.h>

#include "fathom/assembly/test/cubes.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::assembly::reach_test {
namespace {

using dynamics::hardest_push;
using dynamics::Reach;
using dynamics::reach_of;
using test::cube_robot;

const model::Environment fresh;

std::size_t unreachable(const Reach& reach) {
  return static_cast<std::size_t>(std::count(reach.unreachable.begin(), reach.unreachable.end(), true));
}

TEST(Reach, OfACubeIsThatOfItsThrusters) {
  const model::Robot cube = cube_robot({.has_thrusters = true});
  const Reach reach = reach_of(cube, fresh);
  EXPECT_EQ(reach.rank, 6);
  EXPECT_EQ(unreachable(reach), 0u);
  ASSERT_TRUE(reach.alone);
  EXPECT_NEAR((*reach.alone)[0].max, 100, 1e-9);
  EXPECT_NEAR((*reach.alone)[0].min, -80, 1e-9);
  EXPECT_NEAR((*reach.alone)[1].max, 50, 1e-9);
  EXPECT_NEAR((*reach.alone)[5].max, 0.1 * 40 + 0.1 * 40, 1e-9);  // X stays zero: 40 N against 40 N
}

TEST(Reach, WithoutOneOfTwoSurgeThrustersNeitherSurgeNorYawGoAlone) {
  const model::Robot cube = cube_robot({.has_thrusters = true});
  const std::vector<std::size_t> failed = {1};
  const Reach reach = reach_of(cube, fresh, failed);
  EXPECT_EQ(reach.rank, 5);
  EXPECT_EQ(unreachable(reach), 2u);
  EXPECT_TRUE(reach.unreachable[0]);
  EXPECT_TRUE(reach.unreachable[5]);
  EXPECT_FALSE(hardest_push(cube, fresh, 0, failed));
  EXPECT_TRUE(hardest_push(cube, fresh, 1, failed));
}

TEST(Reach, WithoutThrustersIsNothing) {
  const Reach none = reach_of(cube_robot(), fresh);
  EXPECT_EQ(none.rank, 0);
  EXPECT_EQ(unreachable(none), 6u);
  EXPECT_FALSE(none.alone);
  EXPECT_FALSE(hardest_push(cube_robot(), fresh, 0));
  const std::vector<std::size_t> all = {0, 1, 2, 3, 4, 5};
  EXPECT_EQ(reach_of(cube_robot({.has_thrusters = true}), fresh, all).rank, 0);
}

TEST(Reach, KnowsWhichAxesWhereForcesAreNotKnown) {
  model::RobotSpec spec = cube_robot({.has_thrusters = true}).spec();
  for (model::Thruster& thruster : spec.thrusters) thruster.force.reset();
  const model::Robot unknown = model::Robot::make(spec);
  const Reach reach = reach_of(unknown, fresh);
  EXPECT_EQ(reach.rank, 6);
  EXPECT_EQ(unreachable(reach), 0u);
  EXPECT_FALSE(reach.alone);
  EXPECT_FALSE(hardest_push(unknown, fresh, 0));
}

/// The linear program of the attainable wrench and the allocator are two ways to the same number.
TEST(Reach, HardestPushIsWhatTheAxisAttainsAlone) {
  for (const model::Robot& robot : model::test::all_robots()) {
    const Reach reach = reach_of(robot, fresh);
    for (int axis = 0; axis < 6; ++axis) {
      const auto i = static_cast<std::size_t>(axis);
      const auto forces = hardest_push(robot, fresh, axis);
      EXPECT_EQ(forces.has_value(), reach.alone && !reach.unreachable[i]) << robot.name() << " " << axis;
      if (!forces) continue;
      const Vec6 wrench = model::allocation_matrix(robot) *
                          Eigen::Map<const Eigen::VectorXd>(forces->data(), std::ssize(*forces));
      const double most = (*reach.alone)[i].max;
      EXPECT_NEAR(wrench[axis], most, 1e-7 * (1 + most)) << robot.name() << " " << axis;
      EXPECT_LT((wrench - wrench[axis] * Vec6::Unit(axis)).norm(), 1e-7 * (1 + most))
          << robot.name() << " " << axis;
    }
  }
}

}  // namespace
}  // namespace fathom::assembly::reach_test
