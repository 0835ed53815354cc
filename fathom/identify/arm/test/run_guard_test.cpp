// Damaged logs of arms: outliers are named and left out, clocks that jump are errors, repeated samples are what
// they are, and nothing is said of logs that are in order.
#include "fathom/identify/arm/run_guard.hpp"

#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fathom/base/test/data_folder.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/identify/arm/arm_fit.hpp"
#include "fathom/identify/arm/test/bench_arm.hpp"
#include "fathom/model_file/arm_file.hpp"

namespace fathom::identify::run_guard_test {
namespace {

using fathom::test::error_text;
using test::bench_arm;
using test::bench_options;
using test::bench_run;

/// As a table whose line k + 2 has sample k.
log::NumberTable table_of(const ArmRun& run) {
  std::string text = "t,q1,q2,q3,tau1,tau2,tau3\n";
  for (Eigen::Index k = 0; k < run.samples(); ++k)
    text += fmt::format("{:.6f},{:.8f},{:.8f},{:.8f},{:.6f},{:.6f},{:.6f}\n", run.times[k], run.q(k, 0),
                        run.q(k, 1), run.q(k, 2), run.effort(k, 0), run.effort(k, 1), run.effort(k, 2));
  return log::parse_number_table(text, "x/run.csv");
}

const ArmRun& sound() {
  static const ArmRun run = bench_run(bench_arm(true), 1, 1, {.seconds = 20});
  return run;
}

Eigen::VectorXd estimate_of(const ArmRun& run) {
  const std::vector<ArmRun> runs = {prepare(run)};
  return fit_arm(bench_arm(false), runs, bench_options(ArmFitOptions::Estimator::weighted)).estimate.values();
}

TEST(RunGuard, SaysNothingOfLogsInOrder) {
  for (const std::uint64_t motion : {1, 2, 3}) {
    const ArmRun run = arm_run(table_of(bench_run(bench_arm(true), motion, motion)), bench_arm(true));
    EXPECT_TRUE(run.outliers.empty()) << run.outliers.front().signal << run.outliers.front().line;
    EXPECT_TRUE(prepare(run).warnings.empty());
    EXPECT_EQ(run.samples(), 1500);
  }
}

TEST(RunGuard, APositionThatCannotBeIsNamedAndLeftOut) {
  const Eigen::VectorXd right = estimate_of(arm_run(table_of(sound()), bench_arm(true)));
  for (const double wrong : {6.3, 2.0, 0.3}) {
    ArmRun damaged = sound();
    damaged.q(700, 1) = wrong > 1 ? wrong : damaged.q(700, 1) + wrong;
    const ArmRun run = arm_run(table_of(damaged), bench_arm(true));
    ASSERT_EQ(run.outliers.size(), 1u) << wrong;
    EXPECT_EQ(run.outliers[0].line, 702);
    EXPECT_EQ(run.outliers[0].signal, "position of joint 'j2'");
    EXPECT_NEAR(run.outliers[0].expected, sound().q(700, 1), 0.02);
    EXPECT_EQ(run.samples(), 1999);
    EXPECT_LT((estimate_of(run) - right).cwiseAbs().maxCoeff(), 0.01) << wrong;
  }
  ArmRun burst = sound();
  for (const Eigen::Index k : {500, 501, 502}) burst.q(k, 0) += 0.7;
  EXPECT_EQ(arm_run(table_of(burst), bench_arm(true)).outliers.size(), 3u);
}

TEST(RunGuard, APositionThatCannotBeAtAnEndIsNamedAndLeftOut) {
  const Eigen::Index last = sound().samples() - 1;
  for (const Eigen::Index row : {Eigen::Index{0}, Eigen::Index{1}, last - 1, last})
    for (const double off : {6.3, -6.3, 0.3}) {
      ArmRun damaged = sound();
      damaged.q(row, 1) += off;
      const ArmRun run = arm_run(table_of(damaged), bench_arm(true));
      ASSERT_EQ(run.outliers.size(), 1u) << row << ": " << off;
      EXPECT_EQ(run.outliers[0].line, row + 2);
      EXPECT_NEAR(run.outliers[0].expected, sound().q(row, 1), 0.01);
      EXPECT_EQ(run.samples(), last);
    }
}

TEST(RunGuard, AnArmThatBeginsToMoveHasNoOutliers) {
  Eigen::VectorXd times(200), angles(200);
  for (Eigen::Index k = 0; k < 200; ++k) {
    times[k] = 0.001 * static_cast<double>(k);
    angles[k] = 1e-3 * std::floor(std::max(0.0, 0.3 * (times[k] - 0.002)) / 1e-3);  // an encoder of 1 mrad
  }
  EXPECT_TRUE(internal::motion_spikes(times, angles, 30).empty());
  EXPECT_TRUE(internal::motion_spikes(times, Eigen::VectorXd(angles.reverse()), 30).empty());
}

TEST(RunGuard, AnEffortThatCannotBeIsNamedAndLeftOut) {
  const Eigen::VectorXd right = estimate_of(arm_run(table_of(sound()), bench_arm(true)));
  for (const double wrong : {500.0, -60.0}) {
    ArmRun damaged = sound();
    damaged.effort(900, 2) = wrong;
    const ArmRun run = arm_run(table_of(damaged), bench_arm(true));
    ASSERT_EQ(run.outliers.size(), 1u);
    EXPECT_EQ(run.outliers[0].line, 902);
    EXPECT_EQ(run.outliers[0].signal, "effort of joint 'j3'");
    EXPECT_LT((estimate_of(run) - right).cwiseAbs().maxCoeff(), 0.01);
  }
}

TEST(RunGuard, ClocksThatJumpAreErrorsWithTheLine) {
  const auto told = [](const ArmRun& run) {
    return error_text([&] { arm_run(table_of(run), bench_arm(true)); });
  };
  ArmRun late = sound(), early = sound(), back = sound(), ahead = sound();
  late.times[1000] = 100;
  EXPECT_EQ(
      told(late),
      "x/run.csv:1002: the clock jumps: time 100 s stands between 9.99 s and 10.01 s (mend the time stamp, or "
      "leave the line out)");
  early.times[1000] = 3;
  EXPECT_NE(told(early).find("x/run.csv:1002: the clock jumps: time 3 s stands between"), std::string::npos);
  back.times.tail(1000).array() -= 4;
  EXPECT_NE(told(back).find("x/run.csv:1002: the clock jumps back from 9.99 s to 6 s"), std::string::npos);
  ahead.times.tail(1000).array() += 4;
  EXPECT_NE(told(ahead).find("x/run.csv:1002: the clock jumps from 9.99 s to 14 s, but the joints move on"),
            std::string::npos);
  ArmRun first = sound(), last = sound();
  first.times[0] = -100;
  EXPECT_NE(told(first).find("x/run.csv:3: the clock jumps from -100 s to 0.01 s"), std::string::npos);
  last.times[last.samples() - 1] = 100;
  EXPECT_NE(told(last).find(fmt::format("x/run.csv:{}: the clock jumps from", last.samples() + 1)),
            std::string::npos);
  // A pause in which the arm went on is a gap.
  ArmRun gap = sound();
  gap.times.segment(1000, 600) = sound().times.tail(600);
  gap.q.middleRows(1000, 600) = sound().q.bottomRows(600);
  gap.times.conservativeResize(1600);
  gap.q.conservativeResize(1600, Eigen::NoChange);
  gap.effort.conservativeResize(1600, Eigen::NoChange);
  EXPECT_EQ(prepare(arm_run(table_of(gap), bench_arm(true))).breaks.size(), 1u);
}

TEST(RunGuard, AnAngleThatWrapsIsAnError) {
  ArmRun wrapped = sound();
  wrapped.q.col(0).tail(1000).array() -= 6.2831853;
  EXPECT_NE(error_text([&] {
              arm_run(table_of(wrapped), bench_arm(true));
            }).find("x/run.csv:1002: position of joint 'j1' jumps from"),
            std::string::npos);
}

/// An arm at 1 kHz whose positions come at 125 Hz: a reader hands out the last one again.
ArmRun held_run(std::uint64_t motion) {
  ArmRun run = bench_run(bench_arm(true), motion, motion, {.rate_hz = 1000, .seconds = 8});
  for (Eigen::Index k = 0; k < run.samples(); ++k) run.q.row(k) = run.q.row(k - k % 8).eval();
  return run;
}

TEST(RunGuard, RepeatedSamplesAreMeasurementsOnce) {
  ArmRunOptions how;
  how.derivatives = ArmRunOptions::Derivatives::spline;
  const std::vector<ArmRun> runs = {prepare(held_run(1), how)};
  EXPECT_NEAR(runs[0].held, 7.0 / 8, 0.05);
  ASSERT_FALSE(runs[0].warnings.empty());
  EXPECT_NE(runs[0].warnings[0].find("of its positions repeat the sample before"), std::string::npos);
  const ArmFit fit = fit_arm(bench_arm(false), runs, bench_options(ArmFitOptions::Estimator::weighted));
  for (const Metrics& joint : score(fit, prepare(bench_run(bench_arm(true), 2, 2)))) EXPECT_LT(joint.rmse, 0.3);
}

TEST(RunGuard, ACounterThatStandsStillIsNotHeld) {
  Eigen::VectorXd times(400);
  Eigen::MatrixXd q(400, 1);
  for (Eigen::Index k = 0; k < 400; ++k) {
    times[k] = 0.01 * static_cast<double>(k);
    q(k, 0) = 1e-3 * std::round(1e3 * 0.05 * std::sin(times[k]));
  }
  EXPECT_FALSE(internal::held_samples(times, q).any());
}

TEST(RunGuard, SaysNothingOfRealRuns) {
  const std::filesystem::path folder = fathom::test::data_folder();
  if (!std::filesystem::exists(folder / "arm_lwr4")) GTEST_SKIP() << "no recordings in " << folder;
  const ArmRun lwr4 = read_arm_run(folder / "arm_lwr4/measurements_1.csv",
                                   model::read_arm((folder / "arm_lwr4/kuka_lwr4.urdf").string()));
  EXPECT_TRUE(lwr4.outliers.empty());
  const model::Arm ur10e = model::read_arm((folder / "arm_ur10e/ur10e.urdf").string());
  for (const char* name :
       {"ur-20_02_12-40sec_12harm", "ur-20_02_19_14harm50sec", "ur-20_02_19_14harm50secLoad"}) {
    const ArmRun run = read_arm_run(
        folder / "arm_ur10e" / fmt::format("{}.csv", name), ur10e,
        parse_arm_columns("time=1,q=2..7,effort=14..19,wanted_effort=20..25,wanted_torque=26..31", "c"));
    for (const RunOutlier& of : run.outliers) ADD_FAILURE() << name << ":" << of.line << " " << of.signal;
  }
}

/// Friction that no column has: a Stribeck peak, a share of the load, a ripple over the angle.
test::Bench foreign_friction() {
  test::Bench bench;
  bench.stiffness = 1e9, bench.seconds = 20;
  bench.stribeck = 0.25, bench.stribeck_speed = 0.15, bench.load_friction = 0.05, bench.ripple = 0.15;
  return bench;
}

TEST(ArmIntervalsLong, CoverTheDifferenceOfTwoRunsOfAnArmWithAnotherFriction) {
  const model::Arm built = bench_arm(true), drawn = bench_arm(false);
  double inside = 0, all = 0;
  for (std::uint64_t day = 1; day <= 20; ++day) {
    std::vector<ArmFit> fits;
    for (const std::uint64_t motion : {2 * day, 2 * day + 1}) {
      const std::vector<ArmRun> runs = {prepare(bench_run(built, motion, motion, foreign_friction()))};
      fits.push_back(fit_arm(drawn, runs, bench_options(ArmFitOptions::Estimator::weighted)));
    }
    for (std::size_t k = 0; k < fits[0].rank(); ++k) {
      inside += std::abs(fits[0].estimate[k].value - fits[1].estimate[k].value) <
                std::hypot(fits[0].half_width(k), fits[1].half_width(k));
      ++all;
    }
  }
  RecordProperty("covered", std::to_string(inside / all));
  EXPECT_GE(inside / all, 0.90);
  EXPECT_LE(inside / all, 0.985);
}

TEST(ArmIntervalsLong, BandsOfPredictedEffortsHoldOnUnseenRuns) {
  const model::Arm built = bench_arm(true), drawn = bench_arm(false);
  double inside = 0, all = 0;
  for (std::uint64_t day = 1; day <= 20; ++day) {
    const std::vector<ArmRun> runs = {prepare(bench_run(built, 2 * day, day, foreign_friction()))};
    const ArmFit fit = fit_arm(drawn, runs, bench_options(ArmFitOptions::Estimator::consistent));
    for (const BandScore& joint :
         score_band(fit, prepare(bench_run(built, 2 * day + 1, day + 100, foreign_friction())))) {
      inside += joint.covered;
      ++all;
    }
  }
  RecordProperty("covered", std::to_string(inside / all));
  EXPECT_GE(inside / all, 0.92);
  EXPECT_LE(inside / all, 0.98);
}

}  // namespace
}  // namespace fathom::identify::run_guard_test
