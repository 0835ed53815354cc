#include "fathom/identify/commanded/vehicle_score.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/identify/commanded/test/swimming_vehicle.hpp"

namespace fathom::identify::vehicle_score_test {
namespace {

using fathom::test::error_text;

VehicleFit truth() { return {test::known_model(), {Mat6X(6, 0), 0, 0.1}, Vec3(-0.2, 0, 0.1)}; }

CommandedRun swum(std::uint64_t seed) {
  CommandedRun run = test::commanded(30, test::lively, seed);
  test::fill_motion(run, truth());
  return run;
}

VehicleFit nothing(const AccelerationTerms& terms) {
  VehicleFit fit{{terms, {}}, {Mat6X(6, 0), 0, 0}};
  for (std::size_t i = 0; i < 6; ++i) fit.model.theta[i].setZero(static_cast<Eigen::Index>(terms[i].size()));
  return fit;
}

TEST(ScoreVehicle, OfTheTruthIsAll) {
  const CommandedRun one = swum(1), two = swum(2);
  const BlurredRun first(one, full_terms()), second(two, full_terms());
  const VehicleFit fit = truth();
  const VehicleScore score = score_vehicle({{&fit, &first}, {&fit, &second}});
  EXPECT_GT(score.r2.minCoeff(), 0.999);
  EXPECT_LT(score.error_over_spread.maxCoeff(), 0.01);
  EXPECT_GT(score.constant_error_over_spread.minCoeff(), 0.3);
}

/// A model without accelerations is the baseline of constant velocity, number for number.
TEST(ScoreVehicle, OfNoModelIsThatOfConstantVelocity) {
  const CommandedRun run = swum(3);
  const BlurredRun blurred(run, linear_terms());
  const VehicleFit fit = nothing(linear_terms());
  const VehicleScore score = score_vehicle({{&fit, &blurred}});
  EXPECT_EQ(score.r2, score.constant_r2);
  EXPECT_EQ(score.error_over_spread, score.constant_error_over_spread);
  EXPECT_LE(score.r2.maxCoeff(), 0);  // 0 where the mean acceleration is none
  EXPECT_GT(score.r2.minCoeff(), -0.05);
}

/// Blocks differ by 2, 1, 0, 1: their sum has a standard error of sqrt(4) sd = 2 sqrt(2 / 3).
TEST(ComparedScores, HaveStandardErrorsByPairedBlocks) {
  ComparedScores scores;
  scores.linear.r2[0] = 0.5;
  scores.ours.rate_spread[0] = 10;
  for (Mat6X* errors : {&scores.ours.rate_errors, &scores.ours.free_errors, &scores.linear.rate_errors,
                        &scores.linear.free_errors})
    errors->setOnes(6, 4);
  scores.ours.rate_errors.row(0) << 1, 2, 3, 2;
  scores.linear.rate_errors.row(0).setConstant(3);
  EXPECT_NEAR(scores.gain_sigma(0), 2 * std::sqrt(2.0 / 3) / 10, 1e-12);
  scores.linear.error_over_spread[0] = 1;
  scores.linear.constant_error_over_spread[0] = 2;
  scores.linear.free_errors.row(0).setConstant(4);
  EXPECT_NEAR(scores.ratio_sigma(0), 0, 1e-12);  // a ratio of 1/2 in each block
  scores.ours.free_errors.row(0) << 0.5, 1.5, 0.5, 1.5;
  EXPECT_NEAR(scores.ratio_sigma(0), 2 * 0.5 * std::sqrt(4.0 / 3) / (2 * std::sqrt(4.0 * 16)), 1e-12);
}

/// du/dt = -u / T from 1 m/s, by Heun in steps of 0.04 s: the error of a step is of third order.
TEST(FreeRun, DecaysAsTheClosedForm) {
  CommandedRun run = test::commanded(10, Vec6::Zero(), 1);
  run.nu_c.row(0).setOnes();
  VehicleFit fit = nothing(linear_terms());
  fit.model.theta[0][1] = -1 / 2.5;
  const FreeRun free = free_run(fit, run);
  ASSERT_EQ(free.predicted_c.cols(), 125 * 5);  // windows at 0.8, 1.8, ... 4.8 s
  for (int k = 0; k < 125; ++k)
    EXPECT_NEAR(free.predicted_c(0, 125 + k), std::exp(-0.04 * (k + 1) / 2.5), 2e-4) << k;
  EXPECT_TRUE(free.held_c.row(0).isOnes(0));
}

TEST(FreeRun, RefusesAShortRunAndAModelThatRunsAway) {
  CommandedRun run = test::commanded(5, Vec6::Zero(), 1);
  VehicleFit fit = nothing(linear_terms());
  EXPECT_NE(error_text([&] { free_run(fit, run); }).find("a window takes 5.8 s"), std::string::npos);
  run = test::commanded(10, Vec6::Zero(), 1);
  run.nu_c.setOnes();
  fit.model.theta[5][1] = 3;
  EXPECT_NE(error_text([&] { free_run(fit, run); }).find("run away"), std::string::npos);
  const FreeRun held = free_run(fit, run, {.reject_runaway = false});
  EXPECT_TRUE(held.predicted_c.allFinite());
  EXPECT_EQ(held.predicted_c.cwiseAbs().maxCoeff(), 100);
}

}  // namespace
}  // namespace fathom::identify::vehicle_score_test
