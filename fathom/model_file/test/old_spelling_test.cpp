// Shipped files as they were before their keys were renamed read to the same values.
#include <filesystem>

#include <gtest/gtest.h>

#include "fathom/model/geometric_prior.hpp"
#include "fathom/model/test/compare.hpp"
#include "fathom/model_file/hull_file.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::old_spelling_test {
namespace {

Robot prior_of(const std::filesystem::path& hull) {
  return geometric_prior(read_hull_file(std::filesystem::path(FATHOM_SOURCE_DIR) / hull), Environment());
}

TEST(OldSpelling, OfHullsReadsAlike) {
  for (const std::string file : {"studies/real/rov_hull.yaml", "studies/real/auv_hull.yaml"}) {
    const Robot now = prior_of(file), before = prior_of("tests/old_files/" + file);
    ASSERT_TRUE(now.command_path());
    EXPECT_EQ(test::difference(before, now), "") << file;
  }
}

const std::string thrusters =
    "thrusters: [{name: a, position: [0, 0, 0], direction: [1, 0, 0], force: [-9, 9]}]\n";

TEST(OldSpelling, OfRobotsReadsAlikeAndIsWrittenAnew) {
  const std::string text = test::small_file() + thrusters, value = ": {by: wrench, gain: 0.9}\n";
  const Robot before = parse_robot(text + "steering" + value, "old.yaml");
  EXPECT_EQ(test::difference(before, parse_robot(text + "command_path" + value, "new.yaml")), "");
  EXPECT_EQ(robot_to_yaml(before).find("steering"), std::string::npos);
  EXPECT_NE(robot_to_yaml(before).find("command_path:"), std::string::npos);
}

TEST(OldSpelling, IsRejectedLikeTheNewOneAtItsLine) {
  const std::string text = test::small_file() + thrusters;
  EXPECT_EQ(
      test::error_text(text + "steering: {by: wrench, gain: 1000}\n"),
      "bad.yaml:15: command_path.gain = 1000, must be from 0.01 to 100 (force in the water over what map or "
      "command say)");
  EXPECT_EQ(test::error_text(text + "command_path: {by: wrench}\nsteering: {by: wrench}\n"),
            "bad.yaml:16: steering stands beside command_path (give one of them)");
}

}  // namespace
}  // namespace fathom::model::old_spelling_test
