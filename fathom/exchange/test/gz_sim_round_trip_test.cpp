#include "fathom/exchange/internal/drag_at_origin.hpp"
#include "fathom/exchange/test/round_trip.hpp"

namespace fathom::exchange::gz_sim_round_trip_test {
namespace {

using test::expect_same;
using test::many_robots;
using test::text_of;

Imported there_and_back(const model::Robot& robot, const std::string& file = "model.sdf") {
  return parse_model(text_of(export_robot(robot, Format::gz_sim), file), file);
}

void expect_same_hull(const model::Robot& robot, const model::Hull& back) {
  const model::Hull& hull = robot.hull();
  const double length = std::cbrt(hull.volume.value) + hull.centre_of_mass.value.norm();
  EXPECT_NEAR(back.mass.value, hull.mass.value, 1e-12 * hull.mass.value);
  expect_same(back.centre_of_mass.value, hull.centre_of_mass.value, "centre of mass", length);
  expect_same(back.inertia.value, hull.inertia.value, "inertia");
  EXPECT_NEAR(back.volume.value, hull.volume.value, 1e-12 * hull.volume.value);
  EXPECT_EQ(back.centre_of_buoyancy.value, hull.centre_of_buoyancy.value);
  EXPECT_EQ(back.added_mass.value, hull.added_mass.value);  // signs alone change: the same bits
  if (robot.thrusters().empty()) {
    EXPECT_EQ(back.mass.value, hull.mass.value);
    EXPECT_EQ(back.centre_of_mass.value, hull.centre_of_mass.value);
    const Mat3 upper = hull.inertia.value.triangularView<Eigen::Upper>();  // SDF holds one half
    EXPECT_EQ(Mat3(back.inertia.value.triangularView<Eigen::Upper>()), upper);
  }
}

TEST(GzSimRoundTrip, GivesTheSameHullDragAndThrusters) {
  for (const model::Robot& robot : many_robots()) {
    SCOPED_TRACE(robot.name());
    const Imported back = there_and_back(robot);
    EXPECT_EQ(back.format, Format::gz_sim);
    EXPECT_EQ(back.spec.name, robot.name());
    expect_same_hull(robot, back.spec.hull);
    ASSERT_EQ(back.spec.damping.size(), 1u);
    const internal::DragAtOrigin drag = internal::drag_at_origin(robot);
    EXPECT_EQ(back.spec.damping[0].linear.value, drag.linear);
    for (std::size_t j = 0; j < 6; ++j)
      EXPECT_EQ(back.spec.damping[0].quadratic.value.by_speed[j], drag.quadratic.by_speed[j]);
    ASSERT_EQ(back.spec.thrusters.size(), robot.thrusters().size());
    for (std::size_t k = 0; k < robot.thrusters().size(); ++k) {
      EXPECT_EQ(back.spec.thrusters[k].position_b.value, robot.thrusters()[k].position_b.value);
      EXPECT_EQ(back.spec.thrusters[k].direction_b.value, robot.thrusters()[k].axis_b());
      if (robot.thrusters()[k].force) {
        EXPECT_EQ(back.spec.thrusters[k].force->value, robot.thrusters()[k].force->value);
      }
    }
  }
}

TEST(GzSimRoundTrip, TheWorldHoldsTheSameModelWithWaterAndWeight) {
  const ExportOptions sea{model::Environment(1025, 9.79)};
  for (const model::Robot& robot : model::test::all_robots()) {
    SCOPED_TRACE(robot.name());
    const Exported exported = export_robot(robot, Format::gz_sim, sea);
    const Imported world = parse_model(text_of(exported, "world.sdf"), "world.sdf");
    EXPECT_EQ(world.density, 1025);
    EXPECT_EQ(world.gravity, 9.79);
    expect_same_hull(robot, world.spec.hull);
    EXPECT_EQ(world.spec.thrusters.size(), robot.thrusters().size());
  }
}

TEST(GzSimRoundTrip, WhatComesBackIsARobotOfEveryRobotThatShips) {
  for (const model::Robot& robot : model::test::all_robots()) {
    SCOPED_TRACE(robot.name());
    EXPECT_NO_THROW(model::Robot::make(there_and_back(robot).spec));
  }
}

TEST(GzSimRoundTrip, EveryNumberHasAPlace) {
  const Imported back = there_and_back(model::test::small_robot());
  const auto line = [&](const std::string& key, const std::string& tag) {
    ASSERT_TRUE(back.places.contains(key)) << key;
    EXPECT_EQ(back.places.at(key).tag, tag);
    EXPECT_EQ(back.places.at(key).file, "model.sdf");
    EXPECT_GT(back.places.at(key).line, 1);
  };
  line("hull.mass", "mass");
  line("hull.centre_of_mass", "pose");
  line("hull.inertia[2][2]", "izz");
  line("hull.added_mass[0][0]", "xx");
  line("hull.added_mass[5][3]", "pr");
  line("damping[0].linear[3][3]", "kP");
  line("damping[0].quadratic.w[2][2]", "zWabsW");
  line("hull.volume", "geometry");
  EXPECT_EQ(back.spec.hull.mass.source, "model.sdf:7 <mass>");
}

/// Linear drag anywhere, and quadratic drag of turning, are exact at the origin; docs/model.md eq. 11.
TEST(DragAtOrigin, IsExactWhereItSaysNothing) {
  RandomStream random(2, "drag");
  int exact = 0, lost = 0;
  for (int n = 0; n < 60; ++n) {
    model::RobotSpec spec = model::test::random_spec(random);
    spec.damping = {model::test::random_element("fin", random)};
    model::DragElement& fin = spec.damping[0];
    if (n % 3 == 0) {  // a fin that is not turned, with drag of its rates alone
      fin.attitude_rpy.value.setZero();
      for (std::size_t j = 0; j < 3; ++j) fin.quadratic.value.by_speed[j].setZero();
    }
    if (n % 3 == 1) fin.position_b.value.setZero(), fin.attitude_rpy.value.setZero();
    const internal::DragAtOrigin drag = internal::drag_at_origin(model::Robot::make(spec));
    (drag.losses.empty() ? exact : lost) += 1;
    if (!drag.losses.empty()) continue;
    const Mat6 H = twist_transform(fin.pose());
    const Vec6 nu = model::test::random_matrix<Vec6>(random), own = H * nu;
    Mat6 D = fin.linear.value, at_origin = drag.linear;
    for (Eigen::Index j = 0; j < 6; ++j) {
      D += std::abs(own[j]) * fin.quadratic.value.by_speed[static_cast<std::size_t>(j)];
      at_origin += std::abs(nu[j]) * drag.quadratic.by_speed[static_cast<std::size_t>(j)];
    }
    expect_same(at_origin * nu, H.transpose() * (D * own), "force");
  }
  EXPECT_GE(exact, 40);
  EXPECT_GE(lost, 10);
}

}  // namespace
}  // namespace fathom::exchange::gz_sim_round_trip_test
