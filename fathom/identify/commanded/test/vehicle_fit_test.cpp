#include "fathom/identify/commanded/vehicle_fit.hpp"

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/identify/commanded/test/swimming_vehicle.hpp"

namespace fathom::identify::vehicle_fit_test {
namespace {

const Vec6 four_axes = (Vec6() << 1, 1, 1, 0, 0, 1).finished();

TEST(FitLag, FindsTheLagOfAList) {
  CommandedRun run = test::commanded(60, test::lively, 4);
  test::fill_motion(run, {test::known_model(), {Mat6X(6, 0), 0, 0.15}});
  const BlurredRun blurred(run, full_terms());
  const double lags[] = {0, 0.05, 0.1, 0.15, 0.2};
  const VehicleFit fit = fit_lag({&blurred}, lags, four_axes);
  EXPECT_EQ(fit.path.lag, 0.15);
  EXPECT_LT(fit.unexplained.head<3>().maxCoeff(), 1e-3);
  EXPECT_GT(fit_lag({&blurred}, std::span(lags, 1), four_axes).cost, fit.cost + 1);
  EXPECT_THROW(fit_lag({&blurred}, std::span(lags, 0), four_axes), InputError);
}

TEST(FitVehicle, CostsTheWeighedLogarithms) {
  CommandedRun run = test::commanded(20, test::lively, 4);
  test::fill_motion(run, {test::known_model(), {Mat6X(6, 0), 0, 0.15}});
  const BlurredRun blurred(run, linear_terms());
  const VehicleFit fit = fit_vehicle({&blurred}, {Mat6X(6, 0), 0, 0.1}, Vec3::Zero(), 2 * four_axes);
  double cost = 0;
  for (const int i : {0, 1, 2, 5}) cost += 2 * std::log(fit.unexplained[i]);
  EXPECT_NEAR(fit.cost, cost, 1e-12);
}

TEST(FindDeadBand, FindsDeadBandLagAndPlaceOfAKnownVehicle) {
  const DeadBandPath truth{3.4, 0.45, 0.26, 0.3, 0.17, -0.12, 0.2};
  std::vector<CommandedRun> runs;
  for (const std::uint64_t seed : {1u, 2u}) {
    runs.push_back(test::commanded(30, test::lively, seed));
    test::fill_motion(runs.back(), {test::known_model(), truth.path(), truth.p_bc_b()});
  }
  std::vector<BlurredRun> blurred;
  for (const CommandedRun& run : runs) blurred.emplace_back(run, full_terms());
  DeadBandOptions options;
  options.evaluations = 200;
  const DeadBandPath found = find_dead_band({&blurred[0], &blurred[1]}, options);
  EXPECT_NEAR(found.dead_band, truth.dead_band, 0.1);
  EXPECT_NEAR(found.yaw_lever, truth.yaw_lever, 0.02);
  EXPECT_NEAR(found.lag, truth.lag, 0.01);
  EXPECT_NEAR(found.sensor_x, truth.sensor_x, 0.02);
  EXPECT_NEAR(found.sensor_z, truth.sensor_z, 0.02);
  const VehicleFit fit = fit_vehicle({&blurred[0], &blurred[1]}, found.path(), found.p_bc_b(), options.weights);
  EXPECT_NEAR(1 / fit.model.coefficient(0, {AccelerationTerm::Kind::wrench, 0}), 77, 4);
  EXPECT_NEAR(1 / fit.model.coefficient(1, {AccelerationTerm::Kind::wrench, 1}), 120, 6);
}

TEST(DeadBandPath, IsItsVector) {
  const DeadBandPath path{1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(DeadBandPath::from(path.vector()).vector(), path.vector());
  EXPECT_EQ(path.path().B(5, 1), 2);
  EXPECT_EQ(path.path().B(4, 7), 3);
  EXPECT_EQ(path.path().B(3, 7), 4);
}

}  // namespace
}  // namespace fathom::identify::vehicle_fit_test
