// Couplings that join clusters, and such that take them apart.

#include <algorithm>

#include <gtest/gtest.h>

#include "fathom/loop/test/coupled.hpp"

namespace fathom::loop::regroup_test {
namespace {

using namespace test;

/// What couplings and clusters of this name were told to have done.
std::vector<std::string> told_by(const Simulation& simulation, const std::string& name) {
  std::vector<std::string> told;
  for (const Event& event : simulation.events())
    if (event.vehicle == name) told.push_back(event.what.substr(0, event.what.find(':')));
  return told;
}

Vec6 impulse_of(const Simulation& simulation, std::initializer_list<std::size_t> vehicles) {
  Vec6 sum = Vec6::Zero();
  for (const std::size_t k : vehicles) sum += impulse_n(*simulation.vehicles()[k]);
  return sum;
}

std::vector<dynamics::State> states_of(const Simulation& simulation) {
  std::vector<dynamics::State> states;
  for (const auto& vehicle : simulation.vehicles()) states.push_back(vehicle->state());
  return states;
}

/// How far the velocity of the second is from that of one body with the first.
double slip(const dynamics::State& a, const dynamics::State& b) {
  const Pose b_in_a = Pose{a.q_nb, a.p_nb_n}.inverse() * Pose{b.q_nb, b.p_nb_n};
  return (twist_transform(b_in_a) * a.nu_b - b.nu_b).norm();
}

/// Pair a-b runs into pair c-d, a little off and turning; the latch between b and c catches, later it opens.
Scenario two_pairs() {
  return coupled_scenario(R"(
duration: 8
vehicles:
  - {name: a, robot: bluerov2-heavy, sensors: none, start: {position: [0, 0, 20], velocity: [0.1, 0, 0.01], rates: [0, 0, 0.01]}}
  - {name: b, robot: bluerov2-heavy, sensors: none}
  - {name: c, robot: bluerov2-heavy, sensors: none, start: {position: [0.952, 0.004, 20.003], yaw_deg: 2, velocity: [0, 0.01, 0], rates: [0.02, 0, -0.01]}}
  - {name: d, robot: bluerov2-heavy, sensors: none}
couplings:
  - {name: ab, between: [a.bow, b.stern], closed: true}
  - {name: bc, between: [b.bow, c.stern], latch: {distance: 0.02, angle_deg: 5}, opens_at: 6, once: true}
  - {name: cd, between: [c.starboard, d.port], turn_deg: 30, closed: true}
clusters:
  - {name: front, vehicles: [c, d], control: {kind: open_loop, by: wrench, commands: [[3, 1, 0, 0, 0, 0, 0]]}}
  - {name: back, vehicles: [a, b]}
  - {name: all, vehicles: [a, b, c, d], control: {kind: open_loop, by: wrench, commands: [[0, 4, 2, 0, 0, 0, 1]]}}
)");
}

TEST(Regroup, ACouplingMakesOneOfTwoPairs) {
  Scenario scenario = two_pairs();
  take_away_forces(scenario);
  log::DatasetSink sink;
  Simulation simulation(scenario, 1, sink);
  ASSERT_EQ(simulation.couplings().groups().size(), 2u);
  Vec6 before = Vec6::Zero(), front_before = Vec6::Zero();
  while (!simulation.done() && simulation.couplings().groups().size() == 2) {
    before = impulse_of(simulation, {0, 1, 2, 3});
    front_before = impulse_of(simulation, {2, 3});
    simulation.step();
  }
  ASSERT_EQ(simulation.couplings().groups().size(), 1u) << "they never met";
  ASSERT_LT(simulation.t(), 3) << "before then no thruster runs";
  EXPECT_EQ(simulation.couplings().groups()[0].couplings, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_LT((impulse_of(simulation, {0, 1, 2, 3}) - before).norm(), 1e-12 * before.norm());

  // All that the front pair got came through the latch: what b got of c, turned round.
  const CouplingEvent event = simulation.coupling_statistics()[1].events.at(0);
  const dynamics::State& b = simulation.vehicles()[1]->state();
  const Pose end = Pose{b.q_nb, b.p_nb_n} * scenario.couplings[1].ends[0].pose_b;
  Vec6 through_n;
  through_n.head<3>() = end.q_pc * event.impulse.head<3>();
  through_n.tail<3>() = end.q_pc * event.impulse.tail<3>() + end.p_pc_p.cross(Vec3(through_n.head<3>()));
  const Vec6 got = impulse_of(simulation, {2, 3}) - front_before;
  EXPECT_GT(got.head<3>().norm(), 0.5);
  EXPECT_LT((got + through_n).norm(), 1e-11 * before.norm());
  const std::vector<dynamics::State> now = states_of(simulation);
  for (std::size_t k = 1; k < 4; ++k) EXPECT_LT(slip(now[0], now[k]), 1e-14) << k;

  simulation.run();
  const log::Dataset data = std::move(sink).dataset();
  const log::Channel& latch = data.channel("bc.load");
  EXPECT_NEAR(latch.t.front(), event.t, 1e-9);
  EXPECT_NEAR(latch.t.back(), 5.99, 1e-9);
  for (const char* name : {"ab.load", "cd.load"}) {
    EXPECT_EQ(data.channel(name).size(), 801u) << name << " is never open";
  }
  // Nothing but thrusters acts now, and all of them give what the whole is told: every coupling carries some.
  for (const CouplingStatistics& statistics : simulation.coupling_statistics()) {
    EXPECT_GT(statistics.largest_force, 0.1) << statistics.name;
    EXPECT_LT(statistics.drift.distance, 1e-12) << statistics.name;
    EXPECT_LT(statistics.drift.angle, 1e-12) << statistics.name;
  }
}

TEST(Regroup, ControlGoesFromPairsToTheWholeAndBack) {
  const Scenario scenario = two_pairs();
  log::DatasetSink sink;
  Simulation simulation(scenario, 1, sink);
  while (simulation.t() < 5.985) simulation.step();
  ASSERT_EQ(simulation.couplings().groups().size(), 1u);
  const std::vector<dynamics::State> before = states_of(simulation);
  simulation.step();  // to 6 s, where it opens
  const auto& groups = simulation.couplings().groups();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].vehicles, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(groups[1].vehicles, (std::vector<std::size_t>{2, 3}));
  const std::vector<dynamics::State> after = states_of(simulation);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_LT((after[k].nu_b - before[k].nu_b).norm(), 5e-3) << "a step of 10 ms, no jump";
    EXPECT_LT(slip(after[0], after[k]), 1e-13) << "all still move as one";
  }
  simulation.run();
  EXPECT_GT(slip(simulation.vehicles()[0]->state(), simulation.vehicles()[2]->state()), 1e-3)
      << "each pair its way";
  const std::string take = "takes over", let = "lets go";
  EXPECT_EQ(told_by(simulation, "front"), (std::vector<std::string>{take, let, take}));
  EXPECT_EQ(told_by(simulation, "back"), (std::vector<std::string>{take, let, take}));
  EXPECT_EQ(told_by(simulation, "all"), (std::vector<std::string>{take, let}));
  double in_charge = 0;
  for (const char* name : {"back", "all"})
    for (const auto& cluster : simulation.clusters())
      if (cluster->statistics().name == name) in_charge += cluster->statistics().in_charge;
  EXPECT_NEAR(in_charge, 8, 1e-9) << "always one of them";

