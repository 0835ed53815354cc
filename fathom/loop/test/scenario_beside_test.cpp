// Files that a scenario names beside itself: commands, trajectories, robots; and robots that cannot be
// simulated.
#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/loop/scenario.hpp"
#include "fathom/trajectory/trajectory_file.hpp"

namespace fathom::loop::scenario_beside_test {
namespace {

class ScenarioBeside : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) { fathom::test::spill(folder_ / name, text); }

  Scenario read(const std::string& vehicle) {
    return parse_scenario(
        "format: fathom-scenario-1\nname: dive\nduration: 10\nvehicles:\n  - {" + vehicle + "}\n",
        (folder_ / "dive.yaml").string(), {FATHOM_ROBOTS_DIR});
  }

  /// Message and hint of the first problem.
  std::string finding(const std::string& vehicle) {
    try {
      read(vehicle);
    } catch (const InputError& error) {
      const Finding& first = error.findings().front();
      return first.message + " (" + first.hint + ")";
    }
    return "";
  }

  fathom::test::TemporaryFolder folder_;
};

TEST_F(ScenarioBeside, CommandsComeFromAFileInTheirOwnUnits) {
  const std::string wrench =
      "robot: bluerov2-heavy, control: {kind: open_loop, by: wrench, commands: push.csv}";
  EXPECT_EQ(finding(wrench),
            "= 'push.csv', which does not exist (a path is meant from the folder of the scenario)");
  put("push.csv", "t [s],X [N],Y [N],Z [N],K [N m],M [N m],N [N m]\n0,1,2,3,4,5,6\n2,6,5,4,3,2,1\n");
  EXPECT_EQ(finding(wrench), "");
  put("push.csv", "t [s],X [lbf],Y,Z,K,M,N\n0,1,2,3,4,5,6\n");
  const std::string push = (folder_ / "push.csv").string();
  EXPECT_EQ(finding(wrench), push + " has column 'X' in lbf, expected N (nothing is converted)");
  put("push.csv", "t [s],X [N]\n0,1\n");
  EXPECT_EQ(finding(wrench), push + " has 1 columns besides t, expected 6 (time, then X Y Z K M N)");
  put("push.csv", "t [s],X [N],Y [N],Z [N],K [N m],M [N m],N [N m]\n0,1,2,3,4,5,6\n2,6,5,x,3,2,1\n");
  EXPECT_TRUE(finding(wrench).starts_with(push + ":3: ")) << finding(wrench);
  put("push.csv", "t [s],X [N],Y [N],Z [N],K [N m],M [N m],N [N m]\n0,1,2,3,4,5,6\n2,6,5,1e200,3,2,1\n");
  EXPECT_TRUE(finding(wrench).ends_with(
      "push.csv', where column 'Z' at 2 s is 1e+200 N, expected at most 1e+07 (a slip, "
      "or another unit?)"));
  put("push.csv", "t [s],X [N],Y [N],Z [N],K [N m],M [N m],N [N m]\n0,1,2,3,4,5,6\n0,6,5,4,3,2,1\n");
  EXPECT_TRUE(finding(wrench).starts_with(push + ": commands [1] is at 0 s")) << finding(wrench);
  const std::string one_by = "t [s],a [furlong],b,c,d,e,f,g,h\n0,0,0,0,0,0,0,0,0\n";
  put("each.csv", one_by);
  for (const auto& [by, unit] : {std::pair{"force", "N"}, {"pwm", "us"}})
    EXPECT_EQ(finding(std::string("robot: bluerov2-heavy, control: {kind: open_loop, by: ") + by +
                      ", commands: each.csv}"),
              (folder_ / "each.csv").string() + " has column 'a' in furlong, expected " + unit +
                  " (nothing is converted)");
}

TEST_F(ScenarioBeside, AReferenceMayBeATrajectoryFile) {
  const std::string follow = "robot: bluerov2-heavy, control: {kind: pid}, reference: {trajectory: path.yaml}";
  EXPECT_TRUE(
      finding(follow).ends_with("which does not exist (a path is meant from the folder of the scenario)"));
  Eigen::MatrixXd points = Eigen::MatrixXd::Zero(6, 2);
  points.row(2).setConstant(3);
  points(0, 1) = 1;
  put("path.yaml", trajectory::trajectory_to_yaml(trajectory::Bezier({0, 5}, 1, points)));
  EXPECT_EQ(read(follow).vehicles[0].start.p_nb_n, Vec3(0, 0, 3));
  EXPECT_EQ(
      finding("robot: bluerov2-heavy, control: {kind: pid}, reference: {trajectory: path.yaml, waypoints: []}"),
      "stands beside waypoints (one of them says where to go)");
  points(0, 1) = 1e9;
  put("path.yaml", trajectory::trajectory_to_yaml(trajectory::Bezier({0, 5}, 1, points)));
  EXPECT_TRUE(finding(follow).starts_with("cannot be used: " + (folder_ / "path.yaml").string()))
      << finding(follow);
  put("path.yaml", "format: fathom-scenario-1\n");
  EXPECT_TRUE(finding(follow).starts_with("cannot be used: "));
}

TEST_F(ScenarioBeside, SensorsThatALogCannotHoldAreRefused) {
  const std::string robot = read_file(std::filesystem::path(FATHOM_ROBOTS_DIR) / "bluerov2-heavy.yaml");
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = robot;
    text.replace(text.find(from), from.size(), to);
    put("mine.yaml", text);
    return finding("robot: mine.yaml");
  };
  EXPECT_EQ(changed("- name: imu", "- name: imu"), "");
  EXPECT_TRUE(changed("- name: imu", "- name: state").ends_with("give it another name in the robot file)"));
  EXPECT_TRUE(changed("- name: imu", "- name: a/b").find("cannot be part of a file's name") !=
              std::string::npos);
  EXPECT_TRUE(changed("    rate_hz: 100\n", "").find("which has no rate_hz") != std::string::npos);
  EXPECT_TRUE(changed("rate_hz: 100\n", "rate_hz: 1.0e+6\n").find("which has 1000000 Hz, more than") !=
              std::string::npos);
}

}  // namespace
}  // namespace fathom::loop::scenario_beside_test
