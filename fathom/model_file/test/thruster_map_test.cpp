// Maps of thrusters in robot files: what is rejected and in which words, what is shared, what comes back from a
// file.
#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/model/test/compare.hpp"
#include "fathom/model/test/random_thruster_map.hpp"
#include "fathom/model_file/internal/lint.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::thruster_map_test {
namespace {

using test::error_text;
using test::small_file;

const std::string pair_file = small_file() + R"(thruster_maps:
  t200:
    source: a bench
    command: {unit: normalized}
    polynomial_pair:
      dead_band: [-0.1, 0.1]
      forward: [10, 20, 0, 0, 0]
      reverse: [10, -20, 0, 0, 0]
thruster_transients:
  lag: {assumed: quick, first_order: {time_constant: 0.2}}
thrusters:
  - {name: a, position: [0, 0.1, 0], direction: [1, 0, 0], map: t200, transient: lag}
  - {name: b, position: [0, -0.1, 0], direction: [1, 0, 0], map: t200, transient: lag}
)";

std::string changed_pair(const std::string& from, const std::string& to) {
  return error_text(test::with(pair_file, from, to));
}

TEST(ThrusterMap, ThrustersShareWhatTheyNameAndAWrittenFileSharesItToo) {
  const Robot robot = parse_robot(pair_file, "pair.yaml");
  ASSERT_EQ(robot.thrusters().size(), 2u);
  EXPECT_EQ(robot.thrusters()[0].map, robot.thrusters()[1].map);
  EXPECT_EQ(std::get<PolynomialPair>(robot.thrusters()[1].map->law).forward[1], 20);
  EXPECT_EQ(robot.thrusters()[1].map->source, "a bench");
  EXPECT_TRUE(robot.thrusters()[0].transient->assumed);
  const std::string written = robot_to_yaml(robot);
  EXPECT_EQ(written.find("polynomial_pair"), written.rfind("polynomial_pair")) << written;
  EXPECT_EQ(test::difference(robot, parse_robot(written, "written.yaml")), "");
}

TEST(ThrusterMap, AMapThatFallsIsRefusedAndSaysWhere) {
  EXPECT_EQ(
      changed_pair("forward: [10, 20, 0, 0, 0]", "forward: [10, -10, 0, 0, 0]"),
      "bad.yaml:20: thruster_maps.t200.polynomial_pair.forward falls between 0.6 and 1, must not fall as the "
      "command rises (a fit of high order swings between its points: fit fewer terms, or use a table)");
  // p' = (x - 0.3)(x - 0.4)(x^2 + 1): falls from 0.3 to 0.4 beyond the dead band, and nowhere else
  EXPECT_EQ(
      changed_pair("forward: [10, 20, 0, 0, 0]", "forward: [0.12, -0.35, 0.37333333333333335, -0.175, 0.2]"),
      "bad.yaml:20: thruster_maps.t200.polynomial_pair.forward falls between 0.4 and 0.5, must not fall as the "
      "command rises (a fit of high order swings between its points: fit fewer terms, or use a table)");
  EXPECT_EQ(changed_pair("reverse: [10, -20, 0, 0, 0]", "reverse: [10, 20, 0, 0, 0]"),
            "bad.yaml:21: thruster_maps.t200.polynomial_pair.reverse falls between -1 and -0.35, must not fall "
            "as the "
            "command rises (a fit of high order swings between its points: fit fewer terms, or use a table)");
}

TEST(ThrusterMap, AFallTooNarrowForSamplesIsFound) {
  // slope (x - 0.5)^2 - e^2 times a positive number: falls within 0.5 -+ e
  for (const double e : {1e-1, 1e-2, 1e-3}) {
    const auto fall = falls_between({0.25 - e * e, -0.5, 1.0 / 3, 0, 0}, 1);
    ASSERT_TRUE(fall) << e;
    EXPECT_NEAR((*fall)[0], 0.5 - e, 1e-9);
    EXPECT_NEAR((*fall)[1], 0.5 + e, 1e-9);
  }
  EXPECT_FALSE(falls_between({0.25, -0.5, 1.0 / 3, 0, 0}, 1));  // touches zero
  EXPECT_FALSE(falls_between({0, 0, 0, 0, 0}, 1));
  EXPECT_TRUE(falls_between({-1e-3, 1, 0, 0, 0}, 1));
}

