#include "fathom/identify/tank/free_decay.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/derivative.hpp"
#include "fathom/base/random.hpp"
#include "fathom/base/test/error_text.hpp"

namespace fathom::identify::free_decay_test {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using fathom::test::error_text;

DecayRun run_of(const DecayRates& rates, double release, double noise, RandomStream& random,
                Index samples = 400) {
  DecayRun run{"run", VectorXd::LinSpaced(samples, 0, 0.1 * static_cast<double>(samples - 1)), {}};
  run.angle = simulate_decay(rates, run.t, rates.equilibrium + release, 0);
  for (double& angle : run.angle) angle += noise * random.normal();
  return run;
}

/// Small swings without quadratic damping: exp(-d t / 2) (cos(w t) + d / (2 w) sin(w t)).
TEST(SimulateDecay, IsTheClosedFormOfASmallSwing) {
  const DecayRates rates{1.44, 0.3, 0.2, 0};
  const VectorXd t = VectorXd::LinSpaced(500, 0, 40);
  const double release = 1e-4, w = std::sqrt(1.44 - 0.01);
  const VectorXd angle = simulate_decay(rates, t, 0.3 + release, 0);
  for (Index k = 0; k < t.size(); ++k) {
    const double exact = release * std::exp(-0.1 * t[k]) * (std::cos(w * t[k]) + 0.1 / w * std::sin(w * t[k]));
    ASSERT_NEAR(angle[k] - 0.3, exact, 2e-4 * release) << t[k];
  }
}

/// The period of a wide swing without damping is 4 K(sin(A / 2)) / sqrt(k): K by the arithmetic-geometric mean.
TEST(SimulateDecay, HasThePeriodOfAPendulum) {
  const double amplitude = 2, k = std::sin(amplitude / 2);
  double a = 1, g = std::sqrt(1 - k * k);
  for (int i = 0; i < 20; ++i) {
    const double mean = 0.5 * (a + g);
    g = std::sqrt(a * g);
    a = mean;
  }
  const double period = 4 * std::numbers::pi / (2 * a) / std::sqrt(2.5);
  const VectorXd angle = simulate_decay({2.5, 0, 0, 0}, VectorXd::LinSpaced(201, 0, 3 * period), amplitude, 0);
  EXPECT_NEAR(angle[200], amplitude, 2e-5);
}

TEST(SimulateDecay, SlopesAreDerivatives) {
  const VectorXd t = VectorXd::LinSpaced(40, 0, 8);
  Eigen::VectorXd x(6);
  x << 1.3, -0.2, 0.1, 0.3, 0.7, -0.4;
  const auto at = [&](const VectorXd& p) -> VectorXd {
    return simulate_decay({p[0], p[1], p[2], p[3]}, t, p[4], p[5]);
  };
  Eigen::Matrix<double, Eigen::Dynamic, 6> slope;
  simulate_decay({x[0], x[1], x[2], x[3]}, t, x[4], x[5], &slope);
  const DerivativeCheck check = check_derivative(at, x, slope, 1e-3, 1e-5);
  EXPECT_TRUE(check.ok) << check.text();
}

TEST(FitDecay, FindsFrequencyAndLogarithmicDecrement) {
  RandomStream random(1, "decay");
  // Of a linear swing: w^2 = k - d^2 / 4, decrement d / 2 times the period.
  DecayRun run{"linear", VectorXd::LinSpaced(600, 0, 60), VectorXd(600)};
  const double d = 0.15, w = 0.9;
  for (Index k = 0; k < 600; ++k)
    run.angle[k] = 0.2 + 0.01 * std::exp(-d / 2 * run.t[k]) * std::cos(w * run.t[k]) + 1e-5 * random.normal();
  const DecayFit fit = fit_decay({run});
  EXPECT_NEAR(fit.rates.restoring, w * w + d * d / 4, 1e-3);
  EXPECT_NEAR(fit.rates.linear, d, 2e-3);
  EXPECT_NEAR(fit.rates.equilibrium, 0.2, 1e-4);
  EXPECT_TRUE(fit.converged);
  EXPECT_GT(fit.r2, 0.999);
}

TEST(FitDecay, OfExactRunsIsExact) {
  RandomStream random(2, "decay");
  const DecayRates truth{2.2, -0.2, 0.08, 0.25};
  const DecayFit fit = fit_decay({run_of(truth, 0.5, 0, random), run_of(truth, -0.8, 0, random)});
  EXPECT_LT((fit.rates.vector() - truth.vector()).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT(fit.runs[0].mse, 1e-12);
}

/// From slow to fast, lightly and heavily damped, narrow and wide: no start of one's own is needed.
TEST(FitDecay, FindsItsOwnStart) {
  RandomStream random(3, "decay");
  for (const DecayRates& truth :
       {DecayRates{0.1, 0.1, 0.02, 0.1}, DecayRates{20, -0.6, 0.3, 0.05}, DecayRates{3, 0, 0.9, 0.6}})
    for (const double release : {0.3, 1.4}) {
      const DecayFit fit = fit_decay({run_of(truth, release, 0.003, random)});
      EXPECT_GT(fit.r2, 0.99);
      for (int k = 0; k < 4; ++k)
        EXPECT_NEAR(fit.rates.vector()[k], truth.vector()[k], 2.5 * fit.half_width(k))
            << decay_names[static_cast<std::size_t>(k)];
    }
}

TEST(FitDecay, IntervalsHoldTheTruth) {
  RandomStream random(4, "decay");
  const DecayRates truth{1.5, -0.3, 0.06, 0.2};
  constexpr int campaigns = 20;
  int held = 0;
  for (int k = 0; k < campaigns; ++k) {
    std::vector<DecayRun> runs;
    for (const double release : {0.4, 0.6, 0.9}) runs.push_back(run_of(truth, release, 0.01, random, 200));
    const DecayFit fit = fit_decay(runs);
    for (int i = 0; i < 4; ++i) held += std::abs(fit.rates.vector()[i] - truth.vector()[i]) < fit.half_width(i);
  }
  EXPECT_GT(held, 0.9 * 4 * campaigns);
  EXPECT_LT(held, 4 * campaigns);
}

TEST(FitDecay, HoldsDampingAtZero) {
  RandomStream random(5, "decay");
  DecayRun run = run_of({1.5, 0, 0, 0}, 0.5, 0, random);
  for (Index k = 0; k < run.t.size(); ++k) run.angle[k] *= 1 + 0.002 * run.t[k];  // as if energy came in
  const DecayFit fit = fit_decay({run});
  EXPECT_EQ(fit.rates.linear, 0);
  EXPECT_EQ(fit.at_bound, (std::vector<std::string>{"linear", "quadratic"}));
}

TEST(CoefficientsOf, FollowFromWhatIsKnown) {
  DecayFit fit;
  fit.rates = {2, 0.1, 0.3, 0.4};
  fit.covariance.diagonal() << 0.04, 0, 0.0009, 0;
  const DecayCoefficients by_inertia = coefficients_of(fit, {KnownOfDecay::What::inertia, 5, 0.5});
  EXPECT_DOUBLE_EQ(by_inertia.restoring, 10);
  EXPECT_DOUBLE_EQ(by_inertia.linear, 1.5);
  EXPECT_DOUBLE_EQ(by_inertia.quadratic, 2);
  EXPECT_DOUBLE_EQ(by_inertia.sigma[0], 0.5);
  EXPECT_NEAR(by_inertia.sigma[1], 10 * std::hypot(0.1, 0.1), 1e-12);  // shares add in squares
  EXPECT_NEAR(by_inertia.sigma[2], 1.5 * std::hypot(0.1, 0.1), 1e-12);
  const DecayCoefficients by_restoring = coefficients_of(fit, {KnownOfDecay::What::restoring, 10, 0});
  EXPECT_DOUBLE_EQ(by_restoring.inertia, 5);
  EXPECT_NEAR(by_restoring.sigma[0], 0.5, 1e-12);
  EXPECT_NEAR(by_restoring.sigma[1], 0, 1e-12);
  EXPECT_NE(error_text([&] {
              coefficients_of(fit, {KnownOfDecay::What::inertia, 0, 0});
            }).find("known"),
            std::string::npos);
}

/// Nielsen 2019, eqs. 4.11 to 4.13: B's arm in A's frame is turned by a quarter; printed as -34 degrees.
TEST(RestoringArm, ComesToRestWhereTheThesisSays) {
  const Eigen::Vector2d arm = 0.5 * (Eigen::Vector2d(0, -0.0114) + Eigen::Vector2d(0.00886, -0.0016));
  const double rest = equilibrium_of_arm(arm);
  EXPECT_NEAR(degrees * rest, -34.28, 0.005);
  EXPECT_LT((restoring_arm(140 * arm.norm(), rest, 140) - arm).norm(), 1e-12);
}

TEST(FitDecay, RefusesWhatIsNoSwing) {
  RandomStream random(6, "decay");
  const DecayRun good = run_of({2, 0, 0.1, 0}, 0.5, 0.01, random);
  const auto with = [&](auto&& change) {
    DecayRun run = good;
    change(run);
    return error_text([&] { fit_decay({run}); });
  };
  EXPECT_NE(error_text([] { fit_decay({}); }).find("one or more"), std::string::npos);
  EXPECT_NE(with([](auto& r) { r.angle[3] = nan; }).find("not finite"), std::string::npos);
  EXPECT_NE(with([](auto& r) { r.t[3] = 0; }).find("do not rise"), std::string::npos);
  EXPECT_NE(with([](auto& r) { r.angle.setConstant(1); }).find("does not move"), std::string::npos);
  EXPECT_NE(with([](auto& r) {
              r.t.conservativeResize(20);
              r.angle.conservativeResize(20);
            }).find("40 or more"),
            std::string::npos);
}

}  // namespace
}  // namespace fathom::identify::free_decay_test
