// A step of a scenario takes no memory from the heap (HABITS 13), whatever the vehicle carries.

#include <gtest/gtest.h>

#include "fathom/base/test/count_allocations.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/loop/internal/cluster_control.hpp"
#include "fathom/loop/simulation.hpp"

namespace fathom::loop::no_allocation_test {
namespace {

using fathom::test::allocations_of;

/// A scenario that is logged to disk, after a while.
struct Logged {
  fathom::test::TemporaryFolder folder;
  log::CsvSink disk{folder.path()};
  log::PreviewSink preview{disk};
  Simulation simulation;

  explicit Logged(const Scenario& scenario) : simulation(scenario, 1, preview) {
    for (int k = 0; k < 200; ++k) simulation.step();
  }
  long allocations(int steps) {
    return allocations_of([&] {
      for (int k = 0; k < steps; ++k) simulation.step();
    });
  }
};

class StepAllocation : public testing::TestWithParam<const char*> {};

TEST_P(StepAllocation, PerStepOfAScenarioLoggedToDisk) {
  const Scenario scenario = parse_scenario("integrator: " + std::string(GetParam()) + R"(
format: fathom-scenario-1
name: everything
duration: 60
environment:
  current: {constant: [0.1, 0, 0], variation: {sigma: [0.02, 0.02, 0], time: 20}}
  tank: {min: [-20, -20, 0], max: [20, 20, 15]}
vehicles:
  - name: held
    robot: bluerov2-heavy
    control: {kind: pid}
    reference: {waypoints: [{position: [0, 0, 5]}, {position: [9, 3, 6], yaw_deg: 90}]}
    tether: {anchor: [-5, 0, 2], length: 18}
    command_delay: 0.064
    disturbance: {force: [1, 1, 1], torque: [0.1, 0.1, 0.1], time: 2}
  - {name: played, robot: bluerov2-heavy, start: {position: [0, 0, 8]}, control: {kind: joystick}}
  - name: pushed
    robot: bluerov2-heavy
    start: {position: [5, 5, 8]}
    control: {kind: open_loop, by: wrench, commands: [[0, 400, 400, 10, 0, 0, 60]]}
)",
                                           "test.yaml", {FATHOM_ROBOTS_DIR});
  Logged logged(scenario);
  EXPECT_EQ(logged.allocations(1500), 0);
  EXPECT_GT(logged.simulation.vehicle_statistics()[2].saturated_share, 0.9)
      << "saturated allocation is part of it";
}

TEST_P(StepAllocation, PerStepOfVehiclesThatHangTogether) {
  const Scenario scenario = parse_scenario("integrator: " + std::string(GetParam()) + R"(
format: fathom-scenario-1
name: raft
duration: 60
environment: {current: {constant: [0.1, 0, 0]}, tank: {min: [-20, -20, 0], max: [20, 20, 15]}}
vehicles:
  - {name: a, robot: bluerov2-heavy, start: {position: [0, 0, 8]}, command_delay: 0.013, tether: {anchor: [-5, 0, 2], length: 18}}
  - {name: b, robot: bluerov2-heavy, control: {kind: joystick}}
  - {name: c, robot: bluerov2-heavy, start: {position: [5, 5, 8]}, control: {kind: joystick}}
couplings:
  - {between: [a.bow, b.stern], closed: true}
  - {name: again, between: [b.bow, c.stern], latch: {}}
clusters:
  - {name: pair, vehicles: [a, b], control: {kind: pid}, reference: {waypoints: [{position: [3, 1, 6], yaw_deg: 40}]}}
)",
                                           "test.yaml", {FATHOM_ROBOTS_DIR});
  Logged logged(scenario);
  EXPECT_EQ(logged.allocations(1000), 0);
  EXPECT_TRUE(logged.simulation.clusters()[0]->is_in_charge());
}

INSTANTIATE_TEST_SUITE_P(Integrators, StepAllocation, testing::Values("rk4", "dormand_prince"));

}  // namespace
}  // namespace fathom::loop::no_allocation_test
