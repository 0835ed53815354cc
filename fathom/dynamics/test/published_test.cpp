// Numbers that follow from published coefficients by hand.
#include <gtest/gtest.h>

#include "fathom/dynamics/vehicle.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::dynamics::published_test {
namespace {

Vehicle load(const std::string& name, const model::Environment& environment) {
  return Vehicle(model::read_robot(std::string(FATHOM_ROBOTS_DIR) + "/" + name + ".yaml"), environment);
}

TEST(RexRov, Needs8979NewtonsFor03MetresPerSecond) {
  const model::Environment sea(1028);
  const Vehicle vehicle = load("rexrov", sea);
  State state;
  state.nu_b[0] = 0.3;
  const Vec6 tau = inverse_dynamics(vehicle, state, Vec6::Zero());
  EXPECT_NEAR(tau[0], 74.82 * 0.3 + 748.22 * 0.09, 1e-9);
  EXPECT_NEAR(tau[0], 89.79, 0.005);
}

TEST(RexRov, Weighs1827475AndFloatsWith1853826Newtons) {
  const Vehicle vehicle = load("rexrov", model::Environment(1028));
  // Published: W 18274.75 N, B 18538.26 N. The hull is level at rest, so the net force is along z.
  EXPECT_NEAR(restoring(vehicle, Quat::Identity())[2], -(18274.75 - 18538.26), 0.02);
}

TEST(BlueRov2Heavy, ReachesTheSpeedAtWhichDragEqualsThrust) {
  const Vehicle vehicle = load("bluerov2-heavy", model::Environment());
  State state;
  state.nu_b[0] = 1;
  EXPECT_NEAR(inverse_dynamics(vehicle, state, Vec6::Zero())[0], 13.7 + 141, 1e-12);
}

TEST(BlueRov2Heavy, HasThrustersThatReachEveryDirection) {
  const Vehicle vehicle = load("bluerov2-heavy", model::Environment());
  ASSERT_EQ(vehicle.allocation().cols(), 8);
  EXPECT_EQ(Eigen::FullPivLU<Eigen::MatrixXd>(vehicle.allocation()).rank(), 6);
  const double forces[8] = {1, 1, -1, -1, 0, 0, 0, 0};  // the after pair points astern: surge alone
  const Vec6 tau = thruster_wrench(vehicle, forces);
  EXPECT_NEAR(tau[0], 4 / std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(tau.cwiseAbs()[1] + tau.cwiseAbs()[5], 0, 1e-12);
}

}  // namespace
}  // namespace fathom::dynamics::published_test