TEST(ThrusterMap, TheExactTestAgreesWithDenseSamples) {
  RandomStream random(1, "falls");
  int falling = 0;
  for (int k = 0; k < 300; ++k) {
    std::array<double, 5> c{};
    for (double& x : c) x = random.normal();
    c[0] += 1;
    const auto p = [&](double x) { return x * (c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4])))); };
    double first = -1;
    for (int i = 0; i < 20000 && first < 0; ++i)
      if (p((i + 1) / 20000.0) < p(i / 20000.0)) first = i / 20000.0;
    const auto fall = falls_between(c, 1);
    EXPECT_EQ(first >= 0, fall.has_value()) << k;
    if (!fall || first < 0) continue;
    EXPECT_NEAR((*fall)[0], first, 1.01 / 20000);
    ++falling;
  }
  EXPECT_GT(falling, 50);
  EXPECT_LT(falling, 290);
}

TEST(ThrusterMap, WhatElseIsRefused) {
  EXPECT_EQ(changed_pair("map: t200, transient: lag}\n  - {name: b", "map: t20, transient: lag}\n  - {name: b"),
            "bad.yaml:25: thrusters[0].map = 't20', expected a map of keys or a name defined in thruster_maps "
            "(did you "
            "mean t200?)");
  EXPECT_EQ(changed_pair("dead_band: [-0.1, 0.1]", "dead_band: [0.1, 0.2]"),
            "bad.yaml:19: thruster_maps.t200.polynomial_pair.dead_band = [0.1, 0.2], must lie about neutral, "
            "0, within "
            "[-1, 1] ([low, high] in the unit of the command, not counted from neutral)");
  EXPECT_EQ(
      changed_pair("time_constant: 0.2", "time_constant: 0"),
      "bad.yaml:23: thruster_transients.lag.first_order.time_constant = 0, must be > 0 (s; leave the transient "
      "out if there is none)");
  EXPECT_EQ(
      changed_pair("unit: normalized", "unit: normalised"),
      "bad.yaml:17: thruster_maps.t200.command.unit = 'normalised', expected one of normalized, pwm_us, volt, "
      "rad_s, newton (did you mean normalized?)");
  EXPECT_EQ(
      changed_pair("thrusters:\n", "  slow: {first_order: {time_constant: 1}}\nthrusters:\n"),
      "bad.yaml:24: thruster_transients.slow is named by no thruster (name it in a thruster, or remove it)");
  EXPECT_EQ(changed_pair("{assumed: quick, first_order: {time_constant: 0.2}}",
                         "{dc_motor: {inertia: 1, k_t: 1, resistance: 1, k_q: 1, k_f1: 0, Q_ww: 0}}"),
            "bad.yaml:23: thruster_transients.lag.dc_motor needs a map with a command in volt and a propeller "
            "without "
            "shaft (the motor makes the shaft speed from the voltage)");
}

