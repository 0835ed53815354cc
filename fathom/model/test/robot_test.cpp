#include "fathom/model/robot.hpp"

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/model/test/random_robot.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::robot_test {
namespace {

using fathom::test::distance;

TEST(Robot, IsNotMadeOfWhatNatureForbids) {
  RobotSpec spec = test::small_robot().spec();
  spec.hull.mass.value = -1;
  EXPECT_THROW(Robot::make(spec), InputError);
  EXPECT_EQ(Robot::make_unchecked(spec).hull().mass.value, -1) << "the way round the checks";
}

TEST(RigidBodyInertia, IsTheKineticEnergyOfPointMasses) {
  // A body of point masses: its energy 1/2 nu' M nu must be the sum of 1/2 m |v + omega x r|^2.
  RandomStream random(1, "point masses");
  std::vector<std::pair<double, Vec3>> points;
  for (int k = 0; k < 10; ++k) points.emplace_back(random.uniform(0.5, 2), test::random_matrix<Vec3>(random));
  Hull hull;
  Vec3 moment = Vec3::Zero();
  for (const auto& [m, r] : points) {
    hull.mass.value += m;
    moment += m * r;
  }
  hull.centre_of_mass.value = moment / hull.mass.value;
  hull.inertia.value.setZero();
  for (const auto& [m, r] : points) {
    const Vec3 d = r - hull.centre_of_mass.value;
    hull.inertia.value += m * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
  }
  const Mat6 M = rigid_body_inertia(hull);
  for (int k = 0; k < 20; ++k) {
    const Vec6 nu = test::random_matrix<Vec6>(random);
    double energy = 0;
    for (const auto& [m, r] : points) energy += 0.5 * m * (nu.head<3>() + nu.tail<3>().cross(r)).squaredNorm();
    EXPECT_NEAR(0.5 * nu.dot(M * nu), energy, 1e-12 * energy);
  }
  EXPECT_LT(distance(M, M.transpose()), 1e-13);
}

TEST(AllocationMatrix, HasForceAndMomentOfEachThrusterInItsColumn) {
  const Robot robot = parse_robot(test::small_file() +
                                      "thrusters:\n"
                                      "  - {name: a, position: [1, 2, 3], direction: [0, 0, -5]}\n"
                                      "  - {name: b, position: [0, -0.5, 0], direction: [3, 4, 0]}\n",
                                  "f");
  Mat6X expected(6, 2);
  expected.col(0) << 0, 0, -1, -2, 1, 0;
  expected.col(1) << 0.6, 0.8, 0, 0, 0, 0.3;
  EXPECT_LT(distance(allocation_matrix(robot), expected), 1e-15);
}

TEST(AllocationMatrix, OfARobotWithoutThrustersHasNoColumns) {
  EXPECT_EQ(allocation_matrix(test::small_robot()).cols(), 0);
}

TEST(DragElement, KnowsWhetherItStandsAtTheOrigin) {
  DragElement element;
  EXPECT_TRUE(element.at_origin());
  element.position_b.value.y() = 1e-300;
  EXPECT_FALSE(element.at_origin());
  element.position_b.value.setZero();
  element.attitude_rpy.value.z() = 1e-300;
  EXPECT_FALSE(element.at_origin());
}

TEST(DragElement, HasAPoseThatTurnsItsAxesIntoTheBody) {
  DragElement element;
  element.position_b.value = Vec3(1, 2, 3);
  element.attitude_rpy.value = Vec3(0.1, 0.2, 0.3);
  EXPECT_EQ(element.pose().p_pc_p, Vec3(1, 2, 3));
  EXPECT_LT(distance(element.pose().q_pc, quaternion_from_euler({0.1, 0.2, 0.3})), 1e-15);
}

TEST(SensorKinds, HaveChannelsWithUnits) {
  for (const SensorKind kind : sensor_kinds) {
    EXPECT_FALSE(noise_channels(kind).empty()) << name_of(kind);
    for (const NoiseChannel& channel : noise_channels(kind))
      EXPECT_FALSE(channel.unit.empty()) << name_of(kind) << " " << channel.name;
  }
  EXPECT_EQ(noise_channels(SensorKind::imu)[1].unit, "rad/s");
}

TEST(SensorKinds, AreFoundByTheirWords) {
  EXPECT_EQ(sensor_kind_of("usbl"), SensorKind::usbl);
  EXPECT_EQ(sensor_kind_of("thruster_rate"), SensorKind::thruster_rate);
  EXPECT_EQ(sensor_kind_of("sonar"), std::nullopt);
  for (std::size_t k = 0; k < sensor_kinds.size(); ++k) {
    EXPECT_EQ(static_cast<std::size_t>(sensor_kinds[k]), k);
    EXPECT_EQ(sensor_kind_of(name_of(sensor_kinds[k])), sensor_kinds[k]);
  }
}

}  // namespace
}  // namespace fathom::model::robot_test
