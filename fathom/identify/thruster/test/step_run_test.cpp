#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/identify/thruster/step_law.hpp"

namespace fathom::identify::step_run_test {
namespace {

using fathom::test::error_text;

StepRun parsed(const std::string& header, const std::string& change = "", const ColumnChoice& choice = {}) {
  std::string text = header + "\n";
  for (int k = 0; k < 25; ++k) text += std::to_string(20 * k) + ",1600," + std::to_string(-60 * k) + "\n";
  return step_run(log::parse_number_table(text + change, "a/run.csv"), choice, model::CommandUnit::pwm_us);
}

TEST(StepRun, ReadsColumnsByTheirNames) {
  const StepRun run = parsed("time [ms],pwm [us],rpm");
  EXPECT_EQ(run.name, "run.csv");
  EXPECT_DOUBLE_EQ(run.times[24], 0.48);
  ASSERT_TRUE(run.speeds);
  EXPECT_NEAR((*run.speeds)[1], 2 * std::acos(-1.0), 1e-12);
  EXPECT_FALSE(run.forces);
  EXPECT_TRUE(parsed("a,b,c", "", {{"time", "a:s"}, {"command", "b:us"}, {"force", "c:N"}}).forces);
}

TEST(StepRun, TellsWhatIsWrong) {
  const auto told = [](const std::string& header, const std::string& change = "") {
    return error_text([&] { parsed(header, change); });
  };
  EXPECT_NE(told("pwm [us],command [us],rpm").find("no column of the time"), std::string::npos);
  EXPECT_NE(told("t [s],pwm [us],x").find("no column of the force"), std::string::npos);
  EXPECT_NE(told("t [s],command [V],rpm").find("has commands in volt, the bollard table in pwm_us"),
            std::string::npos);
  EXPECT_NE(told("t [s],pwm [us],rpm", "480,1600,0\n").find("comes after 480 s, must rise"), std::string::npos);
  EXPECT_NE(error_text([] {
              step_run(log::parse_number_table("t [s],pwm [us],rpm\n0,1600,0\n", "r"), {},
                       model::CommandUnit::pwm_us);
            }).find("has 1 rows"),
            std::string::npos);
}

}  // namespace
}  // namespace fathom::identify::step_run_test
