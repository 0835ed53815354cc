#include "fathom/loop/internal/command_delay.hpp"

#include <array>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fathom/loop/simulation.hpp"
#include "fathom/simulate/ode.hpp"

namespace fathom::loop::command_delay_test {
namespace {

TEST(CommandDelay, WithoutOneACommandActsAtOnce) {
  internal::CommandDelay delay(std::array{0.0}, 0, 0.01);
  delay.give(std::array{5.0});
  EXPECT_EQ(delay.first()[0], 5);
  EXPECT_EQ(delay.then()[0], 5);
  EXPECT_EQ(delay.switch_after(), 0);
}

TEST(CommandDelay, AWholeNumberOfStepsIsThatManyLater) {
  internal::CommandDelay delay(std::array{1500.0, 0.0}, 0.07, 0.01);  // 0.07 / 0.01 is 7.000000000000001
  EXPECT_EQ(delay.switch_after(), 0);
  for (int k = 0; k < 30; ++k) {
    delay.give(std::array{100.0 + k, -1.0 * k});
    EXPECT_EQ(delay.first()[0], k < 7 ? 1500 : 100 + k - 7) << k;
    EXPECT_EQ(delay.first()[1], k < 7 ? 0 : 7 - k) << k;
    EXPECT_EQ(delay.then()[0], delay.first()[0]);
  }
}

TEST(CommandDelay, AnythingElseSwitchesWithinTheStep) {
  internal::CommandDelay delay(std::array{0.0}, 0.025, 0.01);
  EXPECT_NEAR(delay.switch_after(), 0.005, 1e-12);
  for (int k = 1; k < 20; ++k) {
    delay.give(std::array{1.0 * k});
    EXPECT_EQ(delay.first()[0], std::max(0, k - 3));
    EXPECT_EQ(delay.then()[0], std::max(0, k - 2));
  }
}

log::Dataset pushed(double step, double delay, double begin) {
  const Scenario scenario = parse_scenario(fmt::format(R"(
format: fathom-scenario-1
name: test
duration: 4
step: {}
vehicles:
  - robot: bluerov2-heavy
    name: r
    sensors: none
    command_delay: {}
    start: {{position: [0, 0, 20]}}
    control: {{kind: open_loop, by: wrench, commands: [[{}, 20, 25, -20, 0, 0, 1]]}}
)",
                                                       step, delay, begin),
                                           "test.yaml", {FATHOM_ROBOTS_DIR});
  log::DatasetSink sink;
  Simulation(scenario, 1, sink).run();
  return std::move(sink).dataset();
}

double end_difference(const log::Dataset& a, const log::Dataset& b) {
  const log::Channel &x = a.channel("r.state"), &y = b.channel("r.state");
  double sum = 0;
  for (std::size_t k = 0; k < x.width(); ++k) sum += std::abs(x.row(x.size() - 1)[k] - y.row(y.size() - 1)[k]);
  return sum;
}

// The judge: the same push, given later. In small steps, so that it begins with one.
TEST(CommandDelay, AVehicleMovesAsIfItHadBeenToldLater) {
  EXPECT_LT(end_difference(pushed(0.01, 0.06, 0), pushed(0.01, 0, 0.06)), 1e-12);
  EXPECT_LT(end_difference(pushed(0.01, 0.034, 0), pushed(0.002, 0, 0.034)), 2e-7);
  EXPECT_GT(end_difference(pushed(0.01, 0.03, 0), pushed(0.002, 0, 0.034)), 1e-3) << "the test can fail";
}

TEST(CommandDelay, TheLogHasCommandsWhenTheyAreGiven) {
  const log::Dataset data = pushed(0.01, 0.06, 0);
  const log::Channel& thrusters = data.channel("r.thrusters");
  const std::size_t n = thrusters.width() / 2;
  EXPECT_NE(thrusters.row(0)[0], 0);
  for (std::size_t k = 0; k <= 6; ++k) EXPECT_EQ(thrusters.row(k)[n], 0) << "its lag begins after row 6";
  EXPECT_GT(std::abs(thrusters.row(7)[n]), 0.1);
}

// One that never forgets is a constant wrench, and the bare vehicle's own integrator is the judge.
TEST(Simulation, ADisturbanceActsAsAWrenchInBodyAxes) {
  const Scenario scenario = parse_scenario(R"(
format: fathom-scenario-1
name: test
duration: 5
vehicles:
  - {robot: bluerov2-heavy, name: r, sensors: none, start: {position: [0, 0, 50], yaw_deg: 60},
     disturbance: {force: [10, 5, 4], torque: [0.3, 0.2, 1], time: 1.0e+15}}
)",
                                           "test.yaml", {FATHOM_ROBOTS_DIR});
  log::DatasetSink sink;
  Simulation(scenario, 3, sink).run();
  const log::Dataset data = std::move(sink).dataset();
  const VehicleScenario& r = scenario.vehicles[0];
  const Vec6 w_b = simulate::Disturbance(*r.disturbance, 3, "r/disturbance").wrench_b();
  const dynamics::Vehicle vehicle(r.robot, scenario.environment);
  dynamics::State state = r.start;
  for (int k = 0; k < 500; ++k) state = simulate::rk4_step(vehicle, state, w_b, 0.01);
  const auto row = data.channel("r.state").row(500);
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(row[static_cast<std::size_t>(7 + i)], state.nu_b[i], 1e-6);
  EXPECT_GT(state.nu_b.norm(), 0.05);
}

}  // namespace
}  // namespace fathom::loop::command_delay_test
