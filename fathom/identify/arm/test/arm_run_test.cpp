#include "fathom/identify/arm/arm_run.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/identify/arm/test/bench_arm.hpp"
#include "fathom/model/shaft_motion.hpp"
#include "fathom/model_file/arm_file.hpp"

namespace fathom::identify::arm_run_test {
namespace {

using test::bench_arm;

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

std::string table_text(const std::string& header, int rows) {
  std::string text = header + "\n";
  for (int k = 0; k < rows; ++k) text += fmt::format("{},{},0,0,1,2,3\n", 0.01 * k, 0.1 * k);
  return text;
}

TEST(ArmRun, ColumnsAreFoundByJointOrNumber) {
  const model::Arm arm = bench_arm(true);
  for (const char* header :
       {"t,q.j1,q.j2,q.j3,effort.j1,effort.j2,effort.j3", "time,q1,q2,q3,tau1,tau2,tau3"}) {
    const ArmRun run = arm_run(log::parse_number_table(table_text(header, 5), "x/run.csv"), arm);
    EXPECT_EQ(run.name, "run");
    EXPECT_EQ(run.samples(), 5);
    EXPECT_DOUBLE_EQ(run.q(2, 0), 0.2);
    EXPECT_DOUBLE_EQ(run.effort(2, 2), 3);
  }
}

TEST(ArmRun, AMissingJointIsNamedWithTheColumnsThatThereAre) {
  const model::Arm arm = bench_arm(true);
  const auto table =
      log::parse_number_table(table_text("t,q.j1,q.j2,extra,effort.j1,effort.j2,effort.j3", 3), "r.csv");
  const std::string message = message_of([&] { arm_run(table, arm); });
  for (const char* word : {"r.csv", "q.j3 or q3", "position of joint 'j3'", "extra", "--columns"})
    EXPECT_NE(message.find(word), std::string::npos) << message;
}

TEST(ArmRun, DegreesAreSeenByTheRangeOfTheJoint) {
  model::ArmSpec spec = bench_arm(true).spec();
  spec.joints[0].limits.min = 0, spec.joints[0].limits.max = 2;
  const model::Arm arm = model::Arm::make(spec);
  const auto run_with = [&](double step) {
    std::string text = "t,q1,q2,q3,tau1,tau2,tau3\n";
    for (int k = 0; k < 5; ++k) text += fmt::format("{},{},0,0,1,2,3\n", 0.01 * k, step * k);
    return message_of([&] { arm_run(log::parse_number_table(text, "r.csv"), arm); });
  };
  EXPECT_EQ(run_with(0.5), "nothing was thrown");
  EXPECT_EQ(run_with(0.8), "nothing was thrown") << "beyond its end, but not by degrees";
  EXPECT_EQ(
      run_with(20),
      "r.csv: joint 'j1' goes from 0 to 80 rad, by the arm's file from 0 to 2 rad (degrees? expected rad)");
}

TEST(ArmRun, OnePositionBeyondTheRangeIsNoUnit) {
  model::ArmSpec spec = bench_arm(true).spec();
  spec.joints[0].limits.min = -2, spec.joints[0].limits.max = 2;
  std::string text = "t,q1,q2,q3,tau1,tau2,tau3\n";
  for (int k = 0; k < 200; ++k)
    text += fmt::format("{},{},0,0,1,2,3\n", 0.01 * k, k == 77 ? 6.3 : std::sin(0.03 * k));
  const ArmRun run = arm_run(log::parse_number_table(text, "r.csv"), model::Arm::make(spec));
  ASSERT_EQ(run.outliers.size(), 1u);
  EXPECT_EQ(run.outliers.front().line, 79);
}

TEST(ArmRun, ColumnsBySpecification) {
  const ArmRunColumns columns = parse_arm_columns("time=1,q=2..4,effort=a5,b6,c7", "--columns");
  EXPECT_EQ(columns.time, "1");
  EXPECT_EQ(columns.q, (std::vector<std::string>{"2", "3", "4"}));
  EXPECT_EQ(columns.effort, (std::vector<std::string>{"a5", "b6", "c7"}));
  for (const char* bad : {"", "q1..q3", "q=q1..q3,shaft=s1..s3", "q=q1..p3", "q=q3..q1", "speed=1", "q=a..b",
                          "time=1,2", "wanted_torque=1..3"})
    EXPECT_NE(message_of([&] { parse_arm_columns(bad, "--columns"); }).find("--columns"), std::string::npos)
        << bad;
}

TEST(ArmRun, RepeatedRowsAreLeftOutAndCounted) {
  const model::Arm arm = bench_arm(true);
  const auto table = log::parse_number_table(
      "t,q1,q2,q3,tau1,tau2,tau3\n0,0,0,0,1,1,1\n0,1,0,0,1,1,1\n0.01,0,0,0,1,1,1\n0.02,0.5,0,0,1,1,1\n",
      "r.csv");
  const ArmRun run = arm_run(table, arm);
  EXPECT_EQ(run.samples(), 2);
  EXPECT_EQ(run.repeated, 2u);
}

/// A sine on an uneven clock.
ArmRun sine(double jitter) {
  ArmRun run{"sine", Eigen::VectorXd(1000), Eigen::MatrixXd(1000, 1)};
  for (Eigen::Index k = 0; k < 1000; ++k) {
    run.times[k] = 0.01 * static_cast<double>(k) + (k % 3 == 1 ? jitter : 0);
    run.q(k, 0) = std::sin(3 * run.times[k]);
  }
  run.effort = run.q;
  return run;
}

TEST(ArmRun, DerivativesByFilterAndBySpline) {
  for (const double jitter : {0.0, 0.003})
    for (const auto how : {ArmRunOptions::Derivatives::zero_phase, ArmRunOptions::Derivatives::spline}) {
      ArmRunOptions options;
      options.derivatives = how;
      const ArmRun before = sine(jitter), run = prepare(before, options);
      EXPECT_EQ(run.trimmed, 40u);
      EXPECT_NEAR(run.uneven, jitter, 1e-9);
      for (Eigen::Index k = 0; k < run.samples(); ++k) {
        EXPECT_NEAR(run.dq(k, 0), 3 * std::cos(3 * run.times[k]), 5e-3);
        EXPECT_NEAR(run.ddq(k, 0), -9 * std::sin(3 * run.times[k]), 5e-2);
        EXPECT_EQ(run.effort(k, 0), before.effort(k + 20, 0));
      }
    }
}

TEST(ArmRun, NoFilterRunsAcrossAGap) {
  ArmRun run = sine(0);
  for (Eigen::Index k = 400; k < 1000; ++k) {
    run.times[k] += 2;
    run.q(k, 0) += 5;
  }
  const ArmRun out = prepare(run);
  ASSERT_EQ(out.breaks.size(), 1u);
  EXPECT_EQ(out.trimmed, 80u);
  EXPECT_LT(out.ddq.cwiseAbs().maxCoeff(), 9.1);
  EXPECT_EQ(part_of(out, 300, 500).breaks, (std::vector<Eigen::Index>{60}));
  run.times = Eigen::VectorXd::LinSpaced(1000, 0, 999);
  EXPECT_NE(message_of([&] { prepare(run); }).find("cutoff_hz"), std::string::npos);
}

double frequency_of(Eigen::Index joint) { return 0.5 + 0.1 * static_cast<double>(joint); }  // rad/s

/// Ariane's joints on sines, as the counters of its motors tell them: whole increments, rounded down.
ArmRun counted(const model::Arm& arm, double seconds, double rate_hz) {
  const auto n = static_cast<Eigen::Index>(arm.size()), count = static_cast<Eigen::Index>(seconds * rate_hz);
  ArmRun run{"counted", Eigen::VectorXd(count), Eigen::MatrixXd(count, n)};
  for (Eigen::Index k = 0; k < count; ++k) {
    run.times[k] = static_cast<double>(k) / rate_hz;
    for (Eigen::Index j = 0; j < n; ++j) {
      const model::Joint& joint = arm.joints()[static_cast<std::size_t>(j)];
      const double q = model::middle_of_range(joint.limits) + 0.2 * std::sin(frequency_of(j) * run.times[k]);
      const double increment = 2 * std::numbers::pi / *joint.actuator->increments;
      run.q(k, j) =
          increment * std::floor(model::motor_angle(joint.actuator->transmission, q).angle / increment);
    }
  }
  run.effort = run.q;
  run.shafts = shaft_counters(arm);
  return run;
}

TEST(ArmRun, ShaftAnglesGoThroughTheirLevers) {
  const model::Arm arm = model::read_arm(std::string(FATHOM_ROBOTS_DIR) + "/../arms/ariane.yaml");
  ArmRunOptions options;
  options.cutoff_hz = 2;
  const ArmRun run = prepare(counted(arm, 60, 50), options);
  EXPECT_TRUE(run.shafts.empty());
  Eigen::VectorXd offset = Eigen::VectorXd::Zero(run.q.cols());
  for (Eigen::Index k = 0; k < run.samples(); ++k)
    for (Eigen::Index j = 0; j < run.q.cols(); ++j) {
      const model::Joint& joint = arm.joints()[static_cast<std::size_t>(j)];
      const double w = frequency_of(j), t = run.times[k];
      const double q = model::middle_of_range(joint.limits) + 0.2 * std::sin(w * t);
      const double ratio = std::abs(model::motor_angle(joint.actuator->transmission, q).ratio);
      const double increment = 2 * std::numbers::pi / *joint.actuator->increments / ratio;
      offset[j] += (run.q(k, j) - q) / increment / static_cast<double>(run.samples());
      EXPECT_NEAR(run.q(k, j), q, increment);
      EXPECT_NEAR(run.dq(k, j), 0.2 * w * std::cos(w * t), 4 * increment);
      EXPECT_NEAR(run.ddq(k, j), -0.2 * w * w * std::sin(w * t), 60 * increment);
    }
  // Without the half increment it would be 0.5, up or down by the sign of the ratio.
  EXPECT_LT(offset.cwiseAbs().maxCoeff(), 0.05);
}

TEST(ArmRun, ShaftsAreFoundAndRefusedWithReasons) {
  const std::string header = "t,shaft1,shaft2,shaft3,i1,i2,i3";
  const auto table = log::parse_number_table(table_text(header, 40), "r.csv");
  const model::Arm geared = bench_arm(true, true);
  EXPECT_EQ(arm_run(table, geared).shafts.size(), 3u);
  EXPECT_TRUE(arm_run(table, geared, parse_arm_columns("q=shaft1..shaft3", "--columns")).shafts.empty());
  const std::string bare = message_of([&] { arm_run(table, bench_arm(true)); });
  for (const char* word : {"shaft", "no joint of 'bench' has an actuator", "q="})
    EXPECT_NE(bare.find(word), std::string::npos) << bare;
  const model::Arm ariane = model::read_arm(std::string(FATHOM_ROBOTS_DIR) + "/../arms/ariane.yaml");
  ArmRun run = counted(ariane, 10, 100);
  run.q.col(1).array() += 1e6;
  const std::string open = message_of([&] { prepare(run); });
  for (const char* word : {"counted", "shaft of joint 2", "does not close"})
    EXPECT_NE(open.find(word), std::string::npos) << open;
}

}  // namespace
}  // namespace fathom::identify::arm_run_test
