#include "fathom/identify/commanded/commanded_run.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/identify/commanded/internal/linear_series.hpp"

namespace fathom::identify::commanded_run_test {
namespace {

using fathom::test::error_text;

/// A channel of unnamed columns from 0 s to `end`.
template <class Row>
log::Channel channel(const char* name, std::size_t width, double step, double end, const Row& row) {
  log::Channel out;
  out.info.name = name;
  for (std::size_t i = 0; i < width; ++i) out.info.columns.push_back({fmt::format("c{}", i), ""});
  for (int k = 0; k <= std::lround(end / step); ++k) out.append(k * step, row(k * step));
  return out;
}

log::Channel velocity(double end = 10) {
  return channel("dvl", 3, 0.1, end, [](double t) { return std::vector{0.1 * t, 0.2, -0.05 * t}; });
}
log::Channel attitude() {
  return channel("ahrs", 3, 0.05, 10, [](double t) {
    return std::vector{0.1, 0.3, std::remainder(0.5 * t, 2 * std::numbers::pi)};  // jumps at t = 2 pi
  });
}
log::Channel commands(double step = 0.02) {
  return channel("wrench", 6, step, 10, [](double t) { return std::vector{t, 0., 0., 0., 0., 1.}; });
}

TEST(RunWithAttitude, HasTheRatesOfASteadyTurn) {
  const CommandedRun run = run_with_attitude("run", velocity(), attitude(), commands());
  const double phi = 0.1, theta = 0.3, turn = 0.5;  // docs/model.md eq. 2, turned round
  const Vec3 omega_b(-std::sin(theta) * turn, std::sin(phi) * std::cos(theta) * turn,
                     std::cos(phi) * std::cos(theta) * turn);
  const Vec3 down_b(-std::sin(theta), std::sin(phi) * std::cos(theta), std::cos(phi) * std::cos(theta));
  ASSERT_EQ(run.size(), 501);
  for (Eigen::Index k = 50; k + 50 < run.size(); ++k) {  // away from the ends
    const Vec3 v(0.1 * run.t(k), 0.2, -0.05 * run.t(k));
    EXPECT_LT((run.nu_c.col(k).head<3>() - v).norm(), 1e-9) << k;
    EXPECT_LT((run.nu_c.col(k).tail<3>() - omega_b).norm(), 1e-9) << k;
    EXPECT_LT((run.down_b.col(k) - down_b).norm(), 1e-12) << k;
  }
  EXPECT_EQ(run.commands.cols(), 501);
  EXPECT_EQ(run.repeated_values, 0u);
}

TEST(RunWithAttitude, TakesARepeatedVelocityForItsFirstRow) {
  const log::Channel slow = channel("dvl", 3, 0.1, 10, [](double t) {
    return std::vector{std::floor(2 * t + 1e-9), 0., 0.};
  });
  const CommandedRun run = run_with_attitude("run", slow, attitude(), commands());
  EXPECT_EQ(run.repeated_values, 80u);  // four of five
  for (Eigen::Index k = 50; k + 50 < run.size(); ++k)
    EXPECT_NEAR(run.nu_c(0, k), 2 * run.t(k), 0.01) << k;  // a line through first rows, not a stair
}

TEST(RunWithTwist, BeginsWhenAllClocksRun) {
  log::Channel twist = channel("twist", 6, 0.1, 8, [](double t) { return std::vector{t, 1., 0., 0., 0., 2.}; });
  for (double& t : twist.t) t += 1;
  const CommandedRun run = run_with_twist("run", twist, commands(), {.dt = 0.05});
  EXPECT_DOUBLE_EQ(run.t0, 1);
  EXPECT_EQ(run.size(), 161);
  EXPECT_NEAR(run.nu_c(0, 80), 4, 1e-9);
  EXPECT_TRUE(run.down_b.isZero(0));
}

TEST(CommandedRun, RefusesWhatItCannotUse) {
  const auto text = [](const log::Channel& dvl, const log::Channel& ahrs, const log::Channel& wrench) {
    return error_text([&] { run_with_attitude("run", dvl, ahrs, wrench); });
  };
  log::Channel bad = velocity();
  bad.values[7] = nan;
  EXPECT_NE(text(bad, attitude(), commands()).find("dvl has values that are missing"), std::string::npos);
  bad = velocity();
  bad.t[5] = bad.t[4];
  EXPECT_NE(text(bad, attitude(), commands()).find("goes back in time at 0.4"), std::string::npos);
  bad = velocity();
  for (double& t : bad.t) t += 20;
  EXPECT_NE(text(bad, attitude(), commands()).find("do its channels share a clock?"), std::string::npos);
  EXPECT_NE(text(velocity(), attitude(), velocity()).find("must have 6 columns"), std::string::npos);
}

TEST(StraightBetween, HoldsTheEnds) {
  const double t[] = {1, 2, 4};
  const Eigen::RowVector3d x(10, 20, 0);
  const Eigen::MatrixXd out = internal::straight_between(t, x, 0, 0.5, 11);
  const double expected[] = {10, 10, 10, 15, 20, 15, 10, 5, 0, 0, 0};
  for (int k = 0; k < 11; ++k) EXPECT_DOUBLE_EQ(out(0, k), expected[k]) << k;
}

}  // namespace
}  // namespace fathom::identify::commanded_run_test
