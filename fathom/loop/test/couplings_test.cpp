#include "fathom/loop/internal/couplings.hpp"

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fathom/loop/test/coupled.hpp"

namespace fathom::loop::couplings_test {
namespace {

using namespace test;

/// b drifts with its stern on to the bow of a, a little off and turning.
std::string two(const std::string& coupling, const std::string& more = "duration: 6") {
  return more + R"(
vehicles:
  - {name: a, robot: bluerov2-heavy, sensors: none, start: {position: [0, 0, 20], velocity: [0.1, 0, 0.01], rates: [0, 0, 0.01]}}
  - {name: b, robot: bluerov2-heavy, sensors: none, start: {position: [0.487, 0.004, 20.003], yaw_deg: 2, velocity: [0, 0.01, 0], rates: [0.02, 0, -0.01]}}
couplings:
  - {name: dock, between: [a.bow, b.stern], )" +
         coupling + "}\n";
}

double kinetic(const internal::VehicleLoop& vehicle) {
  return dynamics::kinetic_energy(vehicle.plant().vehicle(), vehicle.state().nu_b);
}

TEST(Couplings, AnImpactKeepsTheImpulseAndTellsTheEnergyThatItTakes) {
  Scenario scenario = coupled_scenario(two("latch: {distance: 0.02, angle_deg: 5}"));
  take_away_forces(scenario);
  log::NoSink sink;
  Simulation simulation(scenario, 1, sink);
  Vec6 before = Vec6::Zero();
  double energy = 0;
  while (!simulation.done() && simulation.couplings().groups().size() == 2) {
    // Free bodies keep their own: what they have at the start of the step is not yet changed by it.
    before = impulse_n(*simulation.vehicles()[0]) + impulse_n(*simulation.vehicles()[1]);
    energy = kinetic(*simulation.vehicles()[0]) + kinetic(*simulation.vehicles()[1]);
    simulation.step();
  }
  ASSERT_EQ(simulation.couplings().groups().size(), 1u) << "they never met";
  const Vec6 after = impulse_n(*simulation.vehicles()[0]) + impulse_n(*simulation.vehicles()[1]);
  // A body in ideal water keeps its Kirchhoff impulse exactly, the integrator to its order.
  EXPECT_LT((after - before).norm(), 1e-12 * before.norm());
  const CouplingEvent event = simulation.coupling_statistics()[0].events.at(0);
  const double left = kinetic(*simulation.vehicles()[0]) + kinetic(*simulation.vehicles()[1]);
  EXPECT_GT(event.energy_lost, 0.01);
  EXPECT_NEAR(energy - left, event.energy_lost, 1e-10 * energy);
  EXPECT_LE(event.meeting.misfit.distance, 0.02);
  EXPECT_GT(event.meeting.misfit.distance, 0);
  // The impulse on a is what its momentum changed by, at the connector.
  EXPECT_GT(event.impulse.head<3>().norm(), 0.1);
  EXPECT_LT(event.impulse[0], 0) << "a ran into b, so b pushes it back";
  EXPECT_EQ(simulation.events().at(0).vehicle, "dock");
  EXPECT_NE(simulation.events()[0].what.find("closes a.bow to b.stern"), std::string::npos);
}

TEST(Couplings, OpeningChangesNoVelocityAndTellsTheLoad) {
  const Scenario scenario = coupled_scenario(two("latch: {distance: 0.02, angle_deg: 5}, opens_at: [4]"));
  log::DatasetSink sink;
  Simulation simulation(scenario, 1, sink);
  while (simulation.t() < 3.985) simulation.step();
  ASSERT_EQ(simulation.couplings().groups().size(), 1u);
  std::vector<dynamics::State> before, after;
  for (const auto& vehicle : simulation.vehicles()) before.push_back(vehicle->state());
  simulation.step();  // to 4 s, where it opens
  ASSERT_EQ(simulation.couplings().groups().size(), 2u);
  for (const auto& vehicle : simulation.vehicles()) after.push_back(vehicle->state());
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_LT((after[k].nu_b - before[k].nu_b).norm(), 5e-3) << "a step of 10 ms, no jump";
  // The two still move as one body at the instant after.
  const Pose a{after[0].q_nb, after[0].p_nb_n}, b{after[1].q_nb, after[1].p_nb_n};
  EXPECT_LT((twist_transform(a.inverse() * b) * after[0].nu_b - after[1].nu_b).norm(), 1e-13);
  const CouplingStatistics statistics = simulation.coupling_statistics()[0];
  ASSERT_EQ(statistics.events.size(), 2u);
  EXPECT_FALSE(statistics.events[1].closes);
  simulation.run();
  const log::Dataset data = std::move(sink).dataset();
  const log::Channel& load = data.channel("dock.load");
  EXPECT_NEAR(load.t.front(), statistics.events[0].t, 1e-9);
  EXPECT_NEAR(load.t.back(), 3.99, 1e-9) << "rows only while closed";
  EXPECT_LT((statistics.events[1].load - Eigen::Map<const Vec6>(load.row(load.size() - 1).data())).norm(),
            0.05);
  EXPECT_EQ(simulation.couplings().groups().size(), 2u) << "not armed again within twice its distance";
}

TEST(Couplings, ALatchIsArmedAgainOnceTheEndsWereApart) {
  // Side by side they drift apart and are driven back by their control.
  const std::string text = R"(
duration: 40
vehicles:
  - {name: a, robot: bluerov2-heavy, sensors: none, control: {kind: pid}, reference: {waypoints: [{position: [0, 0, 20]}]}}
  - name: b
    robot: bluerov2-heavy
    sensors: none
    control: {kind: pid}
    reference: {speed: 0.1, waypoints: [{position: [0.47, 0, 20], hold: 5}, {position: [0.7, 0, 20], hold: 2}, {position: [0.457, 0, 20]}]}
couplings:
  - {name: dock, between: [a.bow, b.stern], latch: {distance: 0.02}, opens_at: [3]%s}
)";
  const auto closings = [&](const std::string& once) {
    std::string body = text;
    body.replace(body.find("%s"), 2, once);
    const Scenario scenario = coupled_scenario(body);
    log::NoSink sink;
    Simulation simulation(scenario, 1, sink);
    simulation.run();
    EXPECT_FALSE(simulation.failed());
    std::size_t count = 0;
    const CouplingStatistics statistics = simulation.coupling_statistics()[0];
    for (const CouplingEvent& event : statistics.events) count += event.closes ? 1 : 0;
    return count;
  };
  EXPECT_EQ(closings(""), 2u);
  EXPECT_EQ(closings(", once: true"), 1u);
}

// Four in a square, each pushed another way: the last coupling adds nothing that the motion could show.
TEST(Couplings, ARingMovesAsTheChainThatItClosesAndSharesTheLoad) {
  const std::string square = R"(
duration: 5
environment: {current: {profile: [{depth: 0, velocity: [0.4, 0, 0]}, {depth: 20, velocity: [0, 0.2, 0]}]}}
vehicles:
  - {name: a, robot: bluerov2-heavy, sensors: none, start: {position: [0, 0, 8]}, control: {kind: open_loop, by: wrench, commands: [[0, 20, 0, 5, 0, 0, 1]]}}
  - {name: b, robot: bluerov2-heavy, sensors: none, control: {kind: open_loop, by: wrench, commands: [[0, 0, 15, 0, 0, 0, -1]]}}
  - {name: c, robot: bluerov2-heavy, sensors: none, control: {kind: open_loop, by: wrench, commands: [[0, -10, 0, 0, 0, 1, 0]]}}
  - {name: d, robot: bluerov2-heavy, sensors: none}
couplings:
  - {name: ab, between: [a.bow, b.stern], closed: true}
  - {name: bc, between: [b.starboard, c.port], closed: true}
  - {name: cd, between: [c.stern, d.bow], closed: true}
)";
  const Scenario chain = coupled_scenario(square);
  const Scenario ring =
      coupled_scenario(square + "  - {name: da, between: [d.port, a.starboard], latch: {distance: 0.001}}\n");
  log::DatasetSink chain_sink, ring_sink;
  Simulation one(chain, 1, chain_sink), other(ring, 1, ring_sink);
  one.run();
  other.run();
  const auto statistics = other.coupling_statistics();
  ASSERT_EQ(statistics[3].events.size(), 1u) << "the ring closed by itself";
  EXPECT_LT(statistics[3].events[0].energy_lost, 1e-20);
  EXPECT_TRUE(statistics[0].is_in_loop);
  const log::Dataset a = std::move(chain_sink).dataset(), b = std::move(ring_sink).dataset();
  for (const char* name : {"a.state", "b.state", "c.state", "d.state"}) {
    const auto &x = a.channel(name).values, &y = b.channel(name).values;
    double worst = 0;
    for (std::size_t k = 0; k < x.size(); ++k) worst = std::max(worst, std::abs(x[k] - y[k]));
    EXPECT_LT(worst, 1e-11) << name;
  }
  // The least load that the motion allows is less, in sum, than that of the chain.
  double open_sum = 0, closed_sum = 0;
  for (const char* name : {"ab.load", "bc.load", "cd.load"})
    for (const double v : a.channel(name).values) open_sum += v * v;
  for (const char* name : {"ab.load", "bc.load", "cd.load", "da.load"})
    for (const double v : b.channel(name).values) closed_sum += v * v;
  EXPECT_LT(closed_sum, open_sum);
  EXPECT_GT(closed_sum, 0.1 * open_sum);
}

