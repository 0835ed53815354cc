// What a format cannot carry is listed, item by item.
#include <set>

#include "fathom/exchange/test/round_trip.hpp"

namespace fathom::exchange::losses_test {
namespace {

std::set<std::string> lost(const model::Robot& robot, Format format) {
  std::set<std::string> keys;
  for (const Loss& loss : export_robot(robot, format).losses) {
    EXPECT_FALSE(loss.what.empty()) << loss.key;
    keys.insert(loss.key);
  }
  return keys;
}

const model::Robot rich = model::parse_robot(model::test::rich_file(), "rich.yaml");
const model::Robot small = model::test::small_robot();

void expect_lost(const std::set<std::string>& keys, const std::vector<std::string>& expected) {
  for (const std::string& key : expected) EXPECT_TRUE(keys.contains(key)) << key;
}

TEST(Losses, UuvSimulator) {
  expect_lost(lost(rich, Format::uuv_simulator),
              {"damping.quadratic.w",     // the skid's coupling of heave and pitch
               "damping[1].quadratic.u",  // the skid stands away from the origin
               "hull.centre_of_mass",     // forces act there in the simulator
               "hull.mass",               // propellers need some
               "thrusters[0].force",      // the manager has one limit for both directions
               "thrusters[1].map", "thrusters[1].map.command.unit", "thrusters[1].transient",
               "thrusters[2].map", "thrusters[2].map.current", "thrusters[2].transient", "thrusters[3].map",
               "thrusters[3].transient",  // inflow, motor
               "thrusters[4].map", "thrusters[7].map.table.voltages", "sensors[0]", "sensors[3]", "connectors",
               "sigma"});
  EXPECT_EQ(lost(small, Format::uuv_simulator), (std::set<std::string>{"hull.centre_of_mass"}));
}

TEST(Losses, Rdml) {
  expect_lost(lost(rich, Format::rdml),
              {"damping.linear", "damping.quadratic.w", "hull.inertia", "hull.size", "thrusters[0]",
               "thrusters[0].force", "thrusters[1].map", "thrusters[1].transient", "thrusters[7]", "sensors[2]",
               "connectors", "sigma"});
  EXPECT_EQ(lost(small, Format::rdml), std::set<std::string>{});
  // RexROV's couplings of added mass.
  for (const model::Robot& robot : model::test::all_robots())
    if (robot.name() == "rexrov") {
      EXPECT_TRUE(lost(robot, Format::rdml).contains("hull.added_mass"));
    }
}

TEST(Losses, Stonefish) {
  expect_lost(lost(rich, Format::stonefish),
              {"hull.added_mass", "damping.linear", "damping.quadratic", "damping", "thrusters[0].force",
               "thrusters[1].map", "thrusters[2].map.command.neutral", "thrusters[3].map",
               "thrusters[3].transient", "sensors[0]", "sigma"});
  EXPECT_EQ(lost(small, Format::stonefish),
            (std::set<std::string>{"damping", "damping.linear", "damping.quadratic", "hull.added_mass",
                                   "hull.size"}));
  const ExportOptions moon{model::Environment(1000, 1.62)};
  bool told = false;
  for (const Loss& loss : export_robot(small, Format::stonefish, moon).losses) told |= loss.key == "gravity";
  EXPECT_TRUE(told);
}

TEST(Losses, Matlab) {
  EXPECT_EQ(lost(small, Format::matlab), std::set<std::string>{});
  expect_lost(lost(rich, Format::matlab),
              {"thrusters[0].force", "thrusters[1].map", "thrusters[1].transient", "sensors[0]", "sigma"});
}

}  // namespace
}  // namespace fathom::exchange::losses_test
