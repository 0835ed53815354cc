// studies/pool-day is what the main job is judged on: what its files promise each other, and that the functions
// beside them do with them what they say.

#include "fathom/task/demo/pool_day.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/dynamics/regressor.hpp"
#include "fathom/dynamics/thruster.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/log/csv_reader.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::task::pool {
namespace {

const std::filesystem::path root = FATHOM_ROOT;

const PoolDay& day() {
  static const PoolDay read = read_pool_day(root / "studies" / "pool-day");
  return read;
}

excite::Problem problem(double duration) {
  return excite::read_problem(root / "data/problems" / "tank-defender.yaml", {root / "data/robots"}, duration);
}

/// Short, for tests.
const trajectory::Bezier& motion() {
  static const trajectory::Bezier designed = [] {
    ThreadPool pool(1);
    return unseen_motions(problem(60), 1, 1, pool).front();
  }();
  return designed;
}

model::Structure fitted() {
  model::StructureOptions options;
  options.dof = model::Dof::four;
  options.linear = model::StructureOptions::Linear::full;
  options.symmetry.port_starboard = true;
  return model::make_structure("fitted", options);
}

/// The largest difference between the equation of motion and the structure's own, over random motions.
double outside(const model::Robot& robot) {
  const model::Environment water;
  const model::Structure structure = fitted();
  const dynamics::Vehicle vehicle(robot, water, structure.dof);
  const Eigen::VectorXd theta = model::parameters_of(robot, water, structure).parameters.values();
  RandomStream random(1, "motions");
  double most = 0;
  for (int k = 0; k < 50; ++k) {
    dynamics::State state;
    state.q_nb = quaternion_from_euler(Vec3(0, 0, random.uniform(-3, 3)));
    Vec6 nu_dot_b = Vec6::Zero();
    for (const int i : {0, 1, 2, 5}) {
      state.nu_b[i] = 0.3 * random.normal();
      nu_dot_b[i] = 0.2 * random.normal();
    }
    const Vec6 tau_b = dynamics::inverse_dynamics(vehicle, state, nu_dot_b);
    const Eigen::VectorXd by_structure =
        dynamics::regressor(structure, dynamics::motion_of(state, nu_dot_b, water)) * theta;
    const Eigen::Vector4d free_b(tau_b[0], tau_b[1], tau_b[2], tau_b[5]);
    most = std::max(most, (by_structure - free_b).norm());
  }
  return most;
}

TEST(PoolDay, TheInClassPlantIsInTheFittedClassAndTheOtherIsNot) {
  EXPECT_LT(outside(day().in_class_plant), 1e-9);
  EXPECT_GT(outside(day().plant), 0.5) << "N: no inverse crime";
}

TEST(PoolDay, ThePlantHasWhatTheNominalRobotDoesNotKnow) {
  ASSERT_EQ(day().plant.thrusters().size(), day().nominal.thrusters().size());
  for (std::size_t k = 0; k < day().plant.thrusters().size(); ++k) {
    EXPECT_TRUE(day().plant.thrusters()[k].transient);
    EXPECT_FALSE(day().nominal.thrusters()[k].transient);
    EXPECT_EQ(day().plant.thrusters()[k].name, day().nominal.thrusters()[k].name);
  }
  for (const loop::Scenario* scenario : {&day().excitation, &day().joystick}) {
    const loop::VehicleScenario& rov = scenario->vehicles.front();
    EXPECT_EQ(rov.robot.name(), day().plant.name());
    EXPECT_EQ(rov.dof, model::Dof::six);
    EXPECT_EQ(rov.command_delay, 0.06);
    EXPECT_TRUE(rov.tether);
    EXPECT_GT(scenario->current.constant_n.norm(), 0.005);
  }
  const auto& pid = std::get<loop::PidControl>(day().excitation.vehicles.front().control);
  EXPECT_EQ(pid.believed->name(), day().nominal.name());
  EXPECT_TRUE(day().in_class.vehicles.front().disturbance);
  EXPECT_EQ(day().in_class.vehicles.front().dof, model::Dof::four);
}

/// Steady force over command as plant.yaml states it, by hand.
double stated_force(double command) {
  const double x = std::max(0.0, std::abs(command) - 0.04);
  return command > 0 ? 18 * x + 44 * x * x + 3 * x * x * x : -(16 * x + 36 * x * x + 2 * x * x * x);
}

TEST(PoolDay, TheBenchTestIsWithinTwoPercentOfThePlant) {
  const dynamics::ThrusterModel plant(day().plant.thrusters().front(), 1000);
  const dynamics::ThrusterModel bench(day().nominal.thrusters().front(), 1000);
  for (double command = -1; command <= 1; command += 0.01) {
    const double truth = plant.steady_force(command, 0, 16);
    EXPECT_NEAR(truth, stated_force(command), 1e-9);
    if (std::abs(truth) < 0.3)
      EXPECT_NEAR(bench.steady_force(command, 0, 16), truth, 0.007) << command;
    else
      EXPECT_NEAR(bench.steady_force(command, 0, 16) / truth, 1, 0.02) << command;
  }
}

TEST(PoolDay, AMotionTakesTheScenarioFromItsBeginningToItsEnd) {
  const loop::Scenario scenario = with_motion(day().excitation, motion());
  EXPECT_NEAR(scenario.duration, 60, 1e-9);
  EXPECT_NEAR((scenario.vehicles.front().start.p_nb_n - Vec3(0, 0, 0.8)).norm(), 0, 1e-9);
  const Dive done = dive(scenario, 1);
  EXPECT_FALSE(done.run.failed);
  EXPECT_TRUE(done.run.events.empty()) << done.run.events.front().what;
  EXPECT_EQ(done.log.channel("rov.state").size(), 6001u);
  EXPECT_LT(done.run.vehicles.front().tracking->position_rms, 0.1);
}

TEST(PoolDay, ThePilotTouchesNoWall) {
  loop::Scenario scenario = day().joystick;
  scenario.duration = 60;
  const Dive done = dive(scenario, 1);
  EXPECT_FALSE(done.run.failed);
  EXPECT_TRUE(done.run.events.empty()) << done.run.events.front().what;
  EXPECT_GT(done.run.vehicles.front().distance, 6);
}

TEST(PoolDay, TheFolderHoldsWhatTheMemoryHolds) {
  loop::Scenario scenario = with_motion(day().in_class, motion());
  scenario.duration = 5;
  const fathom::test::TemporaryFolder folder;
  dive_to(folder / "log", scenario, 3);
  const log::Dataset read = log::read_dataset(folder / "log"), kept = dive(scenario, 3).log;
  ASSERT_EQ(read.channels().size(), kept.channels().size());
  for (const log::Channel& channel : kept.channels()) {
    EXPECT_EQ(read.channel(channel.info.name).t, channel.t);
    EXPECT_EQ(read.channel(channel.info.name).values, channel.values);
  }
}

TEST(PoolDay, UnseenMotionsDiffer) {
  ThreadPool pool(1);
  const auto motions = unseen_motions(problem(60), 1, 2, pool);
  EXPECT_EQ(motions[0].at(20).value, motion().at(20).value) << "the same seed is the same motion";
  double apart = 0;
  for (double t = 0; t < 60; t += 0.5)
    apart = std::max(apart, (motions[0].at(t).value - motions[1].at(t).value).norm());
  EXPECT_GT(apart, 0.3);
}

TEST(PoolDay, FeedForwardOfThePlantItselfTracksBestAndTheNominalOneBetterThanNone) {
  const loop::Scenario scenario = with_motion(day().excitation, motion());
  const auto none = track(scenario, 1, {}), guess = track(scenario, 1, day().nominal),
             truth = track(scenario, 1, day().plant);
  ASSERT_TRUE(none && guess && truth);
  EXPECT_LT(guess->position_rms, 0.5 * none->position_rms);
  EXPECT_LT(truth->position_rms, 0.8 * guess->position_rms);
}

}  // namespace
}  // namespace fathom::task::pool