// The robot that merge makes of both, swimming alone.
TEST(Couplings, AClusterMovesAsTheMergedRobotDoes) {
  const Scenario pair = coupled_scenario(R"(
duration: 60
step: 0.001
environment: {current: [0.1, -0.05, 0]}
vehicles:
  - {name: a, robot: nielsen-bluerov, sensors: none, start: {position: [0, 0, 20], attitude_deg: [5, -10, 30], velocity: [0.3, 0.1, 0]}}
  - {name: b, robot: nielsen-bluerov, sensors: none}
couplings: [{name: dock, between: [a.starboard, b.port], turn_deg: 10, closed: true}]
clusters:
  - {name: pair, vehicles: [a, b], control: {kind: open_loop, by: wrench, commands: [[0, 5, 1, 1, 0, 0, 0.5], [20, -3, 0, 0, 0, 0, 1]]}}
)");
  AsOne one = as_one(pair);
  one.scenario.vehicles[0].control = pair.clusters[0].control;
  log::NoSink sink;
  Simulation two_bodies(pair, 1, sink), one_body(one.scenario, 1, sink);
  two_bodies.run();
  one_body.run();
  const dynamics::State& whole = one_body.vehicles()[0]->state();
  EXPECT_LT(difference(whole_of(two_bodies.vehicles()[0]->state(), one.pose_first), whole), 1e-8);
  EXPECT_GT((whole.p_nb_n - one.scenario.vehicles[0].start.p_nb_n).norm(), 1);
}

