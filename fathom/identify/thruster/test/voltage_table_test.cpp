#include "fathom/identify/thruster/voltage_table.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/random.hpp"
#include "fathom/base/test/error_text.hpp"

namespace fathom::identify::voltage_table_test {
namespace {

using fathom::test::error_text;

constexpr model::Command pwm{model::CommandUnit::pwm_us, 1100, 1900, 1500};

double square(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

/// sklearn and SciPy (optimize.isotonic_regression) give the same.
TEST(Pooled, IsTheIsotonicRegression) {
  EXPECT_EQ(pooled({1, 2, 3, 2, 2, 5, 4}), (std::vector<double>{1, 2, 7.0 / 3, 7.0 / 3, 7.0 / 3, 4.5, 4.5}));
  EXPECT_EQ(pooled({3, 2, 1}), (std::vector<double>{2, 2, 2}));
  EXPECT_EQ(pooled({1, 2, 2, 8}), (std::vector<double>{1, 2, 2, 8}));
  EXPECT_TRUE(pooled({}).empty());
}

/// Nothing that does not fall is nearer: walks from the solution stay in the cone and never gain.
TEST(Pooled, IsNearerThanOthersThatDoNotFall) {
  RandomStream random(1, "pooled");
  for (int k = 0; k < 50; ++k) {
    std::vector<double> values(12);
    for (double& v : values) v = random.normal();
    const std::vector<double> best = pooled(values);
    EXPECT_TRUE(std::is_sorted(best.begin(), best.end()));
    for (int other = 0; other < 50; ++other) {
      std::vector<double> walk = best;
      for (double& v : walk) v += 0.1 * random.normal();
      std::sort(walk.begin(), walk.end());
      EXPECT_GE(square(walk, values), square(best, values));
    }
  }
}

/// Force that is a straight line over voltage at each command, so that leaving one out costs nothing.
double linear_plant(double command, double voltage) {
  const double u = std::abs(command - 1500) - 20;
  return u <= 0 ? 0 : (command > 1500 ? 1 : -0.8) * (voltage - 2) * u * u * 1e-4;
}

std::map<double, BollardTest> tests_of(const std::vector<double>& voltages, double step) {
  std::map<double, BollardTest> tests;
  for (const double voltage : voltages)
    for (double command = 1100; command <= 1900; command += step) {
      tests[voltage].commands.push_back(command);
      tests[voltage].forces.push_back(linear_plant(command, voltage));
    }
  return tests;
}

TEST(VoltageTable, InterpolatesToAVoltageThatIsNotThere) {
  const VoltageTable found = identify_voltage_table(tests_of({10, 14, 16, 20}, 10), pwm);
  EXPECT_EQ(found.pooled_points, 0u);
  ASSERT_EQ(found.left_out.size(), 2u);
  for (const VoltageLeftOut& one : found.left_out) EXPECT_LT(one.peak, 1e-12);
  for (const double command : {1100.0, 1330.0, 1505.0, 1740.0})
    EXPECT_NEAR(model::force_of_command(found.map, command, 12), linear_plant(command, 12), 0.003);
}

TEST(VoltageTable, MeasuresWhatIsNotALineOverVoltage) {
  auto tests = tests_of({10, 12, 16}, 10);
  for (double& force : tests[12].forces) force *= 1.1;
  const VoltageTable found = identify_voltage_table(tests, pwm);
  ASSERT_EQ(found.left_out.size(), 1u);
  const VoltageLeftOut& one = found.left_out.front();
  EXPECT_EQ(one.below, 10);
  EXPECT_EQ(one.above, 16);
  EXPECT_NEAR(one.full_force, 1.1 * linear_plant(1900, 12), 1e-9);
  EXPECT_NEAR(one.peak / one.full_force, 0.1 / 1.1, 1e-9);
}

TEST(VoltageTable, TakesTestsAtDifferentCommandsAndPoolsWhatFalls) {
  auto tests = tests_of({10, 16}, 10);
  tests[16] = {{1050, 1300, 1450, 1550, 1600, 1605, 1700}, {-20, -9, 0.2, -0.1, 4, 3.5, 15}};
  const VoltageTable found = identify_voltage_table(tests, pwm);
  const auto& table = std::get<model::ForceTable>(found.map.law);
  EXPECT_EQ(found.map.command.min, 1100);
  EXPECT_EQ(found.map.command.max, 1700);
  EXPECT_GT(found.pooled_points, 3u);
  EXPECT_GT(found.largest_move, 0.19);
  for (const auto& row : table.forces) EXPECT_TRUE(std::is_sorted(row.begin(), row.end()));
  EXPECT_EQ(model::force_of_command(found.map, 1500, 16), 0);
}

TEST(VoltageTable, TellsWhatIsWrong) {
  auto tests = tests_of({10, 16}, 50);
  tests[16] = {{1600, 1700}, {1, 2}};
  EXPECT_NE(error_text([&] { identify_voltage_table(tests, pwm); }).find("must span neutral, 1500"),
            std::string::npos);
  tests = tests_of({10, 16}, 50);
  tests[16].forces[3] = nan;
  EXPECT_NE(error_text([&] { identify_voltage_table(tests, pwm); }).find("the test at 16 V has a number"),
            std::string::npos);
  EXPECT_THROW(identify_voltage_table({}, pwm), InputError);
  EXPECT_THROW(identify_voltage_table(tests_of({-3, 5}, 50), pwm), InputError);
}

}  // namespace
}  // namespace fathom::identify::voltage_table_test
