#include "fathom/identify/vehicle/band.hpp"

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/identify/vehicle/internal/member.hpp"
#include "fathom/identify/vehicle/test/recordings.hpp"
#include "fathom/model/robot_parameters.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify::band_test {
namespace {

using dynamics::Vehicle;
using Eigen::Index;
using fathom::test::error_text;
using model::Dof;
using test::sinusoids;
using test::swim;
using test::Wrench;

constexpr double dt = 0.04;

/// Coloured noise: first-order with a memory of `memory` s, linear between samples.
Wrench coloured(std::uint64_t seed, double duration, double memory, const Vec6& sigma) {
  RandomStream random(seed, "coloured");
  const auto n = static_cast<Index>(duration / dt) + 3;
  const double keep = std::exp(-dt / memory);
  Mat6X values(6, n);
  for (Index k = 0; k < n; ++k)
    for (Index i = 0; i < 6; ++i)
      values(i, k) =
          (k == 0 ? random.normal() * sigma[i]
                  : keep * values(i, k - 1) + std::sqrt(1 - keep * keep) * sigma[i] * random.normal());
  return [values](double t) -> Vec6 {
    const double place = std::max(0.0, t / dt);
    const auto k = std::min(static_cast<Index>(place), values.cols() - 2);
    const double share = place - static_cast<double>(k);
    return (1 - share) * values.col(k) + share * values.col(k + 1);
  };
}

/// A swim with a wrench that nobody commanded. Velocities have an error, accelerations its derivative.
Recording disturbed_swim(const Vehicle& vehicle, std::uint64_t seed, double duration, double sigma_nu) {
  const Vec6 size = (Vec6() << 1, 1, 1, 0, 0, 0.2).finished();
  const Wrench tau = sinusoids(seed), water = coloured(seed, duration, 1.5, size);
  Recording recording = swim(
      vehicle, [&](double t) -> Vec6 { return tau(t) + water(t); }, duration, dt);
  RandomStream random(seed, "noise");
  for (const int i : model::free_indices(vehicle.dof())) {
    recording.track.nu_sigma_b.row(i).setConstant(sigma_nu);
    const double rate = random.uniform(5, 8), phase = random.uniform(0, 6.28),
                 size_nu = std::sqrt(2.0) * sigma_nu;
    for (Index k = 0; k < recording.size(); ++k) {
      const double angle = rate * recording.track.t(k) + phase;
      recording.track.nu_b(i, k) += size_nu * std::sin(angle);
      recording.track.nu_dot_b(i, k) += size_nu * rate * std::cos(angle);
    }
  }
  for (Index k = 0; k < recording.size(); ++k) recording.tau_b.col(k) = tau(recording.track.t(k));
  return recording;
}

model::Structure four_dof_structure() {
  model::StructureOptions options;
  options.dof = Dof::four;
  options.inertia = model::StructureOptions::Inertia::diagonal;
  return model::make_structure("four", options);
}

/// A robot whose parameters are known to `share`, at a draw from that distribution.
UncertainModel estimate_of(const model::Robot& truth, double share, std::uint64_t seed) {
  const model::Environment environment;
  const model::Structure structure = four_dof_structure();
  Eigen::VectorXd values = model::parameters_of(truth, environment, structure).parameters.values();
  RandomStream random(seed, "estimate");
  Eigen::VectorXd sigma = share * values.cwiseAbs();
  for (Index k = 0; k < values.size(); ++k) values[k] += sigma[k] * random.normal();
  const model::ParameterVector parameters(structure.parameters(values), sigma.cwiseAbs2().asDiagonal());
  return {model::with_parameters(truth, environment, structure, parameters, "test"),
          environment,
          structure,
          parameters,
          {},
          0,
          {}};
}

TEST(ResidualsOf, AreTheWrenchThatNobodyCommanded) {
  const Vehicle vehicle(dynamics::test::robot_named("bluerov2-heavy"), model::Environment(), Dof::four);
  const Vec6 extra = (Vec6() << 1, -2, 3, 0, 0, 0.4).finished();
  const Wrench tau = sinusoids(1);
  Recording recording = swim(
      vehicle, [&](double t) -> Vec6 { return tau(t - 0.06) + extra; }, 4, 0.02);
  for (Index k = 0; k < recording.size(); ++k) recording.tau_b.col(k) = tau(recording.track.t(k));
  recording.usable[100] = 0;
  const WrenchResiduals residuals = residuals_of(vehicle, recording, {.delay = 0.06});
  for (Index k = 0; k < recording.size(); ++k) {
    const bool usable = residuals.usable[static_cast<std::size_t>(k)];
    ASSERT_EQ(usable, (k >= 3 && k < 100) || k >= 104) << k;
    for (const int i : model::free_indices(Dof::four))
      ASSERT_NEAR(residuals.wrench_b(i, k), usable ? -extra[i] : 0, 1e-9) << k;
  }
}

TEST(BlockBootstrap, KeepsVarianceAndMemory) {
  WrenchResiduals residuals{dt, Mat6X::Zero(6, 8000), std::vector<char>(8000, 1)};
  const Wrench noise = coloured(1, 8000 * dt, 0.8, Vec6::Constant(2));
  for (Index k = 0; k < 8000; ++k) residuals.wrench_b.col(k) = noise(dt * static_cast<double>(k));
  residuals.usable[3000] = 0;
  const internal::BlockBootstrap bootstrap({residuals}, dt, Dof::four);
  EXPECT_GE(bootstrap.block(), static_cast<Index>(5 / dt));
  RandomStream random(1, "bootstrap");
  const Mat6X series = bootstrap.draw(20000, random);
  EXPECT_NEAR(std::sqrt(series.row(0).squaredNorm() / 20000), 2, 0.15);
  const double memory = solve::integral_time(residuals.wrench_b.row(0).tail(4999).transpose());
  EXPECT_NEAR(memory, 2 * 0.8 / dt, 0.8 / dt);  // of a first-order process: twice its time constant
  EXPECT_NEAR(solve::integral_time(series.row(0).transpose()), memory, 0.3 * memory);
  EXPECT_EQ(bootstrap.draw(10, random).cols(), 10);
}

TEST(BlockBootstrap, WithoutResidualsDrawsNothing) {
  RandomStream random(1, "none");
  EXPECT_EQ(internal::BlockBootstrap({}, dt, Dof::six).draw(100, random), Mat6X::Zero(6, 100));
  const WrenchResiduals other{0.5, Mat6X::Zero(6, 8), std::vector<char>(8, 1)};
  EXPECT_EQ(error_text([&] { internal::BlockBootstrap({other}, dt, Dof::six); }),
            "residuals have a step of 0.5 s, the recording 0.04 s (smooth both to the same clock)");
}

TEST(MemberSource, DrawsTheCovarianceAndNothingThatNatureForbids) {
  const model::Robot& truth = dynamics::test::robot_named("bluerov2-heavy");
  const UncertainModel narrow = estimate_of(truth, 0.02, 1);
  const internal::MemberSource source(narrow);
  const auto index = static_cast<Index>(*narrow.parameters.find("m11"));
  const double mean = narrow.parameters.values()[index];
  RandomStream random(1, "members");
  double sum = 0, squares = 0;
  for (int k = 0; k < 400; ++k) {
    const double m11 = source.draw(random).vehicle.M()(0, 0) - mean;
    sum += m11;
    squares += m11 * m11;
  }
  EXPECT_NEAR(std::sqrt(squares / 400), narrow.parameters.sigma(static_cast<std::size_t>(index)),
              0.1 * 0.02 * mean);
  EXPECT_NEAR(sum / 400, 0, 4 * 0.02 * mean / 20);

  UncertainModel wide = estimate_of(truth, 0.02, 1);
  wide.parameters = model::ParameterVector(wide.parameters.entries(), 1e4 * wide.parameters.covariance());
  const internal::MemberSource wild(wide);
  int redrawn = 0, shrunk = 0;
  for (int k = 0; k < 50; ++k) {
    const auto member = wild.draw(random);
    redrawn += member.redrawn;
    shrunk += member.is_shrunk;
    for (const int i : model::free_indices(Dof::four)) {
      EXPECT_GT(member.vehicle.M()(i, i), 0);
      EXPECT_GE(dynamics::damping_matrix(member.vehicle, Vec6::Unit(i))(i, i), 0);
    }
  }
  EXPECT_GT(redrawn, 0);
  EXPECT_GT(shrunk, 0);
}

TEST(BandLong, HoldsWhatItPromisesOverManyDays) {
  const model::Robot& truth = dynamics::test::robot_named("bluerov2-heavy");
  const Vehicle plant(truth, model::Environment(), Dof::four);
  ThreadPool pool(2);
  Vec6 mean = Vec6::Zero();
  constexpr int days = 6;
  for (int day = 0; day < days; ++day) {
    const auto seed = static_cast<std::uint64_t>(10 + 2 * day);
    UncertainModel uncertain = estimate_of(truth, 0.05, seed);
    const Vehicle model(uncertain.robot, uncertain.environment, Dof::four);
    uncertain.residuals.push_back(residuals_of(model, disturbed_swim(plant, seed, 40, 0.004)));
    const Recording unseen = disturbed_swim(plant, seed + 1, 20, 0.004);
    mean += band(uncertain, unseen, {.members = 32, .seed = seed}, pool).coverage / days;
  }
  for (const int i : model::free_indices(Dof::four)) {
    EXPECT_GE(mean[i], 0.90) << i;
    EXPECT_LE(mean[i], 0.99) << i;
  }
  EXPECT_TRUE(std::isnan(mean[3]));
}

TEST(Band, WithoutTheWaterIsTooNarrow) {
  const model::Robot& truth = dynamics::test::robot_named("bluerov2-heavy");
  const Vehicle plant(truth, model::Environment(), Dof::four);
  ThreadPool pool(2);
  const UncertainModel uncertain = estimate_of(truth, 0.01, 1);
  const Band narrow = band(uncertain, disturbed_swim(plant, 3, 30, 0.001), {.members = 16}, pool);
  EXPECT_LT(narrow.coverage[0], 0.7);
  EXPECT_EQ(narrow.block, 0);
}

/// What acts on the vehicle is the residual turned round: a steady push must move the band the right way.
TEST(Band, FollowsASteadyPushThatTheModelDoesNotHave) {
  const model::Robot& truth = dynamics::test::robot_named("bluerov2-heavy");
  const Vehicle plant(truth, model::Environment(), Dof::four);
  const Wrench tau = sinusoids(1);
  const Vec6 push = (Vec6() << 4, 0, 0, 0, 0, 0).finished();
  Recording recording = swim(
      plant, [&](double t) -> Vec6 { return tau(t) + push; }, 20, dt);
  for (Index k = 0; k < recording.size(); ++k) recording.tau_b.col(k) = tau(recording.track.t(k));
  recording.track.nu_sigma_b.setConstant(0.01);
  UncertainModel uncertain = estimate_of(truth, 1e-6, 1);
  uncertain.residuals.push_back(residuals_of(plant, recording));
  ThreadPool pool(2);
  EXPECT_GT(band(uncertain, recording, {.members = 8}, pool).coverage[0], 0.99);
  uncertain.residuals.clear();
  EXPECT_LT(band(uncertain, recording, {.members = 8}, pool).coverage[0], 0.2);
}

TEST(Band, IsTheSameWhateverTheCrew) {
  const model::Robot& truth = dynamics::test::robot_named("bluerov2-heavy");
  const Vehicle plant(truth, model::Environment(), Dof::four);
  UncertainModel uncertain = estimate_of(truth, 0.05, 1);
  uncertain.delay_sigma = 0.02;
  uncertain.prediction.delay = 0.05;
  const Recording recording = disturbed_swim(plant, 1, 10, 0.004);
  uncertain.residuals.push_back(residuals_of(plant, recording));
  ThreadPool one(1), three(3);
  const Band a = band(uncertain, recording, {.members = 12}, one),
             b = band(uncertain, recording, {.members = 12}, three);
  const Index n = recording.size() - 10;  // the first have no prediction
  EXPECT_EQ(a.low.rightCols(n), b.low.rightCols(n));
  EXPECT_EQ(a.high.rightCols(n), b.high.rightCols(n));
  EXPECT_GT((a.high - a.low)(0, 200), 0);
  const Band c = band(uncertain, recording, {.members = 12, .seed = 2}, one);
  EXPECT_NE(a.low(0, 200), c.low(0, 200));
  EXPECT_EQ(a.high(3, 200), a.low(3, 200));
}

TEST(Band, RefusesWhatItCannotUse) {
  const model::Robot& truth = dynamics::test::robot_named("bluerov2-heavy");
  const Vehicle plant(truth, model::Environment(), Dof::four);
  const UncertainModel uncertain = estimate_of(truth, 0.05, 1);
  const Recording recording = disturbed_swim(plant, 1, 2, 0.004);
  ThreadPool pool(1);
  EXPECT_EQ(error_text([&] { band(uncertain, recording, {.members = 2}, pool); }),
            "members = 2, must be 8 or more");
  EXPECT_EQ(error_text([&] { band(uncertain, recording, {.level = 1}, pool); }),
            "level = 1, must be between 0 and 1");
}

}  // namespace
}  // namespace fathom::identify::band_test
