// What of the modules' thrusters, sensors, connectors and symmetries a merged robot has, and what it says it
// lost.
#include "fathom/assembly/internal/merge_parts.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/random.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/dynamics/thruster.hpp"
#include "fathom/model/test/random_robot.hpp"

namespace fathom::assembly::merge_parts_test {
namespace {

using internal::merge_parts;
using internal::MergePart;
using model::Robot;
using model::RobotSpec;
using model::Symmetry;
using model::Thruster;

Pose at(double x, double y, double z, double yaw = 0) {
  return {quaternion_from_euler({0, 0, yaw}), Vec3(x, y, z)};
}

bool tells(const Merged& merged, const std::string& text) {
  return std::any_of(merged.losses.begin(), merged.losses.end(),
                     [&](const std::string& loss) { return loss.find(text) != std::string::npos; });
}

std::vector<std::string> names_of(const auto& list) {
  std::vector<std::string> names;
  for (const auto& item : list) names.push_back(item.name);
  return names;
}

TEST(MergeParts, ThingsAreNamedByModuleAndPlace) {
  const Robot& rov = dynamics::test::robot_named("nielsen-bluerov");
  const Robot& bar = dynamics::test::robot_named("nielsen-connector");
  model::Connector eye;
  eye.name = "eye";
  eye.position_b.value = Vec3(0.3, 0, 0);
  eye.attitude_rpy.value = Vec3(0, 0.1, 0);
  const Merged merged = merge_parts({{"port", &rov, "", at(0, -0.5, 0), {eye}},
                                     {"bar", &bar, "", at(0, 0, 0)},
                                     {"starboard", &rov, "", at(0, 0.5, 0, std::numbers::pi)}},
                                    "pair", {});
  const RobotSpec& spec = merged.robot.spec();
  EXPECT_EQ(spec.name, "pair");
  EXPECT_EQ(spec.title, "2 x nielsen-bluerov, nielsen-connector, docked, as one robot");
  EXPECT_EQ(spec.hull.mass.source, "merged from 2 x nielsen-bluerov, nielsen-connector");
  EXPECT_TRUE(spec.hull.mass.assumed);            // both say so
  EXPECT_TRUE(spec.hull.centre_of_mass.assumed);  // of the connector it is
  EXPECT_EQ(names_of(spec.damping), (std::vector<std::string>{"port-hull", "bar-frame", "starboard-hull"}));
  ASSERT_EQ(spec.thrusters.size(), 12u);
  EXPECT_EQ(spec.thrusters[0].name, "port-surge_starboard");
  EXPECT_EQ(spec.thrusters[0].map_name, "t200");
  EXPECT_EQ(spec.thrusters[11].map_name, "t200");
  EXPECT_LT((spec.thrusters[0].position_b.value - Vec3(-0.1, -0.4, 0)).norm(), 1e-15);
  EXPECT_LT((spec.thrusters[6].position_b.value - Vec3(0.1, 0.4, 0)).norm(), 1e-15);
  EXPECT_LT((spec.thrusters[6].direction_b.value - Vec3(-1, 0, 0)).norm(), 1e-15);
  EXPECT_EQ(names_of(spec.sensors), (std::vector<std::string>{"port-qualisys", "starboard-qualisys"}));
  EXPECT_LT((spec.sensors[1].position_b.value - Vec3(-0.2415, 0.665, 0)).norm(), 1e-15);
  EXPECT_NEAR(std::abs(spec.sensors[1].attitude_rpy.value.z()), std::numbers::pi, 1e-15);
  ASSERT_EQ(spec.connectors.size(), 1u);
  EXPECT_EQ(spec.connectors[0].name, "port-eye");
  EXPECT_LT((spec.connectors[0].position_b.value - Vec3(0.3, -0.5, 0)).norm(), 1e-15);
  EXPECT_LT((spec.connectors[0].attitude_rpy.value - Vec3(0, 0.1, 0)).norm(), 1e-15);
}

TEST(MergeParts, NamesThatWouldBeTheSameGetANumber) {
  RobotSpec spec = dynamics::test::robot_named("nielsen-bluerov").spec();
  spec.thrusters.resize(1);
  spec.thrusters[0].name = "b-c";
  const Robot first = Robot::make(spec);
  spec.thrusters[0].name = "c";
  const Robot second = Robot::make(spec);
  const Merged merged = merge_parts({{"a", &first}, {"a-b", &second, "", at(1, 0, 0)}}, "pair", {});
  EXPECT_EQ(names_of(merged.robot.thrusters()), (std::vector<std::string>{"a-b-c", "a-b-c-2"}));
}

TEST(MergeParts, AnotherMapOfTheSameNameGetsTheNameOfItsRobot) {
  RobotSpec spec = dynamics::test::robot_named("nielsen-bluerov").spec();
  const Robot rov = Robot::make(spec);
  for (Thruster& thruster : spec.thrusters)
    std::get<model::LinearQuadratic>(thruster.map->law).forward.linear *= 0.9;
  spec.name = "worn";
  const Robot worn = Robot::make(spec);
  for (Thruster& thruster : spec.thrusters)
    std::get<model::LinearQuadratic>(thruster.map->law).forward.linear *= 0.9;
  const Robot more_worn = Robot::make(spec);  // of the same name, from another folder
  const Merged merged = merge_parts({{"a", &rov, "a"},
                                     {"b", &worn, "b", at(1, 0, 0)},
                                     {"c", &more_worn, "c", at(2, 0, 0)},
                                     {"d", &worn, "b", at(3, 0, 0)}},
                                    "row", {});
  const auto name = [&](std::size_t k) { return merged.robot.thrusters()[k].map_name; };
  EXPECT_EQ(name(0), "t200");
  EXPECT_EQ(name(6), "worn-t200");
  EXPECT_EQ(name(12), "worn-t200-2");
  EXPECT_EQ(name(18), "worn-t200");
}

/// What a plant makes of a command: simulate::Plant.
struct Drive {
  dynamics::ThrusterModel model;
  double gain, dead_band, saturation;
  Drive(const Robot& robot, std::size_t k)
      : model(robot.thrusters()[k], 1000),
        gain(robot.thrust_gain()),
        dead_band(robot.thrusters()[k].map ? 0 : robot.dead_band()),
        saturation(robot.thrusters()[k].map ? infinity : robot.saturation()) {}
  double target(double command) const {
    return model::delivered_force(model.target(command, 16), dead_band, saturation);
  }
  double force(double state, double inflow) const { return gain * model.force(state, inflow, 16); }
};

TEST(MergeParts, GainsAndDeadBandsThatDifferGoIntoMapsAndGiveTheSameForces) {
  RandomStream random(1, "steering");
  int mapped = 0, bare = 0, lost = 0;
  for (int k = 0; k < 60; ++k) {
    std::vector<Robot> robots;
    for (int i = 0; i < 2; ++i) {
      RobotSpec spec = dynamics::test::random_robot(1).spec();
      spec.name = fmt::format("r{}", i);
      spec.thrusters.clear();
      for (int t = 0; t < 3; ++t)
        spec.thrusters.push_back(model::test::random_thruster(fmt::format("t{}", t), random));
      if (k % 3 == 0)
        for (Thruster& thruster : spec.thrusters) {
          thruster.map.reset();
          thruster.map_name.clear();
          thruster.transient.reset();
          thruster.transient_name.clear();
          if (k % 2) thruster.force = model::Value<model::ForceRange>{{-40, 50}, "", false, {}};
        }
      model::CommandPath& command_path = spec.command_path.emplace();
      command_path.gain = model::Value<double>{random.uniform(0.5, 1.5), "", false, 0.0};
      if (k % 3 == 0) command_path.dead_band = model::Value<double>{random.uniform(0, 5), "", false, 0.0};
      if (k % 6 == 3) command_path.saturation = model::Value<double>{random.uniform(5, 30), "", false, 0.0};
      robots.push_back(Robot::make(std::move(spec)));
    }
    const Merged merged = merge_parts({{"a", &robots[0]}, {"b", &robots[1], "", at(1, 0, 0, 1)}}, "pair", {});
    ASSERT_TRUE(merged.robot.command_path());
    EXPECT_FALSE(merged.robot.command_path()->gain || merged.robot.command_path()->dead_band ||
                 merged.robot.command_path()->saturation);
    for (std::size_t i = 0; i < 6; ++i) {
      const Robot& own = robots[i / 3];
      const Thruster& before = own.thrusters()[i % 3];
      const Drive one(own, i % 3), whole(merged.robot, i);
      const double band = one.dead_band;
      const bool saturates = std::isfinite(one.saturation) && !before.force;
      if (!before.map && !saturates &&
          !(before.force && before.force->value.max > band && before.force->value.min < -band)) {
        ++lost;
        EXPECT_TRUE(tells(merged, "gain and dead band of thruster " + merged.robot.thrusters()[i].name)) << k;
        continue;
      }
      ++(before.map ? mapped : bare);
      const model::Command range =
          before.map ? before.map->command : model::Command{model::CommandUnit::newton, -60, 60, 0};
      for (int j = 0; j < 20; ++j) {
        const double command = random.uniform(range.min, range.max), inflow = random.uniform(-1, 1);
        const double goal = one.target(command), goal_of_whole = whole.target(command);
        const double expected = one.force(goal, inflow);
        EXPECT_NEAR(whole.force(goal_of_whole, inflow), expected, 1e-12 * (1 + std::abs(expected)));
        if (before.map && before.map->current) {
          const double amperes = one.model.current(goal, goal, inflow, 16);
          EXPECT_NEAR(whole.model.current(goal_of_whole, goal_of_whole, inflow, 16), amperes,
                      1e-12 * (1 + std::abs(amperes)));
        }
      }
    }
  }
  EXPECT_GT(mapped, 100);
  EXPECT_GT(bare, 20);
  EXPECT_GT(lost, 20);
}

TEST(MergeParts, SteeringThatAllHaveStaysAndWhatDiffersIsTold) {
  RobotSpec spec = dynamics::test::robot_named("nielsen-bluerov").spec();
  spec.command_path.emplace().gain = model::Value<double>{0.9, "", false, 0.1};
  const Robot one = Robot::make(spec);
  const Robot& bar = dynamics::test::robot_named("nielsen-connector");  // has none, and no thrusters
  const Merged same =
      merge_parts({{"a", &one}, {"bar", &bar, "", at(1, 0, 0)}, {"b", &one, "", at(2, 0, 0)}}, "pair", {});
  ASSERT_TRUE(same.robot.command_path());
  EXPECT_EQ(same.robot.thrust_gain(), 0.9);
  EXPECT_EQ(same.robot.thrusters()[0].map, one.thrusters()[0].map);
  const Robot& plain = dynamics::test::robot_named("nielsen-bluerov");
  const Merged other = merge_parts({{"a", &one, "a"}, {"b", &plain, "b", at(2, 0, 0)}}, "pair", {});
  EXPECT_FALSE(other.robot.command_path());
  EXPECT_TRUE(tells(other, "command_path.by: not the same"));
  EXPECT_TRUE(tells(other, "sigmas of dead bands and gains"));
  EXPECT_EQ(other.robot.thrusters()[0].map_name, "t200");
  EXPECT_EQ(other.robot.thrusters()[6].map_name, "nielsen-bluerov-t200");
}

TEST(MergeParts, SensorsOfThrustersBecomeOneIfEachModuleHasTheSame) {
  RobotSpec spec = dynamics::test::robot_named("nielsen-bluerov").spec();
  model::Sensor& sensor = spec.sensors.emplace_back();
  sensor.name = "rpm";
  sensor.kind = model::SensorKind::thruster_rate;
  sensor.rate_hz = model::Value<double>{50, "", false, {}};
  const Robot watched = Robot::make(spec);
  spec.sensors.back().rate_hz->value = 20;
  const Robot slower = Robot::make(spec);
  const Robot& plain = dynamics::test::robot_named("nielsen-bluerov");
  const auto merged = [&](const Robot& other) {
    return merge_parts({{"a", &watched, "a"}, {"b", &other, "b", at(1, 0, 0)}}, "pair", {});
  };
  EXPECT_EQ(names_of(merged(watched).robot.sensors()),
            (std::vector<std::string>{"a-qualisys", "b-qualisys", "rpm"}));
  for (const Robot* other : {&slower, &plain}) {
    const Merged without = merged(*other);
    EXPECT_EQ(without.robot.sensors().size(), 2u);
    EXPECT_TRUE(tells(without, "sensors of kind thruster_rate are left out"));
  }
}

TEST(MergeParts, PlanesOfSymmetryHoldWhereModulesAreEachOthersImages) {
  const Robot& rov = dynamics::test::robot_named("nielsen-bluerov");    // port_starboard, fore_aft
  const Robot& bar = dynamics::test::robot_named("nielsen-connector");  // all three
  const auto planes = [](std::vector<MergePart> parts) {
    const Merged merged = merge_parts(std::move(parts), "row", {});
    const Symmetry& s = merged.robot.hull().symmetry;
    return fmt::format("{:d}{:d}{:d}", s.port_starboard, s.fore_aft, s.top_bottom);
  };
  EXPECT_EQ(planes({{"a", &rov}}), "110");
  EXPECT_EQ(planes({{"a", &bar}}), "111");
  EXPECT_EQ(planes({{"a", &rov}, {"b", &rov, "", at(0, 1, 0)}}), "110");
  EXPECT_EQ(planes({{"a", &rov}, {"b", &rov, "", at(0, 1, 0, std::numbers::pi)}}), "110");
  EXPECT_EQ(planes({{"a", &rov}, {"b", &rov, "", at(0, 1, 0, std::numbers::pi / 2)}}), "010");
  EXPECT_EQ(planes({{"a", &rov}, {"b", &rov, "", at(0.2, 1, 0)}}), "000");
  EXPECT_EQ(planes({{"a", &rov}, {"b", &rov, "", at(0, 0, 1)}}), "110");
  EXPECT_EQ(
      planes({{"a", &rov}, {"b", &rov, "", {quaternion_from_euler({std::numbers::pi, 0, 0}), Vec3(0, 0, 1)}}}),
      "111");
  EXPECT_EQ(planes({{"a", &rov}, {"m", &bar, "", at(0, 0.5, 0)}, {"b", &rov, "", at(0, 1, 0)}}), "110");
  EXPECT_EQ(planes({{"a", &rov}, {"m", &bar, "", at(0, 0.4, 0)}, {"b", &rov, "", at(0, 1, 0)}}), "010");
  // Equal numbers from another file are another robot.
  EXPECT_EQ(planes({{"a", &rov, "a"}, {"b", &rov, "b", at(0, 1, 0)}}), "010");
}

TEST(MergeParts, BoxesAndEstimatesThatCannotBeKeptAreTold) {
  const Robot& rov = dynamics::test::robot_named("nielsen-bluerov");
  RandomStream random(1, "identified");
  RobotSpec spec = rov.spec();
  spec.hull.size.reset();
  spec.identified = model::test::random_identified(random);
  const Robot boundless = Robot::make(spec);
  const Merged even = merge_parts({{"a", &rov}, {"b", &rov, "", at(0, 1, 0)}}, "pair", {});
  EXPECT_TRUE(even.losses.empty());
  ASSERT_TRUE(even.robot.hull().size);
  EXPECT_LT((even.robot.hull().size->value - Vec3(0.483, 1.33, 0.25)).norm(), 1e-15);
  // Three of which two are on one side.
  const Merged uneven =
      merge_parts({{"a", &rov}, {"b", &rov, "", at(0, 1, 0)}, {"c", &rov, "", at(1, 0, 0)}}, "three", {});
  EXPECT_TRUE(tells(uneven, "the box round the modules has its middle [0.167, 0.167, 0] m from the centre of"));
  const Merged without =
      merge_parts({{"a", &rov, "a"}, {"b", &boundless, "b", at(0, 1, 0)}, {"c", &boundless, "b", at(1, 0, 0)}},
                  "three", {});
  EXPECT_FALSE(without.robot.hull().size || without.robot.identified());
  EXPECT_TRUE(tells(without, "hull.size: not every module has one"));
  EXPECT_TRUE(tells(without, "identified: what an estimate said of nielsen-bluerov"));
  EXPECT_EQ(without.losses.size(), 2u);
  const Merged overlapping = merge_parts({{"a", &rov}, {"b", &rov}, {"c", &rov}, {"d", &rov}}, "four", {});
  EXPECT_TRUE(tells(overlapping, "so they overlap"));
}

TEST(MergeParts, AnAttitudeKeepsItsRotationAndItsSigmaNearAPitchOf90Degrees) {
  RandomStream random(1, "lock");
  for (int k = 0; k < 300; ++k) {
    const double off = std::pow(10, random.uniform(-17, -1));
    Pose pose = {
        quaternion_from_euler({random.uniform(-3, 3), std::numbers::pi / 2 - off, random.uniform(-3, 3)}),
        Vec3::Zero()};
    model::Value<Vec3> attitude{Vec3::Zero(), "", false, Vec3::Constant(1e-3)};
    internal::turn_attitude(pose, attitude);
    EXPECT_LT(pose.q_pc.angularDistance(quaternion_from_euler(attitude.value)), 1e-13) << off;
    ASSERT_TRUE(attitude.sigma);
    if (off < 0.99e-6) {
      EXPECT_TRUE(std::isinf((*attitude.sigma)[2]) && std::isinf((*attitude.sigma)[0])) << off;
    } else if (off > 1.01e-6) {
      EXPECT_NEAR((*attitude.sigma)[2] * std::sin(off), 1e-3, 1e-9) << off;  // a turn about x or z of the mount
    }
    EXPECT_NEAR((*attitude.sigma)[1], 1e-3, 1e-9);
  }
}

}  // namespace
}  // namespace fathom::assembly::merge_parts_test