TEST(ThrusterMap, TablesAreCheckedForSizeOrderAndNeutral) {
  ThrusterMap map;
  map.command = {CommandUnit::pwm_us, 1100, 1900, 1500};
  const auto error_text_of = [&](const ForceTable& table) {
    map.law = table;
    const auto findings = check_thruster_map(map, std::nullopt, "map");
    return findings.empty() ? std::string("good") : findings.front().text();
  };
  const std::vector<double> commands = {1100, 1500, 1900};
  EXPECT_EQ(error_text_of({commands, {12, 16}, {{-3, 0, 4}, {-5, 0, 6}}}), "good");
  EXPECT_EQ(error_text_of({commands, {12, 16}, {{-3, 0, 4}}}),
            "map.table.forces has 1 rows, there are 2 voltages (a row for each voltage)");
  EXPECT_EQ(error_text_of({commands, {12}, {{-3, 0}}}),
            "map.table.forces[0] has 2 entries, there are 3 commands (one for each command)");
  EXPECT_EQ(error_text_of({commands, {12}, {{-3, 0, -1}}}),
            "map.table.forces[0] falls between 1500 and 1900, must not fall as the command rises (noise of a "
            "measurement? smooth it, or leave the point out)");
  EXPECT_EQ(error_text_of({commands, {12}, {{-3, 1, 4}}}),
            "map.table.forces[0] gives 1 at neutral, 1500, must be 0 there (is neutral right?)");
  EXPECT_EQ(error_text_of({{1100, 1100, 1900}, {12}, {{-3, 0, 4}}}),
            "map.table.commands[1] = 1100 after 1100, must increase (sort the points; average those with one "
            "command)");
  EXPECT_EQ(error_text_of({{1200, 1500, 1900}, {12}, {{-3, 0, 4}}}),
            "map.table.commands spans [1200, 1900], must span the command range [1100, 1900] (nothing is "
            "extrapolated: "
            "narrow the range)");
  EXPECT_EQ(
      error_text_of({commands, {16, 12}, {{-3, 0, 4}, {-3, 0, 4}}}),
      "map.table.voltages[1] = 12 after 16, must increase (sort the points; average those with one command)");
}

TEST(ThrusterMap, WhatNoThrusterDoesIsRefused) {
  const auto error_text_of = [](const Command& command, const decltype(ThrusterMap::law)& law,
                                std::optional<std::array<double, 3>> current = std::nullopt) {
    const Findings findings = check_thruster_map({command, law, current, "", false}, std::nullopt, "map");
    return findings.empty() ? std::string("good") : findings.front().text();
  };
  const CommandUnit normalized = CommandUnit::normalized, rad_s = CommandUnit::rad_s;
  const Command range{normalized, -1, 1, 0};
  const LinearQuadratic law{{10, 20}, std::nullopt, std::nullopt};
  EXPECT_EQ(error_text_of(range, law), "good");
  EXPECT_EQ(
      error_text_of({normalized, 1, -1, 0}, law),
      "map.command.range = [1, -1], must be [min, max] with min < max (the commands that the thruster takes)");
  EXPECT_EQ(
      error_text_of({CommandUnit::pwm_us, 1100, 1900, 0}, law),
      "map.command.neutral = 0, must lie within [1100, 1900] (the command that gives no force; 1500 for most "
      "speed controllers in pwm_us)");
  EXPECT_EQ(error_text_of({normalized, 1100, 1900, 1500}, law),
            "map.command.range = [1100, 1900], must lie within [-1, 1] (microseconds? then unit: pwm_us)");
  EXPECT_EQ(error_text_of(range, law, std::array{-0.1, 0.0, 0.0}),
            "map.current[0] = -0.1, must be >= 0 (A, of the idle thruster)");
  EXPECT_EQ(error_text_of(range, LinearQuadratic{}),
            "map gives no force at either end of the command range (are all coefficients zero?)");
  EXPECT_EQ(error_text_of(range, ForceTable{{0}, {12}, {{0}}}),
            "map.table.commands has 1 entries, must have 2 or more");

  const ThrustCoefficients thrust{1e-3, -1e-3};
  EXPECT_EQ(error_text_of(range, Propeller{thrust, DirectShaft{}}),
            "map.propeller has no shaft, so the command must be in rad_s, not normalized (add shaft: linear, "
            "power or "
            "table; or a dc_motor with a command in volt)");
  EXPECT_EQ(error_text_of({rad_s, -100, 100, 5}, Propeller{thrust, DirectShaft{}}),
            "map.command.neutral = 5, must be 0 (the command is the shaft speed or the voltage itself)");
  EXPECT_EQ(error_text_of({rad_s, -100, 100, 0}, Propeller{ThrustCoefficients{1e-3, 1e-3}, DirectShaft{}}),
            "map.propeller.T_wu = 0.001, must be <= 0 (thrust falls as the inflow along it grows)");
  EXPECT_EQ(error_text_of({rad_s, -100, 100, 0}, Propeller{OpenWater{0.1, 0.4, 0.1}, DirectShaft{}}),
            "map.propeller.alpha1 = 0.1, must be <= 0 (K_T falls as the advance ratio grows)");
  EXPECT_EQ(
      error_text_of(range, Propeller{thrust, PowerShaft{1, -0.5, 0}}),
      "map.propeller.shaft.power = [1, -0.5, 0] does not rise from zero, must be [a > 0, exponent > 0, c <= 0] "
      "or [a < 0, exponent < 0, c > 0] (speed = a |x|^exponent + c; eq. 5.19 of the thesis has the other sign "
      "of the exponent)");
}

