#include "fathom/identify/vehicle/baselines.hpp"

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/identify/vehicle/test/recordings.hpp"

namespace fathom::identify::baselines_test {
namespace {

using dynamics::Vehicle;
using fathom::test::error_text;
using test::sinusoids;
using test::swim;

constexpr int driven[] = {0, 1, 2, 5};
constexpr double delay = 0.1;

Vehicle heavy() {
  return Vehicle(dynamics::test::robot_named("bluerov2-heavy"), model::Environment(), model::Dof::four);
}

/// A day of its own for each seed.
Recording day(const Vehicle& vehicle, std::uint64_t seed, const model::Current& current = {}) {
  Recording recording =
      swim(vehicle, sinusoids(seed, (Vec6() << 20, 20, 20, 0, 0, 3).finished()), 60, 0.05, delay, {}, current);
  recording.track.nu_sigma_b.setConstant(1e-3);
  return recording;
}

/// The vehicle whose drag, linear and quadratic, is this share of its own.
Vehicle with_drag(double share) {
  model::RobotSpec spec = dynamics::test::robot_named("bluerov2-heavy").spec();
  for (model::DragElement& element : spec.damping) {
    element.linear.value *= share;
    for (Mat6& Q : element.quadratic.value.by_speed) Q *= share;
  }
  return Vehicle(model::Robot::make(spec), model::Environment(), model::Dof::four);
}

/// Quadratic drag, coupled axes and a current are beyond a line per axis; the model that made the data has
/// them.
TEST(Baselines, AreBeatenByTheModelThatIsTheVehicle) {
  const Vehicle vehicle = heavy();
  const model::Current current{Vec3(0.1, -0.05, 0), Vec3::Zero()};
  const std::vector<Recording> seen = {day(vehicle, 1, current)},
                               unseen = {day(vehicle, 2, current), day(vehicle, 3, current)};
  const ComparedScores scores =
      compare_with_baselines(vehicle, unseen, fit_line_per_axis(seen),
                             {.delay = delay, .currents_n = {current.velocity_n, current.velocity_n}});
  for (const int i : driven) {
    EXPECT_GT(scores.ours.r2[i], 0.999) << i;
    EXPECT_LT(scores.ours.error_over_spread[i], 0.02) << i;
    EXPECT_GT(scores.gain(i), 0.005) << i;
    EXPECT_LT(scores.ratio(i), 0.1) << i;
    EXPECT_LE(scores.linear.constant_r2[i], 1e-9) << i;
    EXPECT_GT(scores.linear.r2[i], 0.1) << i << ": a line is better than no acceleration";
  }
}

/// A model that is far enough off loses to what anybody has, and is told so.
TEST(Baselines, BeatAModelThatIsWrong) {
  const std::vector<Recording> seen = {day(heavy(), 1)}, unseen = {day(heavy(), 2)};
  const auto ratio = [&](double share, double assumed_delay) {
    return compare_with_baselines(with_drag(share), unseen, fit_line_per_axis(seen), {.delay = assumed_delay})
        .ratio(0);
  };
  EXPECT_LT(ratio(1, delay), 0.1);
  EXPECT_GT(ratio(3, delay), 1);
  EXPECT_GT(ratio(1, delay + 0.6), 2 * ratio(1, delay));
}

/// The line is fitted to what was seen alone: other unseen days do not move it.
TEST(Baselines, LearnFromWhatWasSeenAlone) {
  const Vehicle vehicle = heavy();
  const std::vector<Recording> seen = {day(vehicle, 1)}, calm = {day(with_drag(3), 1)},
                               unseen = {day(vehicle, 2)};
  const ComparedScores honest =
                           compare_with_baselines(vehicle, unseen, fit_line_per_axis(seen), {.delay = delay}),
                       misled =
                           compare_with_baselines(vehicle, unseen, fit_line_per_axis(calm), {.delay = delay});
  for (const int i : {0, 1, 2}) {
    EXPECT_EQ(honest.ours.r2[i], misled.ours.r2[i]);
    EXPECT_GT(honest.linear.r2[i], misled.linear.r2[i] + 0.01) << i;
  }
}

TEST(Baselines, NeedAStretchAsLongAsAFreeRun) {
  const Vehicle vehicle = heavy();
  const std::vector<Recording> full = {day(vehicle, 1)};
  std::vector<Recording> gaps = full;
  for (std::size_t k = 0; k < gaps[0].usable.size(); k += 40) gaps[0].usable[k] = 0;  // every two seconds
  EXPECT_EQ(error_text([&] { compare_with_baselines(vehicle, gaps, fit_line_per_axis(full)); }),
            "swim: log has no stretch as long as a free run (without a gap)");
  EXPECT_EQ(error_text([&] { fit_line_per_axis(gaps); }),
            "swim: log has no stretch as long as a free run (without a gap)");
}

}  // namespace
}  // namespace fathom::identify::baselines_test
