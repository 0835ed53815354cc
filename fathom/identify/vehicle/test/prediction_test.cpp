#include "fathom/identify/vehicle/prediction.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/identify/vehicle/test/recordings.hpp"

namespace fathom::identify::prediction_test {
namespace {

using dynamics::Vehicle;
using Eigen::Index;
using fathom::test::error_text;
using model::Dof;
using test::sinusoids;
using test::swim;

/// A neutral ball with linear drag: each velocity is a first-order system of its own while it moves straight.
model::Robot ball(double mass, double drag) {
  model::RobotSpec spec;
  spec.name = "ball";
  spec.hull.mass.value = mass;
  spec.hull.volume.value = mass / model::fresh_water;
  spec.hull.inertia.value = 0.1 * Mat3::Identity();
  spec.hull.added_mass.value.setZero();
  model::DragElement element;
  element.name = "ball";
  element.linear.value = drag * Mat6::Identity();
  spec.damping.push_back(element);
  return model::Robot::make(spec);
}

double worst(const Prediction& prediction, const Recording& recording) {
  double result = 0;
  for (Index k = 0; k < recording.size(); ++k)
    if (prediction.compared[static_cast<std::size_t>(k)])
      result = std::max(result, (prediction.nu_b.col(k) - recording.track.nu_b.col(k)).cwiseAbs().maxCoeff());
  return result;
}

int count(const std::vector<char>& marks) { return std::accumulate(marks.begin(), marks.end(), 0); }

TEST(Predict, MeetsTheClosedFormOfARampWithDelay) {
  const double m = 8, d = 4, slope = 3, delay = 0.055, dt = 0.02;
  const Vehicle vehicle(ball(m, d));
  Recording recording = swim(
      vehicle, [](double) { return Vec6::Zero(); }, 5, dt);
  for (Index k = 0; k < recording.size(); ++k) recording.tau_b(0, k) = slope * recording.track.t(k);
  const Prediction prediction = predict(vehicle, recording, {.delay = delay});
  // It begins with the first sample at which the wrench of 0.055 s ago is known: t = 0.06 s, and at rest there.
  // m u' + d u = slope (t - delay): u = slope / d (t - delay - m / d) + C exp(-d t / m).
  const double begin = 0.06, T = m / d, C = -slope / d * (begin - delay - T);
  for (Index k = 3; k < recording.size(); ++k) {
    const double t = recording.track.t(k);
    const double u = slope / d * (t - delay - T) + C * std::exp(-(t - begin) / T);
    ASSERT_NEAR(prediction.nu_b(0, k), u, 1e-9) << k;
    ASSERT_EQ(prediction.compared[static_cast<std::size_t>(k)], k > 3);
  }
  EXPECT_TRUE(prediction.nu_b.leftCols(3).array().isNaN().all());
  EXPECT_EQ(prediction.starts, 1u);
}

class PredictRobot : public testing::TestWithParam<dynamics::test::NamedRobot> {};

TEST_P(PredictRobot, MeetsAFinerIntegrationOfTheSameModel) {
  const model::Environment environment;
  for (const Dof dof : {Dof::four, Dof::six}) {
    const Vehicle vehicle(GetParam().robot, environment, dof);
    const Vec6 size = vehicle.M().diagonal().cwiseProduct((Vec6() << 0.3, 0.3, 0.3, 0.2, 0.2, 0.3).finished());
    const model::Current current{Vec3(0.1, -0.05, 0), Vec3::Zero()};
    const Recording recording = swim(vehicle, sinusoids(3, size), 3, 0.02, 0.1, {}, current);
    const Prediction prediction = predict(vehicle, recording, {.delay = 0.1, .current_n = current.velocity_n});
    EXPECT_EQ(count(prediction.compared), recording.size() - 6);
    // What is left is the chord between samples of the wrench: (1.2 rad/s * 0.02 s)^2 / 8 of its size.
    EXPECT_LE(worst(prediction, recording), 2e-3) << static_cast<int>(dof);
    EXPECT_EQ(prediction.nu_b.rightCols(100).middleRows(3, 2).norm() == 0, dof == Dof::four);
  }
}
INSTANTIATE_TEST_SUITE_P(AllRobots, PredictRobot, testing::ValuesIn(dynamics::test::all_robots()),
                         dynamics::test::case_name);

TEST(Predict, StartsAnewAfterEachHorizonFromWhatWasMeasured) {
  const Vehicle vehicle(ball(8, 4)), other(ball(8, 5));
  const Recording recording = swim(vehicle, sinusoids(1), 20, 0.02);
  const Prediction whole = predict(other, recording), pieces = predict(other, recording, {.horizon = 1});
  EXPECT_EQ(pieces.starts, 20u);
  EXPECT_EQ(count(pieces.compared), count(whole.compared));
  EXPECT_LT(worst(pieces, recording), 0.7 * worst(whole, recording));
  EXPECT_EQ(pieces.nu_b.col(50), whole.nu_b.col(50));  // of the run before, although a new one starts there
  EXPECT_NE(pieces.nu_b(0, 51), whole.nu_b(0, 51));
}

TEST(Predict, StartsAnewAfterAGapAndNeverReadsWhatIsNotUsable) {
  const Vehicle vehicle(ball(8, 4));
  Recording recording = swim(vehicle, sinusoids(1), 10, 0.02, 0.05);
  const double nan = std::nan("");
  for (Index k = 200; k < 230; ++k) {
    recording.usable[static_cast<std::size_t>(k)] = 0;
    recording.tau_b.col(k).setConstant(nan);
    recording.track.nu_b.col(k).setConstant(nan);
  }
  const Prediction prediction = predict(vehicle, recording, {.delay = 0.05});
  EXPECT_EQ(prediction.starts, 2u);
  EXPECT_EQ(count(prediction.compared), 501 - 30 - 2 * 4);  // after each start, 3 samples of delay and itself
  EXPECT_LE(worst(prediction, recording), 1e-3);
  EXPECT_TRUE(prediction.nu_b.middleCols(200, 33).array().isNaN().all());
  EXPECT_EQ(prediction.nu_b.col(233), recording.track.nu_b.col(233));
}

TEST(Predict, MarksTheRestWhereTheModelRunsAway) {
  const Vehicle vehicle(ball(8, 4));
  Recording recording = swim(vehicle, sinusoids(1), 10, 0.02);
  recording.tau_b.row(0).rightCols(401).setConstant(1e6);
  const Prediction prediction = predict(vehicle, recording);
  EXPECT_GT(prediction.diverged, 390u);
  EXPECT_EQ(count(prediction.compared) + static_cast<int>(prediction.diverged), 500);
  EXPECT_TRUE(prediction.nu_b.rightCols(390).array().isNaN().all());
  recording.tau_b.setConstant(std::numeric_limits<double>::infinity());
  EXPECT_EQ(predict(vehicle, recording).diverged, 500u);
}

TEST(Predict, OfNothingUsableIsNothing) {
  const Vehicle vehicle(ball(8, 4));
  Recording recording = swim(vehicle, sinusoids(1), 1, 0.02);
  recording.usable.assign(recording.usable.size(), 0);
  const Prediction prediction = predict(vehicle, recording);
  EXPECT_EQ(count(prediction.compared), 0);
  EXPECT_TRUE(prediction.nu_b.array().isNaN().all());
  EXPECT_EQ(prediction.starts, 0u);
}

TEST(Predict, AddsADisturbanceThatHasNoDelay) {
  const Vehicle vehicle(ball(8, 4));
  Recording recording = swim(vehicle, sinusoids(1), 5, 0.02);
  const Mat6X tau = recording.tau_b;
  const Prediction expected = predict(vehicle, recording);
  recording.tau_b.setZero();
  const Prediction prediction = predict(vehicle, recording, {}, tau);
  EXPECT_EQ(prediction.nu_b, expected.nu_b);
}

TEST(Predict, RefusesWhatItCannotUse) {
  const Vehicle vehicle(ball(8, 4));
  Recording recording = swim(vehicle, sinusoids(1), 1, 0.02);
  EXPECT_EQ(error_text([&] { predict(vehicle, recording, {.delay = -1}); }), "delay = -1 s, must be 0 or more");
  EXPECT_EQ(error_text([&] { predict(vehicle, recording, {.horizon = std::nan("")}); }),
            "horizon = nan s, must be 0 or more (0 is the whole log)");
  recording.usable.pop_back();
  EXPECT_EQ(error_text([&] { predict(vehicle, recording); }),
            "swim has 51 velocities, 51 attitudes, 51 wrenches and 50 marks of use (one of each per sample)");
}

}  // namespace
}  // namespace fathom::identify::prediction_test
