#include "fathom/identify/thruster/thruster.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::identify::thruster_test {
namespace {

using fathom::test::error_text;

constexpr double k_t = 0.0129, resistance = 0.47, T_ww = 3.7e-4;

/// Speeds by eq. 5.19 at each voltage, forces by T_ww, currents by the motor at full throttle.
BollardTable bench(const std::vector<double>& voltages) {
  const auto rows = static_cast<Eigen::Index>(voltages.size() * 41);
  BollardTable table{model::CommandUnit::pwm_us, Eigen::VectorXd(rows), Eigen::VectorXd(rows), {}, {}, {}, {}};
  Eigen::VectorXd V(rows), w(rows), i(rows);
  Eigen::Index k = 0;
  for (const double voltage : voltages)
    for (double pwm = 1100; pwm <= 1900; pwm += 20, ++k) {
      const double x = std::abs(pwm - 1500) / 100;
      V[k] = voltage;
      w[k] = std::max(0.0, (8 * voltage + 50) * std::pow(x, 0.6) - 50);
      i[k] = (voltage - k_t * w[k]) / resistance;
      table.commands[k] = pwm;
      table.forces[k] = (pwm > 1500 ? 1 : -0.8) * T_ww * w[k] * w[k];
    }
  table.voltages = V;
  table.speeds = w;
  table.currents = i;
  return table;
}

TEST(IdentifyThruster, FindsAllThatTheTableHolds) {
  const BollardTable table = bench({10, 13, 16});
  const IdentifiedThruster found =
      identify_thruster(table, command_of(table), "here", {.folds = 4, .resamples = 5});
  ASSERT_EQ(found.tests.size(), 3u);
  ASSERT_TRUE(found.table);
  EXPECT_EQ(found.map().source, "here");
  ASSERT_TRUE(found.tests[1].forward_shaft && found.tests[1].reverse_shaft && found.forward_motor);
  EXPECT_NEAR(found.tests[1].forward_shaft->speed.a, 8 * 13 + 50, 1e-3);
  EXPECT_NEAR(found.tests[1].forward_shaft->speed.shaft.exponent, 0.6, 1e-6);
  EXPECT_NEAR(found.tests[1].reverse_shaft->thrust.T_ww, 0.8 * T_ww, 1e-9);
  EXPECT_NEAR(found.forward_motor->k_t, k_t, 1e-9);
  EXPECT_NEAR(found.reverse_motor->resistance, resistance, 1e-9);
  EXPECT_TRUE(found.left_out.empty());
}

TEST(IdentifyThruster, FitsTheForceEvenWhereSpeedsAreNoGood) {
  BollardTable table = bench({16});
  table.speeds = Eigen::VectorXd::Constant(table.commands.size(), 100);
  const IdentifiedThruster found =
      identify_thruster(table, command_of(table), "", {.folds = 4, .resamples = 5});
  EXPECT_FALSE(found.table);
  EXPECT_FALSE(found.tests[0].forward_shaft);
  ASSERT_EQ(found.left_out.size(), 2u);
  EXPECT_NE(found.left_out[0].find("shaft speed forward at 16 V"), std::string::npos);
}

TEST(IdentifyThruster, TellsAtWhichVoltageATableIsNoGood) {
  BollardTable table = bench({10, 16});
  table.forces.tail(41) *= -1;
  EXPECT_NE(error_text([&] {
              identify_thruster(table, command_of(table), "", {.folds = 3, .resamples = 3});
            }).find("at 16 V has "),
            std::string::npos);
}

TEST(ThrusterMapToYaml, IsReadBackByARobotFile) {
  const BollardTable table = bench({10, 16});
  const IdentifiedThruster found =
      identify_thruster(table, command_of(table), "a \"bench\"", {.folds = 4, .resamples = 5});
  for (const model::ThrusterMap& map : {found.table->map, found.tests[0].laws.map}) {
    model::RobotSpec spec = model::read_robot(FATHOM_ROBOTS_DIR "/bluerov2-heavy.yaml").spec();
    for (model::Thruster& thruster : spec.thrusters) {
      thruster.map = map;
      thruster.map_name = "mine";
      thruster.force.reset();
    }
    const std::string yaml = model::robot_to_yaml(model::Robot::make(spec));
    EXPECT_NE(yaml.find(model::thruster_map_to_yaml("mine", map)), std::string::npos);
    EXPECT_EQ(*model::parse_robot(yaml, "r").thrusters()[0].map, map);
  }
}

}  // namespace
}  // namespace fathom::identify::thruster_test
