// What is wrong with couplings and clusters of a scenario file is told with its place and a remedy.

#include <numbers>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/loop/scenario.hpp"

namespace fathom::loop::coupling_reader_test {
namespace {

Scenario scenario_of(const std::string& couplings, const std::string& more = "") {
  return parse_scenario(R"(format: fathom-scenario-1
name: test
duration: 5
vehicles:
  - {name: a, robot: bluerov2-heavy, start: {position: [0, 0, 9], yaw_deg: 90}}
  - {name: b, robot: bluerov2-heavy}
  - {name: c, robot: bluerov2-heavy, dof: 4, start: {position: [5, 0, 9]}}
  - {name: d, robot: bluerov2-heavy, start: {position: [5, 5, 9]}}
couplings:
)" + couplings + more,
                        "test.yaml", {FATHOM_ROBOTS_DIR});
}

std::string told(const std::string& couplings, const std::string& more = "") {
  try {
    scenario_of(couplings, more);
  } catch (const InputError& error) {
    return error.findings().front().text();
  }
  return "nothing";
}

TEST(CouplingReader, ReadsEveryKey) {
  const Scenario scenario = scenario_of(
      R"(  - {name: dock, between: [a.bow, {vehicle: d, position: [-0.3, 0, 0.1], yaw_deg: 180}], turn_deg: 90,
     latch: {distance: 0.01, angle_deg: 5, speed: 0.1, turn_rate_deg: 10, from: 3}, opens_at: [4, 6], once: true}
  - {between: [a.stern, b.bow], closed: true, opens_at: 2}
)",
      "clusters: [{name: pair, vehicles: [b, a], control: {kind: pid}}]\n");
  const CouplingScenario &dock = scenario.couplings[0], &other = scenario.couplings[1];
  EXPECT_EQ(dock.ends[0].connector, "bow");
  EXPECT_EQ(dock.ends[1].vehicle, 3u);
  EXPECT_EQ(dock.ends[1].pose_b.p_pc_p, Vec3(-0.3, 0, 0.1));
  EXPECT_NEAR(dock.turn, std::numbers::pi / 2, 1e-15);
  EXPECT_EQ(dock.latch->distance, 0.01);
  EXPECT_NEAR(dock.latch->angle, 5 * degree, 1e-15);
  EXPECT_EQ(dock.armed_from, 3);
  EXPECT_EQ(dock.opens_at, (std::vector<double>{4, 6}));
  EXPECT_TRUE(dock.once);
  EXPECT_EQ(other.name, "a-b");
  EXPECT_EQ(other.opens_at, std::vector<double>{2});
  // b has no start of its own: with its bow at the stern of a, which looks east, it is a length to the west.
  const double length = scenario.vehicles[0].robot.hull().size->value.x();
  EXPECT_LT((scenario.vehicles[1].start.p_nb_n - Vec3(0, -length, 9)).norm(), 1e-12);
  EXPECT_EQ(scenario.clusters[0].vehicles, (std::vector<std::size_t>{1, 0}));
}

TEST(CouplingReader, TellsWhatIsWrong) {
  EXPECT_EQ(
      told("  - {between: [a.bow, e.stern], closed: true}\n"),
      "test.yaml:10: couplings[0].between[1] = 'e', but the scenario has no such vehicle (it has a, b, c, d)");
  EXPECT_EQ(
      told("  - {between: [a.bwo, b.stern], closed: true}\n"),
      "test.yaml:10: couplings[0].between[0] = 'bwo', but bluerov2-heavy has no such connector (did you mean "
      "bow?)");
  EXPECT_NE(told("  - {between: [a.bow, a.stern], closed: true}\n").find("couples a to itself"),
            std::string::npos);
  EXPECT_NE(told("  - {between: [a.bow, b.stern]}\n").find("has no latch, so it never closes"),
            std::string::npos);
  EXPECT_NE(told("  - {between: [a.bow, b.stern], latch: {distance: 0}}\n").find("latch.distance"),
            std::string::npos);
  EXPECT_NE(told("  - {between: [a.bow, b.stern], latch: {distance: 10}}\n")
                .find("latch.distance = 10 m, no latch catches from there (m, not mm?)"),
            std::string::npos);
  EXPECT_NE(told("  - {between: [a.bow, b.stern], latch: {speed: -1}}\n").find("latch.speed"),
            std::string::npos);
  EXPECT_NE(told("  - {between: [a.bow, b.stern], latch: {}, opens_at: [4, 4]}\n")
                .find("opens_at has 4 s, which is not after 4 s"),
            std::string::npos);
  EXPECT_NE(told("  - {name: a, between: [a.bow, b.stern], latch: {}}\n").find("has the name 'a' of a vehicle"),
            std::string::npos);
  EXPECT_NE(told("  - {between: [a.bow, b.stern], closed: true}\n  - {name: x, between: [b.bow, a.bow], "
                 "closed: true}\n")
                .find("(x)"),
            std::string::npos);
}

