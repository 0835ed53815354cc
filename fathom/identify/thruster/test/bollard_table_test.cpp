#include "fathom/identify/thruster/bollard_table.hpp"

#include <numbers>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"

namespace fathom::identify::bollard_table_test {
namespace {

using fathom::test::error_text;

BollardTable table_of(const std::string& text, const ColumnChoice& choice = {}) {
  return bollard_table(log::parse_number_table(text, "t.csv"), choice);
}

void expect_error(const std::string& text, const ColumnChoice& choice, const std::string& words) {
  const std::string error = error_text([&] { table_of(text, choice); });
  EXPECT_NE(error.find(words), std::string::npos) << error;
}

TEST(BollardTable, FindsColumnsByTheirNamesAndTurnsUnits) {
  const BollardTable table =
      table_of("pwm_us,rpm,current_A,voltage_V,power_W,force_kgf\n1100,600,13,10,130,-2\n1900,-60,1,12,1,3\n");
  EXPECT_EQ(table.unit, model::CommandUnit::pwm_us);
  EXPECT_EQ(table.commands, Eigen::Vector2d(1100, 1900));
  EXPECT_DOUBLE_EQ(table.forces[0], -2 * 9.80665);
  ASSERT_TRUE(table.speeds && table.voltages && table.currents);
  EXPECT_DOUBLE_EQ((*table.speeds)[0], 20 * std::numbers::pi);
  EXPECT_DOUBLE_EQ((*table.speeds)[1], 2 * std::numbers::pi);
  EXPECT_EQ(table.tests().size(), 2u);
  EXPECT_EQ(table.tests().at(12).commands.front(), 1900);
}

TEST(BollardTable, TakesOtherWaysToWriteAHeader) {
  for (const char* text : {"Command [V]; Thrust (N)\r\n-1;-2\r\n1;2\r\n\r\n",
                           "\xef\xbb\xbf\"command (V)\"\t\"force [N]\"\n-1\t-2\n+1\t2"}) {
    const BollardTable table = table_of(text);
    EXPECT_EQ(table.unit, model::CommandUnit::volt);
    EXPECT_EQ(table.forces, Eigen::Vector2d(-2, 2));
    EXPECT_FALSE(table.voltages);
  }
  const BollardTable bare = table_of("-1, -2\n1, 2\n", {{"command", "1:V"}, {"force", "2:kgf"}});
  EXPECT_DOUBLE_EQ(bare.forces[1], 2 * 9.80665);
  EXPECT_EQ(table_of("x,F\n-1,-2\n1,2\n", {{"command", "x:1"}, {"force", "F:N"}}).unit,
            model::CommandUnit::normalized);
}

TEST(BollardTable, KeepsRowsOfStillWaterApart) {
  const BollardTable table =
      table_of("pwm_us,rpm,Water speed [kn],force_N\n1600,600,0.001,5\n1600,610,1,4\n1400,600,-1,-4\n");
  ASSERT_TRUE(table.inflows && table.speeds);
  EXPECT_DOUBLE_EQ((*table.inflows)[1], 1852.0 / 3600);
  const BollardTable still = table.in_still_water();
  ASSERT_EQ(still.commands.size(), 1);
  EXPECT_EQ(still.forces[0], 5);
  EXPECT_EQ(still.speeds->size(), 1);
  EXPECT_FALSE(still.voltages);
  EXPECT_EQ(table_of("pwm_us,force_N\n1600,5\n1400,-5\n").in_still_water().commands.size(), 2);
}

TEST(BollardTable, TellsWhatIsWrong) {
  expect_error("pwm [us],force\n1,2\n", {}, "t.csv:1: column 'force' has no unit (units of force are N, kgf");
  expect_error("pwm [us],force [stone]\n1,2\n", {}, "has the unit 'stone'");
  expect_error("pwm [us],power [W]\n1,2\n", {}, "there is no column of the force");
  expect_error("1,2\n3,4\n", {},
               "there is no column of the command (the file has no header: --column command=1:us");
  expect_error("pwm [us],force [N]\n1,2\n", {{"force", "frce"}}, "there is no column 'frce'");
  expect_error("pwm [us],force [N]\n1,2\n", {{"thrust", "force"}}, "expected command, force");
  expect_error("pwm [1],force [N]\n1500,2\n", {}, "microseconds? name it pwm [us]");
  expect_error("pwm [us],force [N]\n1,2\n3\n", {}, "t.csv:3: 1 field, expected 2 (leave the line out)");
  expect_error("pwm [us],force [N]\n1,nan\n", {}, "t.csv:2: force [N] is missing or not finite");
  expect_error("pwm [us],force [N]\n1,2x\n", {}, "= '2x'");
  expect_error("pwm [us],force [N],inflow [m]\n1,2,3\n", {}, "units of inflow are m/s, kn");
  expect_error("", {}, "has no rows (is it empty?)");
  expect_error("pwm [us];force [N]\n1;2,5\n", {}, "a decimal comma? export it with points");
}

}  // namespace
}  // namespace fathom::identify::bollard_table_test
