#include "fathom/identify/tank/towing.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/random.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/identify/internal/student.hpp"
#include "fathom/identify/tank/missing_dof.hpp"

namespace fathom::identify::towing_test {
namespace {

using Eigen::Vector2d;
using fathom::test::error_text;

const Vector2d truth(3, 40);

std::vector<TowedRun> runs_of(const Vector2d& c, double noise, RandomStream& random, const Vector2d& astern,
                              int repeats = 3) {
  std::vector<TowedRun> runs;
  for (int tenths = -9; tenths <= 9; tenths += 2)
    for (int k = 0; k < repeats; ++k) {
      const double u = tenths / 10.0;
      const Vector2d a = DragLaw::basis(u);
      runs.push_back({fmt::format("{}{}", tenths, "abcdef"[k]), u,
                      a.dot(u > 0 ? c : astern) + noise * random.normal(), std::max(noise * noise, 1e-6)});
    }
  return runs;
}
std::vector<TowedRun> runs_of(const Vector2d& c, double noise, RandomStream& random) {
  return runs_of(c, noise, random, c);
}

TEST(FitTowing, OfExactForcesIsExact) {
  RandomStream random(1, "towing");
  const TowingFit fit = fit_towing(runs_of(truth, 0, random));
  EXPECT_NEAR(fit.all.law.c[0], 3, 1e-9);
  EXPECT_NEAR(fit.all.law.c[1], 40, 1e-9);
  EXPECT_TRUE(fit.outliers.empty());
  EXPECT_EQ(fit.all.points.size(), 10u);
}

/// Weighted least squares by hand, from the formula.
TEST(FitTowing, FusesRunsByTheirVariances) {
  std::vector<TowedRun> runs;
  for (const double u : {0.2, 0.4, 0.6, 0.8}) {
    runs.push_back({"a", u, 10 * u, 0.04});
    runs.push_back({"b", u, 10 * u + 0.1, 0.01});
  }
  const TowingFit fit = fit_towing(runs);
  EXPECT_NEAR(fit.all.points[1].sigma, std::sqrt(1 / (1 / 0.04 + 1 / 0.01)), 1e-12);
  EXPECT_NEAR(fit.all.points[1].force, 4 + 0.1 * (1 / 0.01) / (1 / 0.04 + 1 / 0.01), 1e-12);
  EXPECT_EQ(fit.all.points[1].runs.size(), 2u);
}

TEST(FitTowing, IntervalsHoldTheTruth) {
  RandomStream random(2, "towing");
  int held[2] = {0, 0}, drag = 0, all = 0;
  constexpr int campaigns = 80;
  for (int k = 0; k < campaigns; ++k) {
    const TowingFit fit = fit_towing(runs_of(truth, 0.4, random));
    for (int i = 0; i < 2; ++i) held[i] += std::abs(fit.all.law.c[i] - truth[i]) < fit.all.half_width_of(i);
    for (const double u : {-0.8, -0.3, 0.2, 0.5, 0.85}) {
      drag += std::abs(fit.all.law.force(u) - DragLaw::basis(u).dot(truth)) < fit.all.half_width(u);
      ++all;
    }
  }
  for (const int count : held) {
    EXPECT_GT(count, 0.90 * campaigns);
    EXPECT_LT(count, campaigns);
  }
  EXPECT_GT(drag, 0.93 * all);
}

TEST(FitTowing, HoldsC1AtZeroWhereTheForcesWantItBelow) {
  RandomStream random(3, "towing");
  const TowingFit fit = fit_towing(runs_of({-3, 40}, 0.05, random));
  EXPECT_EQ(fit.all.law.c[0], 0);
  EXPECT_EQ(fit.all.at_bound, std::vector<std::string>{"c1"});
  EXPECT_NEAR(fit.all.free_c[0], -3, 0.3);
  // The best c2 alone, as the normal equation has it.
  double top = 0, bottom = 0;
  for (const FusedPoint& point : fit.all.points) {
    const double b = DragLaw::basis(point.speed)[1],
                 w = 1 / (std::pow(point.sigma, 2) + std::pow(fit.all.misfit, 2));
    top += w * b * point.force;
    bottom += w * b * b;
  }
  EXPECT_NEAR(fit.all.law.c[1], top / bottom, 1e-9);
}

TEST(FitTowing, NamesOutliersAndIsNotMovedByThem) {
  RandomStream random(4, "towing");
  std::vector<TowedRun> runs = runs_of(truth, 0.3, random);
  runs[5].force += 6;
  runs[22].force -= 8;
  const TowingFit fit = fit_towing(runs);
  ASSERT_EQ(fit.outliers.size(), 2u);
  EXPECT_EQ(fit.outliers[0].run, 5u);
  EXPECT_GT(fit.outliers[0].sigmas, 8);
  EXPECT_EQ(fit.outliers[1].run, 22u);
  EXPECT_LT(fit.outliers[1].sigmas, -8);
  std::vector<TowedRun> without = runs;
  without.erase(without.begin() + 22);
  without.erase(without.begin() + 5);
  EXPECT_LT((fit_towing(without).all.law.c - fit.all.law.c).norm(), 1e-9);
}

TEST(FitTowing, TellsDirectionsApartWhereTheyDiffer) {
  RandomStream random(5, "towing");
  const TowingFit same = fit_towing(runs_of(truth, 0.3, random));
  ASSERT_TRUE(same.same_both_ways);
  EXPECT_GT(*same.same_both_ways, 0.02);
  const TowingFit differ = fit_towing(runs_of(truth, 0.3, random, {3, 50}));
  EXPECT_LT(*differ.same_both_ways, 1e-3);
  EXPECT_NEAR(differ.forward->law.c[1], 40, differ.forward->half_width_of(1));
  EXPECT_NEAR(differ.backward->law.c[1], 50, differ.backward->half_width_of(1));
  EXPECT_GT(differ.all.misfit, 3 * same.all.misfit);
}

TEST(FitTowing, SubtractsTheBracketAndItsUncertainty) {
  RandomStream random(6, "towing");
  const std::vector<TowedRun> runs = runs_of(truth + Vector2d(4, 25), 0.1, random);
  DragLaw bracket;
  bracket.c << 4, 25;
  const TowingFit exact = fit_towing(runs, bracket);
  bracket.covariance << 0.25, -0.1, -0.1, 0.64;
  const TowingFit fit = fit_towing(runs, bracket);
  EXPECT_NEAR(fit.all.law.c[0], 3, fit.all.half_width_of(0));
  // The law has the bracket's shape, so its covariance adds as it is.
  EXPECT_LT((fit.all.law.covariance - exact.all.law.covariance - bracket.covariance).norm(), 1e-9);
}

TEST(FitTowing, RefusesWhatTellsNothing) {
  RandomStream random(7, "towing");
  std::vector<TowedRun> runs = runs_of(truth, 0.3, random);
  const auto with = [&](auto&& change) {
    std::vector<TowedRun> other = runs;
    change(other);
    return error_text([&] { fit_towing(other); });
  };
  EXPECT_NE(with([](auto& r) { r.resize(6); }).find("2 different speeds"), std::string::npos);
  EXPECT_NE(with([](auto& r) { r[3].force = nan; }).find("-7a"), std::string::npos);
  EXPECT_NE(with([](auto& r) { r[3].variance = 0; }).find("must be above 0"), std::string::npos);
  EXPECT_NE(with([](auto& r) {
              for (auto& run : r) run.force *= -1;
            }).find("against their speed"),
            std::string::npos);
}

TEST(StudentT, AgreesWithClosedFormsAndSciPy) {
  for (const double p : {0.5, 0.6, 0.9, 0.975, 0.9995}) {
    const double tail = 4 * p * (1 - p);
    EXPECT_NEAR(internal::student_t(p, 1), std::tan(std::numbers::pi * (p - 0.5)), 1e-12 / (1 - p));
    EXPECT_NEAR(internal::student_t(p, 2), (2 * p - 1) * std::sqrt(2 / tail), 1e-12 / (1 - p));
    const double root = std::cos(std::acos(std::sqrt(tail)) / 3) / std::sqrt(tail);  // Shaw 2006
    EXPECT_NEAR(internal::student_t(p, 4), 2 * std::sqrt(root - 1), p == 0.5 ? 1e-7 : 1e-11 / (1 - p));
  }
  struct Case {
    double p, degrees, t;
  };
  // scipy.stats.t.ppf(p, degrees), SciPy 1.17
  for (const Case& c : {Case{0.6, 1.3, 0.3081832765664806}, Case{0.975, 1.3, 7.500529325562029},
                        Case{0.995, 2.5, 7.163728138948783}, Case{0.975, 3.5, 2.9400886379827282},
                        Case{0.975, 18, 2.1009220402410382}, Case{0.9, 1000, 1.2823987214609247},
                        Case{0.975, 1e6, 1.959966356814107}, Case{0.975, infinity, 1.959963984540054}})
    EXPECT_NEAR(internal::student_t(c.p, c.degrees) / c.t, 1, 1e-13) << c.p << " " << c.degrees;
}

/// Nielsen 2019, Table 5.2.
TEST(DragByAddedMass, GivesThePublishedTable) {
  const SupposedDrag sway = drag_by_added_mass("heave", {0.19, 74.23}, 13.3, "sway", 18.5);
  EXPECT_NEAR(sway.drag.quadratic, 103.25, 0.01);
  EXPECT_NEAR(sway.drag.linear, 0.26, 0.005);
  EXPECT_NEAR(drag_by_added_mass("pitch", {0.287, 0.027}, 0.0173, "roll", 0.054).drag.quadratic, 0.084, 5e-4);
  EXPECT_GE(sway.drag.quadratic_sigma, sway.drag.quadratic);
  EXPECT_NE(sway.about.find("sway not tested"), std::string::npos);
  EXPECT_NE(error_text([] { drag_by_added_mass("a", {}, 0, "b", 1); }).find("above 0"), std::string::npos);
}

}  // namespace
}  // namespace fathom::identify::towing_test
