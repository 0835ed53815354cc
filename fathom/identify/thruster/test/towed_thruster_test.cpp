
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/random.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/identify/thruster/thruster.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::identify::towed_thruster_test {
namespace {

using fathom::test::error_text;

constexpr double density = 1000, diameter = 0.0762, reverse_share = 0.8;

/// N, K_T = 0.435 - 0.789 J + alpha2 J^2, of a shaft that turns forward.
double thrust(double w, double u, double alpha2) {
  const double n = w / (2 * std::numbers::pi), J = u / (n * diameter);
  return density * std::pow(diameter, 4) * n * n * (0.435 - 0.789 * J + alpha2 * J * J);
}

struct Plant {
  double alpha2 = 0, sigma = 0, sign_of_inflow = 1;
  std::vector<double> towed_forward = {0.3, 0.6, 0.9}, towed_reverse = {};
  std::vector<double> voltages = {16};
  bool still = true;

  BollardTable table() const {
    std::vector<std::array<double, 5>> rows;  // command, voltage, inflow, speed, force
    RandomStream random(5, "towed thruster");
    const auto add = [&](double pwm, double u, double voltage) {
      const double w = 0.8 * voltage * std::pow(std::max(0.0, std::abs(pwm - 1500) - 27), 0.55);
      const double force = w == 0       ? 0
                           : pwm > 1500 ? thrust(w, u, alpha2)
                                        : -reverse_share * thrust(w, -u, alpha2);
      rows.push_back({pwm, voltage, sign_of_inflow * u, w, force + sigma * random.normal()});
    };
    for (const double voltage : voltages) {
      for (double pwm = 1100; still && pwm <= 1900; pwm += 25) add(pwm, 0, voltage);
      for (const double u : towed_forward)
        for (double pwm = 1600; pwm <= 1950; pwm += 50) add(pwm, u, voltage);
      for (const double u : towed_reverse)
        for (double pwm = 1100; pwm <= 1400; pwm += 50) add(pwm, u, voltage);
    }
    const Eigen::Map<const Eigen::MatrixXd> columns(rows.front().data(), 5,
                                                    static_cast<Eigen::Index>(rows.size()));
    BollardTable result{model::CommandUnit::pwm_us, columns.row(0), columns.row(4), {}, columns.row(3), {}};
    if (voltages.size() > 1) result.voltages = columns.row(1);
    result.inflows = columns.row(2);
    return result;
  }
};

const model::ThrustCoefficients truth =
    model::thrust_coefficients({model::OpenWater{diameter, 0.435, -0.789}, {}}, density);

IdentifiedThruster identified(const BollardTable& table) {
  return identify_thruster(table, command_of(table), "towed", {.folds = 4, .resamples = 5});
}

TEST(TowedThruster, FindsTheLossOfBothSides) {
  const IdentifiedThruster found = identified(Plant{.towed_reverse = {-0.4, -0.8}}.table());
  ASSERT_TRUE(found.forward_towed && found.reverse_towed);
  EXPECT_TRUE(found.left_out.empty());
  EXPECT_NEAR(found.forward_towed->loss.thrust.ww, truth.ww, 1e-9 * truth.ww);
  EXPECT_NEAR(found.forward_towed->loss.thrust.wu, truth.wu, 1e-9 * std::abs(truth.wu));
  EXPECT_NEAR(found.reverse_towed->loss.thrust.ww, reverse_share * truth.ww, 1e-9 * truth.ww);
  EXPECT_NEAR(found.reverse_towed->loss.thrust.wu, reverse_share * truth.wu, 1e-9 * std::abs(truth.wu));
  EXPECT_DOUBLE_EQ(found.forward_towed->far_inflow(), 0.9);
  EXPECT_DOUBLE_EQ(found.reverse_towed->far_inflow(), 0.8);  // along the thrust of that side
  EXPECT_DOUBLE_EQ(found.map().command.max, 1900);           // of still water; towed to 1950
}

/// Its own coefficients in reverse, and with them the true shaft speeds there.
TEST(TowedThruster, MapHoldsTheLossInReverse) {
  const BollardTable table = Plant{.towed_reverse = {-0.4, -0.8}}.table();
  const IdentifiedThruster found = identified(table);
  const auto& propeller = std::get<model::Propeller>(found.map().law);
  ASSERT_TRUE(propeller.reverse);
  EXPECT_NEAR(propeller.reverse->wu, reverse_share * truth.wu, 1e-9 * std::abs(truth.wu));
  for (Eigen::Index k = 0; k < table.commands.size(); ++k) {
    const double command = table.commands[k];
    if (command >= 1470) continue;
    const double speed = model::shaft_speed_of_command(propeller, found.map().command, command);
    EXPECT_NEAR(speed, -(*table.speeds)[k], 0.02 * 260) << command;
    EXPECT_NEAR(model::propeller_thrust(model::thrust_sides(propeller, density), speed, (*table.inflows)[k]),
                table.forces[k], 0.3)
        << command;
  }
}

TEST(TowedThruster, IntervalsHoldALossThatIsNoneOfTheLaw) {
  const IdentifiedThruster found = identified(Plant{.alpha2 = 0.03, .sigma = 0.3}.table());
  ASSERT_TRUE(found.forward_towed);
  for (const double w : found.forward_towed->speeds())
    for (const double u : found.forward_towed->inflows()) {
      const AdvanceLoss::Loss loss = found.forward_towed->loss.loss(w, u);
      EXPECT_NEAR(loss.share, 1 - thrust(w, u, 0.03) / thrust(w, 0, 0.03), 2 * sigmas_of_95 * loss.sigma);
      EXPECT_LT(loss.sigma, 0.05);
    }
}

/// In still water the map is the static law on both sides; with inflow it is the thrust of the towed rows.
TEST(TowedThruster, MapHoldsStillWaterAndInflow) {
  const BollardTable table = Plant{}.table();
  const IdentifiedThruster found = identified(table);
  ASSERT_TRUE(found.propeller);
  EXPECT_EQ(&found.map(), &*found.propeller);
  const auto& propeller = std::get<model::Propeller>(found.map().law);
  const auto force = [&](double command, double inflow) {
    return model::propeller_thrust(model::thrust_coefficients(propeller, density),
                                   model::shaft_speed_of_command(propeller, found.map().command, command),
                                   inflow);
  };
  const model::ThrusterMap& still = found.tests.front().laws.map;
  for (double command = 1100; command <= 1900; command += 3)
    EXPECT_NEAR(force(command, 0), model::force_of_command(still, command, 0), 0.04) << command;
  for (Eigen::Index k = 0; k < table.commands.size(); ++k) {
    const double command = table.commands[k];
    if (command > found.map().command.max) continue;
    EXPECT_NEAR(force(command, (*table.inflows)[k]), table.forces[k], 0.4) << command;
  }

  model::RobotSpec spec = model::read_robot(FATHOM_ROBOTS_DIR "/bluerov2-heavy.yaml").spec();
  for (model::Thruster& thruster : spec.thrusters) {
    thruster.map = found.map();
    thruster.map_name = "mine";
    thruster.force.reset();
  }
  const std::string yaml = model::robot_to_yaml(model::Robot::make(spec));
  EXPECT_EQ(*model::parse_robot(yaml, "r").thrusters()[0].map, found.map());
}

TEST(TowedThruster, LossGoesOverAllVoltagesAndTheMapStaysATable) {
  const IdentifiedThruster found = identified(Plant{.voltages = {12, 16}}.table());
  ASSERT_TRUE(found.forward_towed && found.table);
  EXPECT_FALSE(found.propeller);
  EXPECT_TRUE(std::holds_alternative<model::ForceTable>(found.map().law));
  EXPECT_NEAR(found.forward_towed->loss.thrust.wu, truth.wu, 1e-9 * std::abs(truth.wu));
}

TEST(TowedThruster, TellsWhatKeepsItFromFitting) {
  const auto left_out = [](const BollardTable& table) {
    const IdentifiedThruster found = identified(table);
    EXPECT_FALSE(found.propeller);
    return found.left_out.empty() ? "" : found.left_out.front();
  };
  BollardTable no_speed = Plant{}.table();
  no_speed.speeds.reset();
  EXPECT_EQ(left_out(no_speed), "thrust loss forward: there is no column of the shaft speed");
  EXPECT_NE(left_out(Plant{.towed_forward = {}}.table()).find("no row with inflow"), std::string::npos);
  EXPECT_NE(left_out(Plant{.sign_of_inflow = -1}.table()).find("grows with the inflow"), std::string::npos);
  BollardTable too_fast = Plant{}.table();
  (*too_fast.inflows)[40] = 1e300;
  EXPECT_NE(left_out(too_fast).find("thrust loss forward: "), std::string::npos);
  EXPECT_NE(error_text([] { identified(Plant{.still = false}.table()); }).find("no rows in still water"),
            std::string::npos);
}

}  // namespace
}  // namespace fathom::identify::towed_thruster_test
