// Buoyancy, added mass and drag of an arm under water, as unknowns.
#include <cmath>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "fathom/identify/arm/arm_fit.hpp"
#include "fathom/identify/arm/test/bench_arm.hpp"
#include "fathom/model_file/arm_file.hpp"

namespace fathom::identify::arm_water_test {
namespace {

using Estimator = ArmFitOptions::Estimator;
using test::Bench;
using test::bench_arm_in_water;
using test::bench_run;

ArmFitOptions under_water(bool buoyancy, bool added_mass, bool drag, Estimator estimator) {
  ArmFitOptions options = test::bench_options(estimator, dynamics::Medium::water);
  options.columns.buoyancy = buoyancy;
  options.columns.added_mass = added_mass;
  options.columns.drag = drag;
  return options;
}

Bench pool() {
  Bench bench;
  bench.in_water = true;
  bench.seconds = 30;
  return bench;
}

Eigen::VectorXd true_numbers(const ArmFit& fit, const model::Arm& built) {
  return fit.base.grouping *
         dynamics::arm_parameters(built, fit.options.environment, fit.options.columns).values();
}

/// `.b`, `.by`, `.D5`, `.Q5`
bool is_of_water(const std::string& name) {
  const char letter = name[name.find('.') + 1];
  return letter == 'b' || letter == 'D' || letter == 'Q';
}

TEST(ArmWaterLong, BuoyancyAndDragLieInTheirIntervals) {
  const model::Arm built = bench_arm_in_water(true), drawn = bench_arm_in_water(false);
  const int days = 20;
  double all = 0, within = 0, distinct_texts = 0;
  for (int day = 1; day <= days; ++day) {
    const auto seed = static_cast<std::uint64_t>(day);
    const std::vector<ArmRun> runs = {prepare(bench_run(built, seed, seed, pool()))};
    const ArmFit fit = fit_arm(drawn, runs, under_water(true, false, true, Estimator::weighted));
    const Eigen::VectorXd truth = true_numbers(fit, built), file = true_numbers(fit, drawn);
    for (std::size_t k = 0; k < fit.rank(); ++k) {
      if (!is_of_water(fit.estimate[k].name)) continue;
      const auto i = static_cast<Eigen::Index>(k);
      ++all;
      within += std::abs(fit.estimate[k].value - truth[i]) < fit.half_width(k);
      distinct_texts += std::abs(fit.estimate[k].value - file[i]) > fit.half_width(k);
    }
  }
  RecordProperty("within", std::to_string(within / all));
  RecordProperty("told apart from the file", std::to_string(distinct_texts / all));
  EXPECT_GT(within / all, 0.85);
  EXPECT_GT(distinct_texts / all, 0.3);
}

TEST(ArmWater, AnotherRunIsForetoldBetterThanByTheFile) {
  const model::Arm built = bench_arm_in_water(true), drawn = bench_arm_in_water(false);
  Bench bench = pool();
  bench.drag_exponent = 1.8;
  bench.lag = 0.005;
  const std::vector<ArmRun> runs = {prepare(bench_run(built, 1, 1, bench))};
  const ArmRun unseen = prepare(bench_run(built, 2, 2, bench));
  const auto options = under_water(true, false, true, Estimator::consistent);
  const ArmFit fit = fit_arm(drawn, runs, options);
  const ArmFit dry = fit_arm(drawn, runs, under_water(false, false, false, Estimator::consistent));
  const auto fitted = score(fit, unseen), bodies = score(dry, unseen),
             file = score_of_file(drawn, options, unseen);
  for (std::size_t k = 0; k < fitted.size(); ++k) {
    RecordProperty("joint " + std::to_string(k + 1), std::to_string(fitted[k].rmse) + " " +
                                                         std::to_string(bodies[k].rmse) + " " +
                                                         std::to_string(file[k].rmse));
    EXPECT_LT(fitted[k].rmse, 0.7 * bodies[k].rmse) << k;  // 0.34, 0.56 and 0.39 were found
    EXPECT_LT(fitted[k].rmse, 0.1 * file[k].rmse) << k;
  }
}

TEST(ArmWater, ConsistentWaterIsPhysicalAndGoesIntoAFile) {
  const model::Arm built = bench_arm_in_water(true), drawn = bench_arm_in_water(false);
  Bench bench = pool();
  bench.drag_exponent = 1.8;
  const std::vector<ArmRun> runs = {prepare(bench_run(built, 1, 1, bench))};
  const ArmFit fit = fit_arm(drawn, runs, under_water(true, true, true, Estimator::consistent));
  EXPECT_EQ(fit.consistent->conic.status, solve::ConicStatus::solved);
  const model::Arm after = identified_arm(fit, "test");
  for (const model::Link& link : after.links()) {
    EXPECT_GE(link.body.volume.value, 0) << link.name;
    const Eigen::SelfAdjointEigenSolver<Mat6> added(link.body.added_mass.value);
    EXPECT_GE(added.eigenvalues()[0], -1e-12) << link.name;
    ASSERT_EQ(link.damping.size(), 1u);
    EXPECT_GE(link.damping[0].linear.value.diagonal().minCoeff(), 0) << link.name;
  }
  const model::Arm read = model::parse_arm(model::arm_to_yaml(after), "x.yaml");
  const Eigen::VectorXd base = true_numbers(fit, read);
  for (std::size_t k = 0; k < fit.rank(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    if (fit.estimate[k].name.ends_with("offset")) continue;  // has no place in an arm
    EXPECT_NEAR(base[i], fit.estimate[k].value, 1e-8 * std::max(1.0, std::abs(fit.estimate[k].value)))
        << fit.estimate[k].name;
  }
}

TEST(ArmWater, DisplacedDragStartsFromItsDiagonals) {
  const model::Arm arm = model::read_arm(std::string(FATHOM_ROBOTS_DIR) + "/../arms/reach-alpha-5.yaml");
  ArmRun run{"slow", Eigen::VectorXd::LinSpaced(600, 0, 59.9), Eigen::MatrixXd(600, 4)};
  run.effort = Eigen::MatrixXd::Zero(600, 4);
  for (Eigen::Index k = 0; k < 600; ++k)
    for (Eigen::Index j = 0; j < 4; ++j)
      run.q(k, j) = 1.5 + 0.8 * std::sin((0.3 + 0.17 * static_cast<double>(j)) * run.times[k]);
  ArmRunOptions how;
  how.cutoff_hz = 1;
  const std::vector<ArmRun> runs = {prepare(run, how)};
  const ArmFit fit = fit_arm(arm, runs, under_water(false, false, true, Estimator::ordinary));
  EXPECT_EQ(fit.drag_moved.size(), 4u);
  for (std::size_t link = 0; link < 4; ++link)
    for (int axis = 0; axis < 6; ++axis)
      for (const double speed : {0.1, 1.0}) {
        const auto force = [&](const model::Arm& of) {
          const auto drags = dynamics::make_drag_list(of.links()[link].damping);
          return dynamics::damping_force(drags, speed * Vec6::Unit(axis))[axis];
        };
        EXPECT_NEAR(force(fit.arm), force(arm), 1e-12 + 1e-9 * force(arm)) << link << " " << axis;
      }
}

}  // namespace
}  // namespace fathom::identify::arm_water_test