  const double closed = simulation.coupling_statistics()[1].events.at(0).t;
  const log::Dataset data = std::move(sink).dataset();
  EXPECT_NEAR(data.channel("all.control").t.front(), closed, 1e-9);
  EXPECT_NEAR(data.channel("all.control").t.back(), 5.99, 1e-9);
  EXPECT_EQ(data.channel("all.control").column("X")[0], 4);
  // The clock of a cluster's commands starts anew: 2 s after it opens, the front's push of the 3rd is not due.
  const auto push = data.channel("front.control").column("X");
  EXPECT_EQ(push[push.size() - 1], 0);
}

TEST(Regroup, OpeningTheMiddleOfAChainLeavesTwoPairs) {
  // Robots without lag: the state of the bodies is all there is.
  const std::string chain = R"(
environment: {current: [0.05, -0.1, 0]}
vehicles:
  - {name: a, robot: nielsen-bluerov, sensors: none, start: {position: [0, 0, 20], attitude_deg: [3, 5, 20], velocity: [0.1, 0.05, 0]}, control: {kind: open_loop, by: wrench, commands: [[0, 6, 0, 0, 0, 0, 0.3]]}}
  - {name: b, robot: nielsen-bluerov, sensors: none, control: {kind: open_loop, by: wrench, commands: [[0, -2, 1, 0, 0, 0, 0]]}}
  - {name: c, robot: nielsen-bluerov, sensors: none, control: {kind: open_loop, by: wrench, commands: [[0, 0, 0, 1, 0, 0.1, 0]]}}
  - {name: d, robot: nielsen-bluerov, sensors: none, control: {kind: open_loop, by: wrench, commands: [[0, 3, 0, 0, 0, 0, -0.2]]}}
couplings:
  - {name: ab, between: [a.bow, b.stern], closed: true}
  - {name: bc, between: [b.starboard, c.port], turn_deg: 20, closed: true%s}
  - {name: cd, between: [c.bow, d.stern], closed: true}
)";
  const auto with = [&](const std::string& head, const std::string& opens) {
    std::string body = chain;
    body.replace(body.find("%s"), 2, opens);
    return coupled_scenario(head + body);
  };
  const Scenario whole = with("duration: 10", ", opens_at: 4");
  log::DatasetSink sink;
  Simulation simulation(whole, 1, sink);
  while (simulation.t() < 3.995) simulation.step();
  const auto& groups = simulation.couplings().groups();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].vehicles, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(groups[0].couplings, std::vector<std::size_t>{0});
  EXPECT_EQ(groups[1].vehicles, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(groups[1].couplings, std::vector<std::size_t>{2});
  const std::vector<dynamics::State> at_opening = states_of(simulation);
  for (std::size_t k = 1; k < 4; ++k) EXPECT_LT(slip(at_opening[0], at_opening[k]), 1e-13);
  simulation.run();
  const std::vector<dynamics::State> end = states_of(simulation);

  // From then on each pair swims as if the other had never been.
  for (const std::size_t first : {0u, 2u}) {
    Scenario pair = with("duration: 6", "");
    pair.couplings = {pair.couplings[first]};
    for (CouplingEnd& coupling_end : pair.couplings[0].ends) coupling_end.vehicle -= first;
    pair.vehicles = {pair.vehicles[first], pair.vehicles[first + 1]};
    for (std::size_t k = 0; k < 2; ++k) pair.vehicles[k].start = at_opening[first + k];
    log::NoSink none;
    Simulation alone(pair, 1, none);
    alone.run();
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_LT(difference(alone.vehicles()[k]->state(), end[first + k]), 1e-11) << first + k;
  }
  EXPECT_GT(slip(end[1], end[2]), 0.01);
  const log::Dataset data = std::move(sink).dataset();
  EXPECT_NEAR(data.channel("bc.load").t.back(), 3.99, 1e-9);
  EXPECT_EQ(data.channel("ab.load").size(), 1001u);
  EXPECT_EQ(data.channel("cd.load").size(), 1001u);
}

}  // namespace
}  // namespace fathom::loop::regroup_test
