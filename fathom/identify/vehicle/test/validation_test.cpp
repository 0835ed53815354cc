#include "fathom/identify/vehicle/validation.hpp"

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/identify/vehicle/test/recordings.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::identify::validation_test {
namespace {

using dynamics::Vehicle;
using Eigen::Index;
using model::Dof;
using test::sinusoids;
using test::swim;

constexpr double dt = 0.04;
const model::Robot& robot() { return dynamics::test::robot_named("bluerov2-heavy"); }

/// Days of one plant. Velocities have an error, accelerations its derivative.
std::vector<Recording> days(const Vehicle& plant, int count, const Vec6& size, double sigma = 0.003) {
  std::vector<Recording> recordings;
  for (int day = 0; day < count; ++day) {
    const auto seed = static_cast<std::uint64_t>(day + 1);
    Recording recording = swim(plant, sinusoids(seed, size), 20, dt);
    recording.name = "day " + std::to_string(day);
    RandomStream random(seed, "noise");
    for (Index i = 0; i < 6; ++i) {
      const double rate = random.uniform(5, 8), phase = random.uniform(0, 6.28);
      for (Index k = 0; k < recording.size(); ++k) {
        const double angle = rate * recording.track.t(k) + phase;
        recording.track.nu_b(i, k) += std::sqrt(2.0) * sigma * std::sin(angle);
        recording.track.nu_dot_b(i, k) += std::sqrt(2.0) * sigma * rate * std::cos(angle);
      }
    }
    recording.track.nu_sigma_b.setConstant(sigma);
    recordings.push_back(std::move(recording));
  }
  return recordings;
}

const Vec6 level = (Vec6() << 12, 12, 12, 0, 0, 2).finished();
const Vec6 rolling = (Vec6() << 12, 12, 12, 4, 4, 2).finished();

TEST(Spread, IsThatOfNumpy) {
  const Spread spread = spread_of({3, 1, std::nan(""), 4, 1.5, 9, 2.6});  // numpy.percentile of the finite ones
  EXPECT_EQ(spread.count, 6u);
  EXPECT_EQ(spread.least, 1);
  EXPECT_DOUBLE_EQ(spread.low_quartile, 1.775);
  EXPECT_DOUBLE_EQ(spread.median, 2.8);
  EXPECT_DOUBLE_EQ(spread.high_quartile, 3.75);
  EXPECT_EQ(spread.most, 9);
  EXPECT_TRUE(std::isnan(spread_of({}).median));
  EXPECT_EQ(spread_of({7}).high_quartile, 7);
}

TEST(Validate, OfTheTrueModelIsNearlyPerfect) {
  const auto recordings = days(Vehicle(robot(), model::Environment(), Dof::four), 3, level);
  ThreadPool pool(1);
  const Validation validation = validate(robot(), model::Environment(), Dof::four, recordings, {}, pool);
  ASSERT_EQ(validation.recordings.size(), 3u);
  for (const int i : model::free_indices(Dof::four)) {
    EXPECT_GT(validation.r2(i).least, 0.99) << i;
    EXPECT_LT(validation.rmse(i).most, 0.006) << i;
    EXPECT_LT(validation.recordings[1].velocities[static_cast<std::size_t>(i)].warp_mean, 0.004);
    EXPECT_NEAR(validation.recordings[1].velocities[static_cast<std::size_t>(i)].noise, 0.003, 1e-12);
  }
  EXPECT_EQ(validation.r2(3).count, 0u);
  EXPECT_EQ(validation.coverage(0).count, 0u);
  EXPECT_EQ(validation.recordings[2].name, "day 2");
  EXPECT_EQ(validation.recordings[2].compared, 500u);
  EXPECT_FALSE(validation.diverged());
}

TEST(Validate, GivesTheMetricsOfTheComparedSamplesAlone) {
  auto recordings = days(Vehicle(robot(), model::Environment(), Dof::four), 1, level);
  recordings[0].track.nu_b.middleCols(100, 20).setConstant(50);
  std::fill_n(recordings[0].usable.begin() + 100, 20, 0);
  ThreadPool pool(1);
  const Validation validation = validate(robot(), model::Environment(), Dof::four, recordings, {}, pool);
  EXPECT_GT(validation.r2(0).median, 0.99);
  EXPECT_EQ(validation.recordings[0].compared, 501u - 20 - 2);
}

TEST(Validate, HasNoR2OfAnAxisThatHardlyMoves) {
  const Vec6 surge = (Vec6() << 12, 0, 0, 0, 0, 0).finished();
  const auto recordings = days(Vehicle(robot(), model::Environment(), Dof::four), 1, surge);
  ThreadPool pool(1);
  const Validation validation = validate(robot(), model::Environment(), Dof::four, recordings, {}, pool);
  EXPECT_GT(validation.r2(0).median, 0.99);
  EXPECT_EQ(validation.r2(1).count, 0u) << "it moves by the error of its sensors alone";
  EXPECT_EQ(validation.rmse(1).count, 1u);
}

TEST(Validate, AddsBands) {
  const auto recordings = days(Vehicle(robot(), model::Environment(), Dof::four), 3, level);
  ThreadPool pool(2);
  ValidationOptions options;
  options.band = BandOptions{.members = 12};
  ResidualStatistics residual;
  residual.sigma << 0.3, 0.3, 0.3, 0, 0, 0.05;
  residual.correlation_time.setConstant(1);
  options.residual = residual;
  const Validation validation = validate(robot(), model::Environment(), Dof::four, recordings, options, pool);
  ASSERT_TRUE(validation.recordings[0].band);
  EXPECT_EQ(validation.coverage(0).count, 3u);
  EXPECT_GT(validation.coverage(0).median, 0.85);
  EXPECT_FALSE(validation.has_covariance);
}

TEST(CompareDof, FindsFourEnoughForALevelVehicle) {
  const auto recordings = days(Vehicle(robot(), model::Environment(), Dof::six), 3, 0.2 * level, 0.01);
  ThreadPool pool(1);
  const auto four = validate(robot(), model::Environment(), Dof::four, recordings, {}, pool);
  const auto six = validate(robot(), model::Environment(), Dof::six, recordings, {}, pool);
  const DofComparison comparison = compare_dof(four, six);
  EXPECT_LT(std::abs(comparison.four - comparison.six), comparison.noise);
  EXPECT_FALSE(comparison.six_is_better) << comparison.verdict;
  EXPECT_TRUE(comparison.verdict.starts_with("4-DoF is enough: error ")) << comparison.verdict;
}

TEST(CompareDof, NeedsSixWhereItRollsAndPitches) {
  const auto recordings = days(Vehicle(robot(), model::Environment(), Dof::six), 3, rolling, 0.001);
  ThreadPool pool(1);
  const auto four = validate(robot(), model::Environment(), Dof::four, recordings, {}, pool);
  const auto six = validate(robot(), model::Environment(), Dof::six, recordings, {}, pool);
  const DofComparison comparison = compare_dof(four, six);
  EXPECT_TRUE(comparison.six_is_better) << comparison.verdict;
  EXPECT_TRUE(comparison.verdict.starts_with("4-DoF is not enough: error ")) << comparison.verdict;
  EXPECT_GT(six.r2(4).median, 0.99);
}

TEST(CompareDof, SaysWhichModelRanAway) {
  const auto recordings = days(Vehicle(robot(), model::Environment(), Dof::four), 1, level);
  ThreadPool pool(1);
  const auto four = validate(robot(), model::Environment(), Dof::four, recordings, {}, pool);
  Validation six = four;
  six.recordings[0].prediction.diverged = 1;
  EXPECT_EQ(compare_dof(four, six).verdict, "4-DoF is enough: the 6-DoF model runs away.");
  EXPECT_TRUE(compare_dof(six, four).six_is_better);
}

TEST(CompareDof, ALogThatOneModelCannotRunLeavesTheScatterOfTheOthers) {
  Validation four;
  four.recordings.resize(6);
  for (RecordingResult& recording : four.recordings)
    for (const std::size_t i : {0, 1, 2, 5}) {
      recording.velocities[i].range = 1;
      recording.velocities[i].noise = 0.001;
      recording.velocities[i].metrics.rmse = 0.1;
    }
  Validation six = four;
  const double differences[] = {0.04, 0.035, -0.03, 0.04, -0.04};  // median 0.035, two standard errors 0.036
  for (std::size_t k = 0; k < 5; ++k)
    for (const std::size_t i : {0, 1, 2, 5}) six.recordings[k].velocities[i].metrics.rmse -= differences[k];
  const DofComparison whole = compare_dof(four, six);
  four.recordings[5].prediction.diverged = six.recordings[5].prediction.diverged = 1;
  const DofComparison comparison = compare_dof(four, six);
  EXPECT_NEAR(comparison.noise,
              2 * std::sqrt((0.0016 * 3 + 0.035 * 0.035 + 0.0009 - 5 * 0.009 * 0.009) / 4 / 5), 1e-12);
  EXPECT_FALSE(comparison.six_is_better) << comparison.verdict;
  EXPECT_GT(whole.noise, 0.02);
}

TEST(IdentifiedStructure, IsWhatTheRobotWasIdentifiedBy) {
  const model::Environment environment;
  EXPECT_EQ(identified_structure(robot(), Dof::four).size(), model::full_structure(Dof::four).size());
  const model::Structure structure = model::structure_by_name("vehicle-24");
  const auto parameters = model::parameters_of(robot(), environment, structure).parameters;
  const model::Robot identified = model::with_parameters(robot(), environment, structure, parameters, "test");
  const model::Structure six = identified_structure(identified, Dof::six);
  EXPECT_EQ(six.terms, structure.terms);
  const model::Structure four = identified_structure(identified, Dof::four);
  EXPECT_LT(four.size(), six.size());
  for (const model::Term& term : four.terms) EXPECT_TRUE(model::is_free(Dof::four, term.row));
}

TEST(Validate, RefusesNoRecordings) {
  ThreadPool pool(1);
  EXPECT_EQ(fathom::test::error_text([&] { validate(robot(), model::Environment(), Dof::four, {}, {}, pool); }),
            "recordings there are none (at least one log)");
}

}  // namespace
}  // namespace fathom::identify::validation_test
