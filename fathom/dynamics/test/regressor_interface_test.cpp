// One law over all robots: Y theta through the interface is inverse dynamics, for vehicles, arms and vehicles
// with arms.
#include <filesystem>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/dynamics/test/arms.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/dynamics/vehicle_with_arms_regressor.hpp"
#include "fathom/model_file/arm_file.hpp"

namespace fathom::dynamics::regressor_interface_test {
namespace {

using test::random_vec3;
using test::random_vec6;

constexpr ArmColumns all_of_links{.buoyancy = true, .added_mass = true, .drag = true};
const model::Environment water;

MotionBatch random_batch(std::size_t joints, Eigen::Index samples, RandomStream& random) {
  const auto numbers = [&] {
    Eigen::MatrixXd x(static_cast<Eigen::Index>(joints), samples);
    for (double& number : x.reshaped()) number = random.normal();
    return x;
  };
  MotionBatch batch;
  for (Eigen::Index k = 0; k < samples; ++k)
    batch.base.push_back({random_vec6(random), random_vec6(random), random_vec3(random).normalized()});
  batch.q = numbers(), batch.dq = numbers(), batch.ddq = numbers();
  return batch;
}

std::span<const double> column(const Eigen::MatrixXd& all, Eigen::Index k) {
  return {all.col(k).data(), static_cast<std::size_t>(all.rows())};
}

std::vector<model::Arm> every_arm() {
  std::vector<model::Arm> arms = test::random_arms();
  for (const auto& file : std::filesystem::directory_iterator(FATHOM_ROBOTS_DIR "/../arms"))
    if (file.path().extension() == ".yaml") arms.push_back(model::read_arm(file.path()));
  return arms;
}

/// Y theta of a batch against `expected`, which gives the rows of one sample.
template <class Expected>
void expect_law(const Regressor& regressor, const Expected& expected) {
  RandomStream random(1, "regressor law");
  const MotionBatch batch = random_batch(regressor.joints(), 7, random);
  const Eigen::VectorXd tau = regressor.at(batch) * regressor.parameters().values();
  for (Eigen::Index k = 0; k < batch.samples(); ++k) {
    const Eigen::VectorXd own = expected(batch, k);
    ASSERT_EQ(own.size(), regressor.row_count());
    EXPECT_LT((tau.segment(k * own.size(), own.size()) - own).norm(), 1e-9 * (1 + own.norm()));
  }
}

/// Names are unique and every column has unit and group.
void expect_named(const Regressor& regressor) {
  for (std::size_t k = 0; k < regressor.parameters().size(); ++k) {
    const model::Parameter& parameter = regressor.parameters()[k];
    EXPECT_EQ(regressor.parameters().find(parameter.name), k) << parameter.name;
    EXPECT_FALSE(parameter.unit.empty() || parameter.group.empty()) << parameter.name;
  }
}

class EveryRobotsRegressor : public testing::TestWithParam<test::NamedRobot> {};

TEST_P(EveryRobotsRegressor, TimesParametersIsInverseDynamicsOfTheVehicle) {
  const model::Robot robot = test::without_displaced_quadratic_drag(GetParam().robot);
  const VehicleRegressor regressor(model::full_structure(), robot, water);
  expect_named(regressor);
  ASSERT_TRUE(regressor.left_out().empty()) << regressor.left_out().front();
  const Vehicle vehicle(robot, water);
  expect_law(regressor, [&](const MotionBatch& batch, Eigen::Index k) {
    return Eigen::VectorXd(inverse_dynamics(vehicle, batch.base[static_cast<std::size_t>(k)]));
  });
}

TEST_P(EveryRobotsRegressor, TimesParametersIsInverseDynamicsOfTheVehicleWithArms) {
  const model::Robot vehicle = test::without_displaced_quadratic_drag(GetParam().robot);
  model::VehicleWithArms whole{"whole", "", "", vehicle, "", {}};
  RandomStream random(2, "mounts");
  for (const char* name : {"left", "right"}) {
    const std::size_t joints = 2 + whole.arms.size();
    model::MountedArm arm{name, test::random_arm(random.next(), {.joints = joints, .full_drag = false})};
    arm.position_b.value = random_vec3(random, 0.5);
    arm.attitude_rpy.value = random_vec3(random, 1);
    whole.arms.push_back(std::move(arm));
  }
  const VehicleWithArmsRegressor regressor(whole, water, model::full_structure(), all_of_links);
  expect_named(regressor);
  EXPECT_EQ(regressor.row_count(), 6 + 2 + 3);
  EXPECT_EQ(regressor.parameters()[regressor.parameters().find("right.l0.m").value()].group, "link.3.inertia");
  ASSERT_TRUE(regressor.left_out().empty()) << regressor.left_out().front();
  const VehicleWithArms robot(whole, water);
  VehicleWithArmsWorkspace workspace(robot);
  expect_law(regressor, [&](const MotionBatch& batch, Eigen::Index k) {
    Vec6 wrench;
    std::vector<double> efforts(robot.joints());
    inverse_dynamics(robot, batch.base[static_cast<std::size_t>(k)], column(batch.q, k), column(batch.dq, k),
                     column(batch.ddq, k), workspace, wrench, efforts);
    Eigen::VectorXd tau(regressor.row_count());
    tau << wrench, Eigen::Map<const Eigen::VectorXd>(efforts.data(), static_cast<Eigen::Index>(efforts.size()));
    return tau;
  });
}

INSTANTIATE_TEST_SUITE_P(Robots, EveryRobotsRegressor, testing::ValuesIn(test::all_robots()), test::case_name);

TEST(RegressorInterface, TimesParametersIsInverseDynamicsOfEveryArm) {
  for (const model::Arm& given : every_arm()) {
    SCOPED_TRACE(given.name());
    const ArmRegressor regressor(given, water, all_of_links, {.base_wrench = true});
    expect_named(regressor);
    const Arm arm(regressor.nominal(), water);
    ArmWorkspace workspace(arm);
    expect_law(regressor, [&](const MotionBatch& batch, Eigen::Index k) {
      std::vector<double> efforts(arm.size());
      Vec6 wrench;
      inverse_dynamics(arm, batch.base[static_cast<std::size_t>(k)], column(batch.q, k), column(batch.dq, k),
                       column(batch.ddq, k), workspace, efforts, &wrench);
      Eigen::VectorXd tau(regressor.row_count());
      tau << Eigen::Map<const Eigen::VectorXd>(efforts.data(), static_cast<Eigen::Index>(efforts.size())),
          wrench;
      return tau;
    });
  }
}

TEST(RegressorInterface, OneMotionOfTheBaseHoldsForAllSamples) {
  const ArmRegressor regressor(test::random_arm(3), water, all_of_links);
  RandomStream random(3, "one base");
  MotionBatch batch = random_batch(regressor.joints(), 4, random);
  batch.base.resize(1);
  const Eigen::MatrixXd short_form = regressor.at(batch);
  batch.base.resize(4, batch.base.front());
  EXPECT_EQ(short_form, regressor.at(batch));
}

TEST(RegressorInterface, RefusesSizesThatDoNotFit) {
  const ArmRegressor regressor(test::random_arm(1, {.joints = 2}), water, all_of_links);
  RandomStream random(4, "sizes");
  MotionBatch batch = random_batch(2, 3, random);
  Eigen::MatrixXd Y(5, regressor.columns());
  EXPECT_NE(fathom::test::error_text([&] { regressor.fill(batch, Y); }).find("Y"), std::string::npos);
  batch.dq.conservativeResize(2, 2);
  EXPECT_NE(
      fathom::test::error_text([&] { regressor.at(batch); }).find("joint motions of 2 x 2, must be 2 x 3"),
      std::string::npos);
  batch = random_batch(2, 3, random);
  batch.base.resize(2);
  EXPECT_NE(fathom::test::error_text([&] { regressor.at(batch); }).find("2 motions of the base for 3 samples"),
            std::string::npos);
}

}  // namespace
}  // namespace fathom::dynamics::regressor_interface_test