TEST(CouplingReader, WhatIsHeldLevelDoesNotLean) {
  const std::string couples =
      "test.yaml:10: couplings[0] (dock) couples a with 6 degrees of freedom to c with 4 (give both the same "
      "dof)";
  EXPECT_EQ(told("  - {name: dock, between: [a.bow, c.stern], closed: true}\n"), couples);
  EXPECT_EQ(told("  - {name: dock, between: [a.bow, c.stern], latch: {}}\n"), couples);

  const auto level = [](const std::string& coupling, const std::string& start = "") {
    try {
      parse_scenario(R"(format: fathom-scenario-1
name: test
duration: 5
vehicles:
  - {name: a, robot: bluerov2-heavy, dof: 4, start: {position: [0, 0, 9], yaw_deg: 90}}
  - {name: b, robot: bluerov2-heavy, dof: 4)" +
                         start + "}\ncouplings:\n  - {name: dock, between: [a.bow, b.stern], " + coupling +
                         "}\n",
                     "test.yaml", {FATHOM_ROBOTS_DIR});
    } catch (const InputError& error) {
      EXPECT_EQ(error.findings().size(), 1u);
      return error.findings().front().text();
    }
    return std::string("nothing");
  };
  const std::string leans =
      "test.yaml:8: couplings[0] (dock) makes b lean by 20 degrees against a, but 4 degrees of freedom hold "
      "both level (dof: 6, or another turn_deg or connector)";
  EXPECT_EQ(level("turn_deg: 20, closed: true"), leans);
  EXPECT_EQ(level("turn_deg: 20, closed: true", ", start: {position: [0, 0.457, 9], yaw_deg: 90}"), leans);
  EXPECT_EQ(level("turn_deg: 20, latch: {angle_deg: 10}"), leans) << "it would never catch";
  EXPECT_EQ(level("turn_deg: 20, latch: {angle_deg: 25}"), "nothing");
  EXPECT_EQ(level("closed: true"), "nothing");
  // Half a degree is let pass where the starts say that both are level, and not where b goes where it fits.
  EXPECT_EQ(level("turn_deg: 0.5, closed: true", ", start: {position: [0, 0.457, 9], yaw_deg: 90}"), "nothing");
  EXPECT_NE(level("turn_deg: 0.5, closed: true").find("lean by 0.5 degrees"), std::string::npos);
}

TEST(CouplingReader, AGapAtTheStartIsToldInMillimetresAndDegrees) {
  const std::string text = told("  - {name: dock, between: [a.bow, d.stern], closed: true}\n");
  EXPECT_NE(text.find("couplings[0] (dock) is closed from the start, but its ends are "), std::string::npos)
      << text;
  EXPECT_NE(text.find("mm and 90.00 degrees from fitting"), std::string::npos) << text;
  EXPECT_NE(text.find("start: {position: [0.0000, 0.4570, 9.0000], attitude_deg: ["), std::string::npos)
      << text;
}

TEST(CouplingReader, AClusterNamesTheVehicleThatFloatsFree) {
  const std::string dock = "  - {between: [a.bow, b.stern], closed: true}\n";
  EXPECT_NE(told(dock, "clusters: [{name: all, vehicles: [a, b, d]}]\n")
                .find("has d, which floats free: no coupling joins it to a"),
            std::string::npos);
  EXPECT_NE(told(dock, "clusters: [{name: all, vehicles: [a]}]\n").find("expected two or more"),
            std::string::npos);
  EXPECT_NE(told(dock,
                 "clusters: [{name: p, vehicles: [a, b], control: {kind: open_loop, by: command, commands: "
                 "[[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]}}]\n")
                .find("by something else than wrench or force"),
            std::string::npos);
  EXPECT_NE(told(dock, "clusters: [{name: p, vehicles: [a, b]}, {name: q, vehicles: [b, a]}]\n")
                .find("has the vehicles of cluster p"),
            std::string::npos);
}

TEST(CouplingReader, BadGainsOfAClusterAreToldBeforeItRuns) {
  const std::string dock = "  - {between: [a.bow, b.stern], latch: {}}\n";
  EXPECT_EQ(
      told(dock,
           "clusters:\n  - {name: p, vehicles: [a, b], control: {kind: pid, damping: 0.5, integral: 1}}\n"),
      "test.yaml:12: clusters[0].control integral = 1, must be >= 0 and < 2 damping = 1: the loop would be "
      "unstable");
  EXPECT_NE(told(dock,
                 "clusters: [{name: p, vehicles: [a, b], control: {kind: pid, bandwidth: [1, 1, 1, 0, 1, "
                 "1]}}]\n")
                .find("bandwidth[3] = 0 rad/s, must be > 0"),
            std::string::npos);
}

TEST(CouplingReader, AnAssemblySwimsAsOneEntry) {
  const std::filesystem::path folder = std::filesystem::path(FATHOM_SOURCE_DIR) / "data/assemblies";
  const auto read = [&](const std::string& entry) {
    return parse_scenario("format: fathom-scenario-1\nname: test\nduration: 5\nvehicles:\n  - " + entry + "\n",
                          "test.yaml", {FATHOM_ROBOTS_DIR, folder});
  };
  const Scenario scenario = read(
      "{assembly: ring-of-four, name: r, start: {position: [0, 0, 9], yaw_deg: 30}, sensors: none, control: "
      "{kind: pid}}");
  EXPECT_EQ(scenario.vehicles.size(), 4u);
  EXPECT_EQ(scenario.couplings.size(), 4u);
  for (const CouplingScenario& coupling : scenario.couplings) {
    const auto& [a, b] = coupling.ends;
    const dynamics::State &x = scenario.vehicles[a.vehicle].start, &y = scenario.vehicles[b.vehicle].start;
    EXPECT_LT(assembly::meeting(x, a.pose_b, y, b.pose_b, coupling.turn).misfit.distance, 1e-9);
  }
  EXPECT_EQ(scenario.clusters.at(0).name, "r");
  EXPECT_EQ(scenario.clusters[0].vehicles.size(), 4u);
  EXPECT_THROW(read("{assembly: ring-of-four, control: {kind: pid, damping: -1}}"), InputError);
  EXPECT_THROW(read("{assembly: bluerov2-heavy}"), InputError);
  EXPECT_THROW(read("{assembly: ring-of-for}"), InputError);
}

}  // namespace
}  // namespace fathom::loop::coupling_reader_test