TEST(Couplings, TetherWallDelayAndSensorsWorkInsideACluster) {
  for (const char* integrator : {"rk4", "dormand_prince"}) {
    const Scenario scenario = coupled_scenario(std::string("integrator: ") + integrator + R"(
duration: 20
environment: {current: [0, 0.1, 0], tank: {min: [-5, -5, 0], max: [3, 5, 6]}}
vehicles:
  - name: a
    robot: bluerov2-heavy
    start: {position: [0, 0, 3]}
    command_delay: 0.033
    tether: {anchor: [-4, 0, 1], length: 9, segments: 4}
    control: {kind: open_loop, by: wrench, commands: [[0, 25, 0, 0, 0, 0, 0]]}
  - {name: b, robot: bluerov2-heavy, command_delay: 0.018, control: {kind: open_loop, by: wrench, commands: [[0, 25, 0, 0, 0, 0, 0]]}}
couplings: [{name: dock, between: [a.bow, b.stern], closed: true}]
)");
    log::DatasetSink sink;
    Simulation simulation(scenario, 1, sink);
    simulation.run();
    EXPECT_FALSE(simulation.failed()) << integrator;
    bool touched = false;
    for (const Event& event : simulation.events())
      touched |= event.vehicle == "b" && event.what.starts_with("touches the north wall");
    EXPECT_TRUE(touched) << integrator;
    const log::Dataset data = std::move(sink).dataset();
    EXPECT_GT(data.channel("a.imu").size(), 100u);
    const CouplingStatistics statistics = simulation.coupling_statistics()[0];
    EXPECT_LT(statistics.drift.distance, 1e-12) << integrator;
    EXPECT_LT(statistics.drift.angle, 1e-12) << integrator;
    EXPECT_GT(statistics.largest_force, 10) << "b is pushed against the wall by a";
  }
}

