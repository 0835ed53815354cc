#include "fathom/identify/commanded/acceleration_fit.hpp"

#include <cmath>
#include <type_traits>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/identify/commanded/test/swimming_vehicle.hpp"
#include "fathom/identify/metrics.hpp"

namespace fathom::identify::acceleration_fit_test {
namespace {

using fathom::test::error_text;

// A blurred run refers to its run.
static_assert(std::is_constructible_v<BlurredRun, const CommandedRun&, AccelerationTerms>);
static_assert(!std::is_constructible_v<BlurredRun, CommandedRun, AccelerationTerms>);
static_assert(!std::is_constructible_v<BlurredRun, const CommandedRun, AccelerationTerms, AccelerationOptions>);

const Vec3 place(-0.2, 0.05, 0.17);

CommandedRun swum(std::uint64_t seed, double seconds = 30) {
  CommandedRun run = test::commanded(seconds, test::lively, seed);
  test::fill_motion(run, {test::known_model(), {Mat6X(6, 0), 0, 0}, place});
  return run;
}

/// h * x or h' * x at one sample, by the definition: docs/identification.md eqs. 3 and 4.
double blurred(const Eigen::VectorXd& x, Eigen::Index at, double blur, double dt) {
  double sum = 0, weights = 0;
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    const double s = dt * static_cast<double>(k - at);
    if (std::abs(s) > 4 * blur + 1e-9) continue;
    const double weight = std::exp(-0.5 * s * s / (blur * blur));
    sum += weight * x[k];
    weights += weight;
  }
  return sum / weights;
}

TEST(TwistAt, IsThatOfARigidBody) {
  const Vec6 nu_b = (Vec6() << 1, 2, 3, 0.4, 0.5, 0.6).finished();
  const Vec6 nu_c = twist_at(place) * nu_b;
  const Vec3 v_c = Vec3(1, 2, 3) + Vec3(0.4, 0.5, 0.6).cross(place);
  EXPECT_LT((nu_c.head<3>() - v_c).norm(), 1e-14);
  EXPECT_LT((twist_at(-place) * nu_c - nu_b).norm(), 1e-14);
}

TEST(BlurredRun, HasEveryTermBehindTheBlur) {
  const CommandedRun run = swum(1);
  const BlurredRun blurred_run(run, full_terms());
  const BlurredRows rows = blurred_run.rows_at(run.commands, place);
  const Mat6X nu_b = twist_at(-place) * run.nu_c;
  for (std::size_t k = 0; k < blurred_run.distinct().size(); ++k) {
    Eigen::VectorXd series(run.size());
    for (Eigen::Index j = 0; j < run.size(); ++j)
      series[j] = blurred_run.distinct()[k].value({nu_b.col(j), run.commands.col(j), run.down_b.col(j)});
    for (const Eigen::Index row : {0, 17, static_cast<int>(rows.terms.cols()) - 1})
      EXPECT_NEAR(rows.terms(static_cast<Eigen::Index>(k), row), blurred(series, 80 + 10 * row, 0.4, 0.02),
                  1e-9)
          << blurred_run.distinct()[k].name();
  }
  EXPECT_NE(error_text([&] { blurred_run.rows_at(Mat6X::Zero(6, 3), place); }).find("got a wrench of 3"),
            std::string::npos);
}

TEST(AccelerationSums, FindsWhatMadeTheMotion) {
  const AccelerationModel truth = test::known_model();
  const CommandedRun one = swum(1, 60), two = swum(2, 60);
  const BlurredRun first(one, full_terms()), second(two, full_terms());
  AccelerationSums sums;
  sums.add(first, first.rows_at(one.commands, place));
  sums.add(second, second.rows_at(two.commands, place));
  const AccelerationModel found = sums.fit();
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(found.coefficient(i, {AccelerationTerm::Kind::wrench, i}) /
                    truth.coefficient(i, {AccelerationTerm::Kind::wrench, i}),
                1, 0.02);
    EXPECT_NEAR(found.in_newton(i, {AccelerationTerm::Kind::drag, i}) /
                    truth.in_newton(i, {AccelerationTerm::Kind::drag, i}),
                1, 0.1);
  }
  EXPECT_LT(sums.unexplained(found, place).maxCoeff(), 1e-3);
}

/// The sums' residuals are those of the series: 1 - R2 by metrics().
TEST(AccelerationSums, KnowsWhatAModelLeavesUnexplained) {
  const CommandedRun run = swum(5);
  const BlurredRun ours(run, full_terms());
  const BlurredRows rows = ours.rows_at(run.commands, Vec3::Zero());  // a wrong place
  AccelerationSums sums;
  sums.add(ours, rows);
  const AccelerationModel model = sums.fit();
  Mat6X predicted(6, rows.terms.cols());
  for (int i = 0; i < 6; ++i)
    predicted.row(i) =
        model.theta[static_cast<std::size_t>(i)].transpose() * rows.terms(ours.of_axis(i), Eigen::all);
  const Vec6 unexplained = sums.unexplained(model, Vec3::Zero());
  for (int i = 0; i < 6; ++i)
    EXPECT_NEAR(unexplained[i], 1 - metrics(rows.rates_b.row(i).transpose(), predicted.row(i).transpose()).r2,
                1e-9);
  EXPECT_GT(unexplained[1], 1e-3);
}

TEST(AccelerationSums, RefusesATermThatNeverMoves) {
  CommandedRun run = test::commanded(20, (Vec6() << 10, 10, 10, 0, 0, 0).finished(), 1);
  run.nu_c.topRows<3>().setRandom();
  const BlurredRun level(run, level_terms());
  AccelerationSums sums;
  EXPECT_THROW(sums.fit(), InputError);
  sums.add(level, level.rows_at(run.commands, Vec3::Zero()));
  EXPECT_NE(error_text([&] { sums.fit(); }).find("it is zero throughout"), std::string::npos);
}

}  // namespace
}  // namespace fathom::identify::acceleration_fit_test