TEST(ThrusterMap, AMotorWithoutLoadIsRefused) {
  const ThrusterMap map{{CommandUnit::volt, -12, 12, 0},
                        Propeller{ThrustCoefficients{1e-3, 0}, DirectShaft{}},
                        std::nullopt,
                        "",
                        false};
  const auto findings = check_transient(map, {DcMotor{1e-4, 0, 0.5, 0.02, 0, 0}, "", false}, "motor");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].text(),
            "motor.dc_motor has no load: k_t, k_f1 and Q_ww are all 0 (its speed would grow for ever)");
}

TEST(ThrusterMap, AMotorWithoutVoltageStandsStill) {
  for (const MotorRates& rates : {MotorRates{100, 4, 0}, MotorRates{100, 0, 0.03}, MotorRates{100, 4, 0.03}})
    EXPECT_EQ(steady_motor_speed(rates, 0), 0);
}

TEST(ThrusterMap, MotorRatesGiveTheMotorWhoseConstantsAreKnown) {
  const DcMotor truth{2e-4, 0.0129, 0.47, 0.0129, 2e-5, 1.4e-6};
  const DcMotor motor = rates_of(truth).motor(truth.k_t, truth.resistance);
  EXPECT_NEAR(motor.inertia, truth.inertia, 1e-12);
  EXPECT_NEAR(motor.k_f1, truth.k_f1, 1e-12);
  EXPECT_NEAR(motor.Q_ww, truth.Q_ww, 1e-14);
  try {
    rates_of(truth).motor(0.04, 0.47);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("are they of this motor"), std::string::npos);
  }
}

TEST(ThrusterMap, OneNameForTwoMapsIsRefused) {
  RobotSpec spec = parse_robot(pair_file, "pair.yaml").spec();
  std::get<PolynomialPair>(spec.thrusters[1].map->law).forward[0] = 11;
  try {
    Robot::make(spec);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "thrusters[1].map is named 't200' but is not the map of that name (give it another name, or none)");
  }
}

TEST(ThrusterMap, LintComparesTheForceRangeWithTheMap) {
  const std::string file =
      test::with(pair_file, "direction: [1, 0, 0], map: t200, transient: lag}\n  - {name: b",
                 "direction: [1, 0, 0], force: [-20, 40], map: t200, transient: lag}\n  - {name: b");
  std::string found;
  for (const Finding& finding : internal::lint_robot(parse_robot(file, "pair.yaml"), Environment()))
    if (finding.key == "thrusters[0].force") found = finding.text();
  EXPECT_EQ(found,
            "thrusters[0].force = [-20, 40] N, but the map attains [-25.2, 25.2] N (leave force out, and the "
            "range follows from the map)");
}

TEST(ThrusterMap, RandomMapsAreGood) {
  RandomStream random(1, "maps");
  for (int k = 0; k < 500; ++k) {
    const auto findings = check_thruster_map(test::random_map(random), std::nullopt, "map");
    EXPECT_TRUE(findings.empty()) << findings.front().text();
  }
}

}  // namespace
}  // namespace fathom::model::thruster_map_test
