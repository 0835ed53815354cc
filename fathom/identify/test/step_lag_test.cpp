#include "fathom/identify/step_lag.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/base/test/error_text.hpp"

namespace fathom::identify::step_lag_test {
namespace {

using fathom::test::error_text;

constexpr double gain = 0.5, T_ww = 1e-3, lag = 0.12;  // rad/s per us, N s^2, s

/// w = gain x, f = T_ww |w| w on both sides; as a propeller, or as a force alone.
IdentifiedThruster thruster(bool propeller) {
  const model::Command command{model::CommandUnit::pwm_us, 1100, 1900, 1500};
  IdentifiedThruster result;
  result.unit = command.unit;
  IdentifiedThruster::AtVoltage test;
  test.laws.map = {command, model::LinearQuadratic{{0, T_ww * gain * gain}, {}, {}}, {}, "", false};
  test.forward_shaft.emplace().speed.shaft = {gain, 1, 0};
  test.reverse_shaft = test.forward_shaft;
  result.tests.push_back(test);
  if (propeller)
    result.propeller = {command,
                        model::Propeller{model::ThrustCoefficients{T_ww, 0}, model::LinearShaft{gain, {}}},
                        {},
                        "",
                        false};
  return result;
}

/// From rest to 1700, then to 1300, by the closed form of a first-order shaft.
StepRun stepped(double sigma, RandomStream& random) {
  constexpr Eigen::Index n = 300;
  StepRun run{"steps.csv", Eigen::VectorXd(n), Eigen::VectorXd(n), Eigen::VectorXd(n), Eigen::VectorXd(n)};
  for (Eigen::Index k = 0; k < n; ++k)  // not even
    run.times[k] = 0.01 * static_cast<double>(k) + 0.004 * std::sin(static_cast<double>(k));
  for (Eigen::Index k = 0; k < n; ++k) {
    const double t = run.times[k];
    const double up = 200 * gain, first = run.times[100], second = run.times[200];
    const double at_second = up * (1 - std::exp(-(second - first) / lag));
    const double w = k <= 100   ? 0
                     : k <= 200 ? up * (1 - std::exp(-(t - first) / lag))
                                : -up + (at_second + up) * std::exp(-(t - second) / lag);
    run.commands[k] = k < 100 ? 1500 : k < 200 ? 1700 : 1300;
    (*run.speeds)[k] = std::abs(w) + sigma * random.normal();
    (*run.forces)[k] = T_ww * std::abs(w) * w + 0.1 * sigma * random.normal();
  }
  return run;
}

TEST(StepLag, RecoversAFirstOrderShaft) {
  RandomStream random(1, "steps");
  const StepRun run = stepped(0, random);
  StepRun force_alone = run, speed_alone = run;
  force_alone.speeds.reset();
  speed_alone.forces.reset();
  for (const StepRun& one : {run, force_alone, speed_alone}) {
    const LagFit found = fit_lag(thruster(true), {one, run});
    EXPECT_NEAR(found.time_constant, lag, 1e-6);
    ASSERT_EQ(found.scores.size(), 2u);
    EXPECT_NEAR(found.scores[1].speed_r2, 1, 1e-8);
    EXPECT_NEAR(found.scores[1].force_r2, 1, 1e-8);
  }
  EXPECT_TRUE(std::isnan(fit_lag(thruster(true), {force_alone}).scores[0].speed_r2));
}

/// As a robot file has it: without a shaft the force lags itself, which is not what this thruster does.
TEST(StepLag, ForceOfAMapWithoutShaftLagsItself) {
  RandomStream random(2, "steps");
  StepRun run = stepped(0, random);
  const StepResponse response = simulate_lag(thruster(false), run, lag);
  const double full = T_ww * 100 * 100, t = run.times[110] - run.times[100];
  EXPECT_NEAR(response.forces[110], full * (1 - std::exp(-t / lag)), 1e-9);
  run.speeds.reset();
  EXPECT_LT(fit_lag(thruster(false), {run}).scores[0].force_r2, 0.999);
}

TEST(StepLag, IntervalsHold) {
  RandomStream random(3, "steps");
  constexpr int days = 60;
  int held = 0;
  for (int day = 0; day < days; ++day) {
    const LagFit found = fit_lag(thruster(true), {stepped(2, random)});
    held += std::abs(found.time_constant - lag) < sigmas_of_95 * found.sigma;
    EXPECT_LT(found.sigma, 0.05 * lag);
  }
  EXPECT_GE(held, 52);  // 57 expected; fewer come once in a hundred
}

TEST(StepLag, TellsWhatIsWrong) {
  RandomStream random(4, "steps");
  const StepRun run = stepped(0.1, random);
  const auto told = [](const IdentifiedThruster& of, const StepRun& one) {
    return error_text([&] { fit_lag(of, {one}); });
  };
  StepRun bad = run;
  bad.forces->setConstant(1);
  EXPECT_NE(told(thruster(true), bad).find("steps.csv: has a force that never changes"), std::string::npos);
  bad.forces.reset();
  IdentifiedThruster no_speed = thruster(true);
  no_speed.tests[0].reverse_shaft.reset();
  EXPECT_NE(told(no_speed, bad).find("has shaft speeds alone"), std::string::npos);
  bad = run;
  bad.forces =
      run.commands.unaryExpr([](double c) { return T_ww * gain * gain * std::abs(c - 1500) * (c - 1500); });
  bad.speeds.reset();
  EXPECT_NE(told(thruster(true), bad).find("shows no lag"), std::string::npos);
}

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
}  // namespace fathom::identify::step_lag_test
