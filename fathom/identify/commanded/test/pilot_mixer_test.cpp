#include "fathom/identify/commanded/pilot_mixer.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::identify::pilot_mixer_test {
namespace {

using fathom::test::error_text;

model::Robot heavy() { return model::read_robot(std::string(FATHOM_ROBOTS_DIR) + "/bluerov2-heavy.yaml"); }

/// The T200's map in that file.
double t200(double command) {
  const double forward[] = {19.77056126, 101.10998834, -217.18937724, 292.37142247, -140.58789704};
  const double reverse[] = {16.75420057, -75.38144649, -171.70187254, -245.44718719, -123.71620419};
  const double x = command > 0 ? std::max(command - 0.07, 0.0) : std::min(command + 0.07, 0.0);
  double force = 0;
  for (int k = 0; k < 5; ++k) force += (command > 0 ? forward : reverse)[k] * std::pow(x, k + 1);
  return force;
}

Mat6X one(const Vec6& axes) { return axes; }

TEST(PilotMixer, PushesAheadWithFourThrusters) {
  const Mat6X tau_b = PilotMixer(heavy()).wrenches_b(one(0.25 * Vec6::Unit(0)));
  // Two pull forward, two push in reverse, all at 45 degrees.
  const double X = std::sqrt(2) * (t200(0.25) - t200(-0.25));
  EXPECT_NEAR(tau_b(0, 0), X, 1e-9);
  EXPECT_NEAR(tau_b(4, 0), 0.085 * X, 1e-9);  // they lie below the origin
  for (const int i : {1, 2, 3, 5}) EXPECT_NEAR(tau_b(i, 0), 0, 1e-9) << i;
}

TEST(PilotMixer, HeavesAlikeUpAndDown) {
  const PilotMixer mixer(heavy());
  const Mat6X down = mixer.wrenches_b(one(0.5 * Vec6::Unit(2))),
              up = mixer.wrenches_b(one(-0.5 * Vec6::Unit(2)));
  EXPECT_NEAR(down(2, 0), 2 * (t200(0.5) - t200(-0.5)), 1e-9);
  EXPECT_NEAR(up(2, 0), -down(2, 0), 1e-9);
}

TEST(PilotMixer, EveryAxisPushesItsOwnWay) {
  const PilotMixer mixer(heavy());
  for (int i = 0; i < 6; ++i) EXPECT_GT(mixer.wrenches_b(one(0.5 * Vec6::Unit(i)))(i, 0), 1) << i;
}

TEST(PilotMixer, ASampleHalfWayIsAStepResampled) {
  Mat6X axes = Mat6X::Zero(6, 6);
  axes.row(0) << 0, 0, 0.25, 0.5, 0.5, 0.4;
  const Mat6X tau_b = PilotMixer(heavy()).wrenches_b(axes);
  EXPECT_DOUBLE_EQ(tau_b(0, 2), 0.5 * tau_b(0, 3));  // half of the force, not the force of half the command
  EXPECT_NEAR(tau_b(0, 5), std::sqrt(2) * (t200(0.4) - t200(-0.4)), 1e-9);
}

TEST(PilotMixer, RefusesThrustersOfAnotherKind) {
  model::RobotSpec spec = heavy().spec();
  spec.thrusters[0].map.reset();
  EXPECT_NE(error_text([&] {
              PilotMixer(model::Robot::make_unchecked(spec));
            }).find("takes no commands from -1 to 1"),
            std::string::npos);
  spec = heavy().spec();
  spec.thrusters[0].direction_b.value = Vec3(1, 0, 1);
  EXPECT_NE(
      error_text([&] { PilotMixer(model::Robot::make_unchecked(spec)); }).find("neither level nor upright"),
      std::string::npos);
}

}  // namespace
}  // namespace fathom::identify::pilot_mixer_test
