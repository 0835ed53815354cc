// Vehicles that hang together swim as the robot that merge makes of them, told the same.

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "fathom/assembly/assembly_file.hpp"
#include "fathom/loop/test/coupled.hpp"

namespace fathom::loop::merged_motion_test {
namespace {

using namespace test;
using By = OpenLoop::By;
using Rows = std::vector<std::vector<double>>;

const std::vector<double> times = {0, 7, 13};  // s, of the rows

OpenLoop commands(By by, const Rows& rows) {
  std::vector<double> values;
  for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
  return {by, control::CommandSeries(times, values, rows[0].size())};
}

/// Those of a, then those of b: the order of the thrusters of the merged robot.
Rows beside(const Rows& a, const Rows& b) {
  Rows both = a;
  for (std::size_t k = 0; k < a.size(); ++k) both[k].insert(both[k].end(), b[k].begin(), b[k].end());
  return both;
}

Rows scaled(Rows rows, double factor) {
  for (auto& row : rows)
    for (double& value : row) value *= factor;
  return rows;
}

dynamics::State end_of(const Scenario& scenario) {
  log::NoSink sink;
  Simulation simulation(scenario, 1, sink);
  simulation.run();
  EXPECT_FALSE(simulation.failed());
  return simulation.vehicles()[0]->state();
}

/// What the water does to the thrusters.
struct Water {
  double T_wu = -0.02;  // N s^2/m, inflow loss
  double lag = 0.15;    // s
};

/// The robot with propellers: 51 N at 380 rad/s, told in rad/s, or in us by a shaft that turns as these say.
model::Robot with_propellers(const model::Robot& robot, model::CommandUnit unit, const Water& water) {
  model::RobotSpec spec = robot.spec();
  for (model::Thruster& thruster : spec.thrusters) {
    model::Propeller law{model::ThrustCoefficients{3.56e-4, water.T_wu}, model::DirectShaft{}};
    model::Command told{unit, -380, 380, 0};
    if (unit == model::CommandUnit::pwm_us) {
      told = {unit, 1100, 1900, 1500};
      law.shaft = model::LinearShaft{0.95, std::nullopt};
    }
    thruster.force.reset();
    thruster.map = model::ThrusterMap{told, law, std::nullopt, "", true};
    thruster.transient.reset();
    if (water.lag > 0) thruster.transient = model::Transient{model::FirstOrder{water.lag}, "", true};
    thruster.map_name = thruster.transient_name = "";
  }
  return model::Robot::make(spec);
}

/// a is told in rad/s, b in us.
Scenario propeller_pair(const Water& water) {
  Scenario pair = coupled_scenario(R"(
duration: 20
step: 0.001
environment: {current: [0.2, -0.1, 0.02]}
vehicles:
  - {name: a, robot: nielsen-bluerov, sensors: none, start: {position: [0, 0, 20], attitude_deg: [5, -10, 30], velocity: [0.3, 0.1, 0]}}
  - {name: b, robot: nielsen-bluerov, sensors: none}
couplings: [{name: dock, between: [a.starboard, b.port], turn_deg: 10, closed: true}]
)");
  pair.vehicles[0].robot = with_propellers(pair.vehicles[0].robot, model::CommandUnit::rad_s, water);
  pair.vehicles[1].robot = with_propellers(pair.vehicles[1].robot, model::CommandUnit::pwm_us, water);
  return pair;
}

/// The pair under commands of each, and the merged robot under those of all thrusters.
struct Told {
  OpenLoop a, b, whole;
};
void expect_same(Scenario pair, const Told& told) {
  AsOne one = as_one(pair);
  pair.vehicles[0].control = told.a;
  pair.vehicles[1].control = told.b;
  one.scenario.vehicles[0].control = told.whole;
  const dynamics::State whole = end_of(one.scenario);
  EXPECT_LT(difference(whole_of(end_of(pair), one.pose_first), whole), 1e-8);
  const dynamics::State& start = one.scenario.vehicles[0].start;
  EXPECT_GT((whole.p_nb_n - start.p_nb_n).norm(), 3);

  // The same without what the water takes away, and without lag: else nothing would be shown.
  for (const Water& other : {Water{.T_wu = 0}, Water{.lag = 0}}) {
    AsOne without = as_one(propeller_pair(other));
    without.scenario.vehicles[0].control = told.whole;
    EXPECT_GT(difference(end_of(without.scenario), whole), 1e-3) << other.T_wu << " " << other.lag;
  }
}

const Rows forces_b = {{5, 2, 1, -1, 0.5, 3}, {-4, 8, 0, 0, 0, -2}, {6, 6, 1, 1, 1, 0}};

TEST(MergedMotion, ByWrenchAndByForce) {
  const Scenario pair = propeller_pair({});
  const Rows wrenches = {{10, 2, 1, 0, 0.1, 0.5}, {-5, 0, 0, 0, 0, -0.5}, {12, -3, -1, 0.1, 0, 0}};
  log::NoSink sink;
  const Simulation simulation(pair, 1, sink);
  Rows forces_a;
  for (const auto& row : wrenches) {
    const dynamics::Forces given =
        simulation.vehicles()[0]->allocator()->allocate(Eigen::Map<const Vec6>(row.data())).forces;
    forces_a.emplace_back(given.begin(), given.end());
  }
  expect_same(pair, {commands(By::wrench, wrenches), commands(By::force, forces_b),
                     commands(By::force, beside(forces_a, forces_b))});
}

TEST(MergedMotion, ByRpmAndByPwm) {
  const Rows rpm = {
      {1200, 900, 300, 300, -250, 800}, {-900, 1100, 0, 100, 0, 0}, {1500, 1400, 200, 0, 0, -600}};
  const Rows pwm = {{1600, 1650, 1520, 1500, 1490, 1550},
                    {1700, 1450, 1500, 1500, 1500, 1400},
                    {1620, 1640, 1500, 1510, 1505, 1500}};
  const Rows rad_s = scaled(rpm, 2 * std::numbers::pi / 60);
  expect_same(propeller_pair({}),
              {commands(By::rpm, rpm), commands(By::pwm, pwm), commands(By::command, beside(rad_s, pwm))});
}

TEST(MergedMotion, InFourDegreesOfFreedom) {
  Scenario pair = coupled_scenario(R"(
duration: 20
step: 0.001
environment: {current: [0.1, -0.05, 0]}
vehicles:
  - {name: a, robot: bluerov2-heavy, dof: 4, sensors: none, start: {position: [0, 0, 20], yaw_deg: 30, velocity: [0.3, 0.1, 0.05], rates: [0, 0, 0.1]}}
  - {name: b, robot: nielsen-bluerov, dof: 4, sensors: none}
couplings: [{name: dock, between: [a.bow, b.port], closed: true}]
)");
  // b looks to port of a, or to starboard: a quarter of a turn.
  const Quat b_in_a = pair.vehicles[0].start.q_nb.conjugate() * pair.vehicles[1].start.q_nb;
  EXPECT_NEAR(std::abs(b_in_a.z()), std::sqrt(0.5), 1e-12);
  // Six would lean under these: b pushes up at one side.
  const Rows a = {{3, 2, -1, 0, 2, 2, 2, 2}, {5, 5, -5, -5, 0, 0, 0, 0}, {0, 2, 4, 2, -1, -1, -1, -1}};
  AsOne one = as_one(pair);
  pair.vehicles[0].control = commands(By::force, a);
  pair.vehicles[1].control = commands(By::force, forces_b);
  one.scenario.vehicles[0].control = commands(By::force, beside(a, forces_b));
  log::NoSink sink;
  Simulation simulation(pair, 1, sink);
  while (!simulation.done()) {
    simulation.step();
    for (const auto& vehicle : simulation.vehicles()) {
      const dynamics::State& state = vehicle->state();
      ASSERT_LT(std::hypot(state.q_nb.x(), state.q_nb.y()), 1e-12) << simulation.t();
      ASSERT_LT(std::hypot(state.nu_b[3], state.nu_b[4]), 1e-12) << simulation.t();
    }
  }
  const dynamics::State whole = end_of(one.scenario);
  EXPECT_LT(difference(whole_of(simulation.vehicles()[0]->state(), one.pose_first), whole), 1e-8);
  EXPECT_GT((whole.p_nb_n - one.scenario.vehicles[0].start.p_nb_n).norm(), 1);

  for (VehicleScenario& vehicle : pair.vehicles) vehicle.dof = model::Dof::six;
  EXPECT_GT(difference(whole_of(end_of(pair), one.pose_first), whole), 0.01);
}

// Two robots with thrusters and a frame without, by the name of their assembly.
TEST(MergedMotion, OfAnAssembly) {
  const Scenario scenario = coupled_scenario(R"(
duration: 20
step: 0.005
environment: {current: [0.1, -0.05, 0]}
vehicles:
  - assembly: bluerov-pair
    name: p
    sensors: none
    start: {position: [1, 2, 10], attitude_deg: [3, -4, 40], velocity: [0.1, 0, 0], rates: [0, 0, 0.05]}
    control: {kind: open_loop, by: wrench, commands: [[0, 15, 5, 0, 0, 0, 1], [10, 0, 0, 2, 0, 0, -1]]}
)");
  log::DatasetSink sink;
  Simulation simulation(scenario, 1, sink);
  std::vector<Pose> first;
  const auto in_a = [&](std::size_t k) {
    const dynamics::State &a = simulation.vehicles()[0]->state(), &b = simulation.vehicles()[k]->state();
    return Pose{a.q_nb, a.p_nb_n}.inverse() * Pose{b.q_nb, b.p_nb_n};
  };
  for (std::size_t k = 0; k < 3; ++k) first.push_back(in_a(k));
  EXPECT_LT((first[2].p_pc_p - Vec3(0, 0.774, 0)).norm(), 1e-12);
  simulation.run();
  ASSERT_FALSE(simulation.failed());
  for (std::size_t k = 1; k < 3; ++k) {
    const assembly::Misfit off = assembly::misfit(in_a(k), first[k], {});
    EXPECT_LT(off.distance, 1e-12) << k;
    EXPECT_LT(off.angle, 1e-12) << k;
  }

  const std::filesystem::path models = FATHOM_ROBOTS_DIR;
  const assembly::Merged merged = assembly::merge(
      assembly::read_assembly(
          std::filesystem::path(FATHOM_SOURCE_DIR) / "data/assemblies" / "bluerov-pair.yaml", {models}),
      0);
  const Pose pose_first = merged.poses[0].inverse();
  Scenario single = scenario;
  single.couplings.clear();
  single.clusters.clear();
  single.vehicles = {{.name = "whole", .robot = merged.robot, .robot_file = ""}};
  single.vehicles[0].start = whole_of(scenario.vehicles[0].start, pose_first);
  single.vehicles[0].control = scenario.clusters.at(0).control;
  const dynamics::State whole = end_of(single);
  EXPECT_LT(difference(whole_of(simulation.vehicles()[0]->state(), pose_first), whole), 1e-8);
  EXPECT_GT((whole.p_nb_n - single.vehicles[0].start.p_nb_n).norm(), 1);

  const log::Dataset data = std::move(sink).dataset();
  for (const char* name : {"p-left.load", "p-right.load", "p.state"})
    EXPECT_EQ(data.channel(name).size(), 4001u) << name;
  for (const CouplingStatistics& statistics : simulation.coupling_statistics())
    EXPECT_GT(statistics.largest_force, 0.5) << statistics.name;
}

}  // namespace
}  // namespace fathom::loop::merged_motion_test