TEST(Couplings, AClusterHoldsItsCourseWithAThrusterThatFails) {
  const auto run = [](const std::string& faults) {
    const Scenario scenario = coupled_scenario(R"(
duration: 40
environment: {current: [0.05, 0.05, 0]}
vehicles:
  - {name: a, robot: bluerov2-heavy, sensors: none, start: {position: [0, 0, 10]}, faults: [)" +
                                               faults + R"(]}
  - {name: b, robot: bluerov2-heavy, sensors: none}
couplings: [{name: dock, between: [a.bow, b.stern], closed: true}]
clusters:
  - name: pair
    vehicles: [a, b]
    control: {kind: pid}
    reference: {waypoints: [{position: [2, 1, 9], yaw_deg: 60}]}
)");
    log::NoSink sink;
    Simulation simulation(scenario, 1, sink);
    simulation.run();
    EXPECT_FALSE(simulation.failed());
    EXPECT_EQ(simulation.cluster_statistics()[0].in_charge, 40);
    return *simulation.cluster_statistics()[0].tracking;
  };
  const Tracking whole = run("");
  const Tracking broken =
      run("{thruster: front_port, at: 5, known_at: 6}, {thruster: rear_port, at: 5, known_at: 6}");
  EXPECT_LT(whole.position_rms, 0.08);
  EXPECT_LT(broken.position_rms, 0.1);
  EXPECT_LT(broken.attitude_max, 0.2);
}

TEST(Couplings, ControlGoesToTheClusterAndBack) {
  const Scenario scenario = coupled_scenario(R"(
duration: 12
vehicles:
  - {name: a, robot: bluerov2-heavy, sensors: none, control: {kind: pid}, reference: {waypoints: [{position: [0, 0, 10]}]}}
  - {name: b, robot: bluerov2-heavy, sensors: none}
couplings: [{name: dock, between: [a.bow, b.stern], closed: true, opens_at: 5}]
clusters: [{name: pair, vehicles: [b, a], control: {kind: open_loop, by: wrench, commands: [[0, 30, 0, 0, 0, 0, 0]]}}]
)");
  log::DatasetSink sink;
  Simulation simulation(scenario, 1, sink);
  simulation.run();
  std::vector<std::string> told;
  for (const Event& event : simulation.events())
    if (event.vehicle == "pair") told.push_back(event.what);
  EXPECT_EQ(told, (std::vector<std::string>{"takes over: b and a are steered as one",
                                            "lets go: b and a steer themselves"}));
  const log::Dataset data = std::move(sink).dataset();
  EXPECT_NEAR(data.channel("pair.control").t.back(), 4.99, 1e-9);
  const auto north = data.channel("a.state").column("north");
  EXPECT_GT(north[500], 0.3) << "pushed as one";
  EXPECT_LT(north[north.size() - 1], 0.1) << "back where its own reference holds it";
  const auto forces = data.channel("b.thrusters").column("force_front_port");
  EXPECT_GT(std::abs(forces[400]), 1);
  EXPECT_LT(std::abs(forces[forces.size() - 1]), 1e-9) << "b drifts again";
}

TEST(Couplings, OverALongRunNothingDrifts) {
  const Scenario scenario = coupled_scenario(R"(
duration: 200
environment: {current: [0.1, 0.1, 0]}
vehicles:
  - {name: a, robot: bluerov2-heavy, sensors: none, start: {position: [0, 0, 50]}, control: {kind: joystick, axes: [surge, sway, heave, roll, pitch, yaw]}}
  - {name: b, robot: bluerov2-heavy, sensors: none, control: {kind: joystick}}
  - {name: c, robot: nielsen-bluerov, sensors: none}
couplings:
  - {between: [a.bow, b.stern], closed: true}
  - {between: [b.port, c.starboard], closed: true}
)");
  log::NoSink sink;
  Simulation simulation(scenario, 1, sink);
  simulation.run();
  for (const CouplingStatistics& statistics : simulation.coupling_statistics()) {
    EXPECT_LT(statistics.drift.distance, 1e-11);
    EXPECT_LT(statistics.drift.angle, 1e-11);
  }
}

}  // namespace
}  // namespace fathom::loop::couplings_test
