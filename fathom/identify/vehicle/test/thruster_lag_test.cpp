#include "fathom/identify/vehicle/thruster_lag.hpp"

#include <cmath>

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

/// The mean force of each sample, by steps of a hundred microseconds.
Mat6X in_small_steps(const model::Robot& robot, const Recording& recording, double lag) {
  constexpr int parts = 200;
  const model::ThrusterMap& map = *robot.thrusters().front().map;
  const Mat6X B = model::allocation_matrix(robot);
  const CommandRecord& commands = recording.commands;
  const double step = recording.track.dt / parts, kept = std::exp(-step / lag);
  Mat6X out = Mat6X::Zero(6, recording.size());
  Eigen::VectorXd state = Eigen::VectorXd::Zero(B.cols()), force = state;
  std::size_t row = 0;
  for (Eigen::Index k = 0; k < recording.size(); ++k)
    for (int i = 0; i < parts; ++i) {
      const double t = recording.track.t(k) + (i + 0.5 - parts / 2) * step;
      while (row + 1 < commands.t.size() && commands.t[row + 1] <= t) ++row;
      for (Eigen::Index u = 0; u < B.cols(); ++u) {
        const double target = static_cast<double>(commands.row(row)[static_cast<std::size_t>(u)]);
        force[u] = model::force_of_command(map, target + std::sqrt(kept) * (state[u] - target), 16);
        state[u] = target + kept * (state[u] - target);
      }
      out.col(k) += B * force / parts;
    }
  return out;
}

/// A dead band's edge is a corner that two points of an interval do not see: that cost 5e-4 of the wrench.
TEST(ThrusterLag, IsExactAboutTheCornersOfAMap) {
  const model::Robot robot = with_state(heavy());
  for (const double lag : {0.02, 0.17}) {
    const Recording recording = recorded(robot, test::swim(robot, 6, 0.005));
    const Mat6X expected = in_small_steps(robot, recording, lag);
    const Mat6X found = LaggedWrench(robot, model::Environment(), {lag, ActsOn::shaft}).wrench_b(recording);
    // Commands begin before the track, which is forgotten by the middle.
    EXPECT_LT((found - expected).rightCols(recording.size() / 2).cwiseAbs().maxCoeff(),
              5e-5 * expected.cwiseAbs().maxCoeff())
        << lag;
  }
}

TEST(ThrusterLag, OfZeroIsNoneWhateverItActsOn) {
  const model::Robot robot = with_state(heavy());
  const Recording recording = recorded(robot, test::swim(robot, 6, 0.005));
  const auto wrench_of = [&](ActsOn acts_on) {
    return LaggedWrench(robot, model::Environment(), {0, acts_on}).wrench_b(recording);
  };
  EXPECT_EQ(wrench_of(ActsOn::shaft), wrench_of(ActsOn::force));
}

/// A wrench whose lag would not know the dead band is not made again.
TEST(ThrusterLag, IsNotLookedForBehindADeadBand) {
  model::RobotSpec spec = with_state(heavy()).spec();
  for (const bool lags : {false, true}) {
    for (model::Thruster& thruster : spec.thrusters) {
      thruster.map.reset();
      thruster.map_name.clear();
      thruster.transient.reset();
      thruster.transient_name.clear();
      if (lags) thruster.transient = model::Transient{model::FirstOrder{0.1}, ""};
    }
    const model::Value<double> none{1, "", false, 0.0};
    const test::Swim swum = test::swim(model::Robot::make(spec), 6, 0.005);
    model::RobotSpec with_path = spec;
    with_path.command_path =
        model::CommandPath{model::CommandPath::By::wrench, model::Value<double>{2, "", false, 0.0}, none};
    EXPECT_EQ(recorded(model::Robot::make(with_path), swum).commands.of, CommandRecord::Of::none) << lags;
    with_path.command_path->dead_band.reset();
    EXPECT_EQ(recorded(model::Robot::make(with_path), swum).commands.of, CommandRecord::Of::thrusters) << lags;
  }
}

/// The gain that a command path was found to have is in the wrench of any other lag too.
TEST(ThrusterLag, KeepsTheGainOfTheRobotThatItIsGiven) {
  model::RobotSpec spec = with_state(heavy()).spec();
  const Recording recording = recorded(with_state(heavy()), test::swim(with_state(heavy()), 6, 0.005));
  const ThrusterLag lag{0.1, ActsOn::force};
  const Mat6X before = LaggedWrench(with_state(heavy()), model::Environment(), lag).wrench_b(recording);
  spec.command_path =
      model::CommandPath{model::CommandPath::By::wrench, {}, model::Value<double>{1.2, "", false, 0.0}};
  const Mat6X after = LaggedWrench(model::Robot::make(spec), model::Environment(), lag).wrench_b(recording);
  EXPECT_LT((after - 1.2 * before).norm(), 1e-12 * before.norm());
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
