#include "fathom/identify/vehicle/thruster_lag.hpp"

#include <gtest/gtest.h>

#include "fathom/identify/vehicle/test/recording_logs.hpp"

namespace fathom::identify::thruster_lag_test {
namespace {

using model::ActsOn;
using test::heavy;

model::Robot with_state(const model::Robot& robot) {
  model::RobotSpec spec = robot.spec();
  spec.sensors.clear();
  return model::Robot::make(std::move(spec));
}

Recording recorded(const model::Robot& robot, const test::Swim& swum) {
  RecordingOptions options;
  options.sensors = {"state"};
  return make_recording(swum.log, "swim", robot, model::Environment(), options);
}

/// The wrench that a recording has by the robot's own transient comes again from the commands that it keeps.
TEST(ThrusterLag, MakesTheWrenchThatTheLogWasReadWith) {
  for (const ActsOn acts_on : {ActsOn::force, ActsOn::shaft}) {
    const ThrusterLag lag{0.17, acts_on};
    const model::Robot robot = robot_with_lag(with_state(heavy()), lag);
    const Recording recording = recorded(robot, test::swim(robot, 6, 0.005));
    ASSERT_EQ(recording.commands.of, CommandRecord::Of::thrusters);
    const Mat6X again = LaggedWrench(robot, model::Environment(), lag).wrench_b(recording);
    const double scale = recording.tau_b.cwiseAbs().maxCoeff();
    ASSERT_GT(scale, 5);
    EXPECT_LT((again - recording.tau_b).cwiseAbs().maxCoeff(), 1e-4 * scale) << name_of(acts_on);
  }
}

TEST(ThrusterLag, AnotherLagIsThatOfARobotThatHasIt) {
  const model::Robot swimmer = with_state(heavy());
  const test::Swim swum = test::swim(swimmer, 5, 0.005);
  std::vector<Recording> recordings = {recorded(swimmer, swum)};
  const ThrusterLag lag{0.08, ActsOn::shaft};
  const Recording expected = recorded(robot_with_lag(swimmer, lag), swum);
  set_lag(recordings, swimmer, model::Environment(), lag);
  const double scale = expected.tau_b.cwiseAbs().maxCoeff();
  EXPECT_LT((recordings[0].tau_b - expected.tau_b).cwiseAbs().maxCoeff(), 1e-3 * scale);
}

TEST(ThrusterLag, IsWhatTheFileSays) {
  const model::Robot robot = robot_with_lag(with_state(heavy()), {0.12, ActsOn::shaft}, 0.01);
  Recording recording;
  recording.commands.of = CommandRecord::Of::thrusters;
  const auto stated = stated_lag(robot, std::span(&recording, 1));
  ASSERT_TRUE(stated);
  EXPECT_DOUBLE_EQ(*stated->time_constant, 0.12);
  EXPECT_DOUBLE_EQ(*stated->sigma, 0.01);
  EXPECT_EQ(stated->acts_on, ActsOn::shaft);
  recording.commands.of = CommandRecord::Of::none;
  EXPECT_FALSE(stated_lag(robot, std::span(&recording, 1)));
}

}  // namespace
}  // namespace fathom::identify::thruster_lag_test
