// An hour of vehicles that hang together, in a ring too: nothing drifts.

#include <gtest/gtest.h>

#include "fathom/loop/simulation.hpp"

namespace fathom::loop::couplings_hour_test {
namespace {

TEST(CouplingsHourLong, OverAnHourNothingDrifts) {
  const Scenario scenario = parse_scenario(R"(
format: fathom-scenario-1
name: hour
duration: 3600
step: 0.02
environment: {current: [0.1, 0.1, 0]}
vehicles:
  - {name: a, robot: bluerov2-heavy, sensors: none, start: {position: [0, 0, 500]}, control: {kind: joystick, axes: [surge, sway, heave, roll, pitch, yaw]}}
  - {name: b, robot: bluerov2-heavy, sensors: none, control: {kind: joystick}}
  - {name: c, robot: bluerov2-heavy, sensors: none}
  - {name: d, robot: bluerov2-heavy, sensors: none}
couplings:
  - {name: ab, between: [a.bow, b.stern], closed: true}
  - {name: bc, between: [b.starboard, c.port], closed: true}
  - {name: cd, between: [c.stern, d.bow], closed: true}
  - {name: da, between: [d.port, a.starboard], closed: true}
)",
                                           "test.yaml", {FATHOM_ROBOTS_DIR});
  log::NoSink sink;
  Simulation simulation(scenario, 1, sink);
  simulation.run();
  ASSERT_FALSE(simulation.failed());
  for (const CouplingStatistics& statistics : simulation.coupling_statistics()) {
    EXPECT_TRUE(statistics.is_in_loop);
    EXPECT_LT(statistics.drift.distance, 1e-9) << statistics.name;
    EXPECT_LT(statistics.drift.angle, 1e-9) << statistics.name;
    RecordProperty(statistics.name + "_drift", std::to_string(1e15 * statistics.drift.distance) + " fm");
  }
}

}  // namespace
}  // namespace fathom::loop::couplings_hour_test
