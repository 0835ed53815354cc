#include <numbers>

#include <gtest/gtest.h>

#include "fathom/geometry/test/random_geometry.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::connectors_test {
namespace {

using test::error_text;
using test::small_file;

TEST(Connectors, AreReadWithTheirOrigin) {
  const Robot robot = parse_robot(test::rich_file(), "rich.yaml");
  ASSERT_EQ(robot.connectors().size(), 3u);
  const Connector &bow = robot.connectors()[0], &stern = robot.connectors()[1], &port = robot.connectors()[2];
  EXPECT_EQ(bow.name, "bow");
  EXPECT_EQ(bow.position_b.value, Vec3(0.4, 0, 0));
  EXPECT_EQ(bow.position_b.source, "the nose");
  EXPECT_TRUE(bow.position_b.assumed);
  EXPECT_TRUE(bow.attitude_rpy.assumed);
  EXPECT_EQ(stern.position_b.source, "drawing");
  EXPECT_EQ(*stern.position_b.sigma, Vec3::Constant(1e-3));
  EXPECT_EQ(stern.attitude_rpy.value, Vec3(0, 0, std::numbers::pi));
  EXPECT_EQ(port.attitude_rpy.value, Vec3(0, 0, -1.5));
  EXPECT_NEAR((stern.pose().q_pc * Vec3::UnitX() + Vec3::UnitX()).norm(), 0, 1e-15);
}

/// A coupling at the middle of a face of the hull: what the convention says, of the robots that ship.
TEST(Connectors, OfRobotsThatShipPointOutOfTheHullWithZDown) {
  int count = 0;
  for (const Robot& robot : test::all_robots())
    for (const Connector& connector : robot.connectors()) {
      ++count;
      const Vec3 out_b = connector.pose().q_pc * Vec3::UnitX(), mark_b = connector.pose().q_pc * Vec3::UnitZ();
      const Vec3 half = 0.5 * robot.hull().size->value;
      EXPECT_NEAR(out_b.dot(connector.position_b.value), half.cwiseProduct(out_b).cwiseAbs().sum(), 1e-12)
          << robot.name() << ' ' << connector.name;
      EXPECT_NEAR((mark_b - Vec3::UnitZ()).norm(), 0, 1e-15) << robot.name() << ' ' << connector.name;
      EXPECT_TRUE(connector.position_b.assumed) << robot.name() << ' ' << connector.name;
    }
  EXPECT_EQ(count, 10);
}

TEST(Connectors, ThatCannotBeNamedAreRefused) {
  const auto with_connectors = [](const std::string& text) { return small_file() + "connectors:\n" + text; };
  EXPECT_EQ(error_text(with_connectors("  - {name: bow}\n  - {name: bow, position: [1, 0, 0]}\n")),
            "bad.yaml:16: connectors[1].name = 'bow' is used twice (give each a name of its own)");
  EXPECT_EQ(
      error_text(with_connectors("  - {name: the.bow}\n")),
      "bad.yaml:15: connectors[0].name = 'the.bow', expected at most 64 letters, digits, - and _, a letter or "
      "digit first (assemblies speak of it as module.connector)");
  EXPECT_EQ(error_text(with_connectors("  - {name: \"\"}\n")),
            "bad.yaml:15: connectors[0].name is empty (give each a name of its own)");
  EXPECT_EQ(error_text(with_connectors("  - {position: [1, 0, 0]}\n")),
            "bad.yaml:15: connectors[0] lacks the key name (a short word)");
}

TEST(Connectors, WithoutAPlaceAreRefused) {
  EXPECT_EQ(error_text(small_file() + "connectors:\n  - {name: bow, position: [.inf, 0, 0]}\n"),
            "bad.yaml:15: connectors[0].position[0] = .inf, must be finite (measure it, or leave the key out "
            "if it is "
            "optional)");
  EXPECT_EQ(error_text(small_file() + "connectors:\n  - {name: bow, positon: [1, 0, 0]}\n"),
            "bad.yaml:15: connectors[0] has the unknown key 'positon' (did you mean position?)");
  RobotSpec spec = test::small_robot().spec();
  spec.connectors.resize(1);
  spec.connectors[0].name = "bow";
  spec.connectors[0].position_b.value.x() = std::nan("");
  try {
    Robot::make(spec);
    ADD_FAILURE() << "it is a robot";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "connectors[0].position has an entry that is not finite or is beyond 1e+12 (every entry must be a "
        "number in SI units)");
  }
}

TEST(Connectors, AnAssemblyIsNotTakenForARobot) {
  EXPECT_EQ(
      error_text("format: fathom-robot-1\nname: pair\nassembly:\n  modules: []\n"),
      "bad.yaml:3: assembly stands here: this is an assembly of robots, not one robot ('fathom assemble FILE' "
      "writes its merged robot, which can be used here)");
}

}  // namespace
}  // namespace fathom::model::connectors_test
