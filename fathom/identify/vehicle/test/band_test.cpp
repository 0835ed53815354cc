#include "fathom/identify/vehicle/band.hpp"

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/identify/vehicle/internal/member.hpp"
#include "fathom/identify/vehicle/test/recordings.hpp"
#include "fathom/identify/vehicle/wrench_residuals.hpp"
#include "fathom/model/robot_parameters.hpp"

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

/// The statistics of disturbed_swim().
ResidualStatistics of_the_water() {
  ResidualStatistics residual;
  residual.sigma << 1, 1, 1, 0, 0, 0.2;
  residual.correlation_time.setConstant(1.5);
  return residual;
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
  constexpr int days = 24;
  for (int day = 0; day < days; ++day) {
    const auto seed = static_cast<std::uint64_t>(10 + 2 * day);
    UncertainModel uncertain = estimate_of(truth, 0.05, seed);
    uncertain.residual = of_the_water();
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
  EXPECT_FALSE(narrow.has_residual);
}

/// The band of a long run has the variance that theory gives a linear vehicle under first-order noise.
TEST(Band, HasTheWidthOfALinearVehicleInFirstOrderNoise) {
  model::RobotSpec spec = dynamics::test::robot_named("bluerov2-heavy").spec();
  for (model::DragElement& element : spec.damping)
    for (Mat6& Q : element.quadratic.value.by_speed) Q.setZero();
  const model::Robot truth = model::Robot::make(spec);
  const Vehicle plant(truth, model::Environment(), Dof::four);
  Recording recording = swim(
      plant, [](double) { return Vec6(Vec6::Zero()); }, 120, dt);
  recording.track.nu_sigma_b.setConstant(1e-6);
  UncertainModel uncertain = estimate_of(truth, 1e-9, 1);
  uncertain.residual = of_the_water();
  uncertain.residual->sigma.tail<5>().setZero();  // turning makes a vehicle nonlinear
  ThreadPool pool(2);
  const Band wide = band(uncertain, recording, {.members = 64}, pool);
  const double m = plant.M()(0, 0), d = dynamics::damping_matrix(plant, Vec6::Zero())(0, 0), T = 1.5;
  const double sigma = std::sqrt(1 / (d * (d + m / T)));  // of m u_dot + d u = tau, sigma of tau 1 N
  double mean = 0;
  const Index first = 1000, count = recording.size() - first;
  for (Index k = first; k < recording.size(); ++k)
    mean += 0.5 * (wide.high(0, k) - wide.low(0, k)) / static_cast<double>(count);
  EXPECT_NEAR(mean, 2.0 * sigma, 0.1 * 2 * sigma);  // Student's t of 63 degrees of freedom
  BandOf outside;
  outside.widening.setConstant(6, recording.size(), 3);
  const Band wider = Ensemble(uncertain, {.members = 64}).band(recording, outside, pool);
  EXPECT_NEAR((wider.high - wider.low)(0, 2000), 3 * (wide.high - wide.low)(0, 2000), 1e-12);
}

TEST(Band, IsTheSameWhateverTheCrew) {
  const model::Robot& truth = dynamics::test::robot_named("bluerov2-heavy");
  const Vehicle plant(truth, model::Environment(), Dof::four);
  UncertainModel uncertain = estimate_of(truth, 0.05, 1);
  uncertain.delay_sigma = 0.02;
  uncertain.prediction.delay = 0.05;
  const Recording recording = disturbed_swim(plant, 1, 10, 0.004);
  uncertain.residual = of_the_water();
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
