#include "fathom/identify/thruster/thruster_dynamics.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/base/test/error_text.hpp"

namespace fathom::identify::thruster_dynamics_test {
namespace {

using fathom::test::error_text;

constexpr double dt = 2e-3;

SteadyLaws steady_laws() { return {{50, -40, 1.0e-3, -4e-7}, {50, -39, 7e-4, 1e-6}, {}}; }

BenchRun empty_run(double volts) {
  BenchRun run{
      .name = "run", .volts = volts, .dt = dt, .leaves_dead_band = 1, .edge = 0.8, .switched_off = 9.6};
  run.speed = run.thrust = Eigen::VectorXd::Zero(5500);
  return run;
}

BenchRun measured(double volts, const ThrusterDynamics& truth, double noise, std::uint64_t seed) {
  BenchRun run = empty_run(volts);
  const BenchResponse response = simulate_bench(run, steady_laws(), truth);
  RandomStream random(seed, "bench");
  for (Eigen::Index k = 0; k < run.speed.size(); ++k) {
    run.speed[k] = response.speed[k] + 5 * noise * random.normal();
    run.thrust[k] = response.thrust[k] + noise * random.normal();
  }
  return run;
}

constexpr ThrusterDynamics truth{1.8, 0.97, 0.05, 0.08, 0.012, 1.05, 0.8, 0.3, 0.4};

TEST(SteadyLaws, AreThoseOfTheirPoints) {
  std::vector<SteadyPoint> points;
  for (const double volts : {1.0, 2.0, 3.0, 4.0, 5.0}) {
    const double n = 50 * volts - 40, m = 48 * volts - 30;
    points.push_back({volts, 1e-3 * n * n + 2e-7 * n * n * n, n});
    points.push_back({-volts, -7e-4 * m * m, -m});
  }
  const SteadyLaws laws = fit_steady_laws(points);
  EXPECT_NEAR(laws.forward.gain, 50, 1e-10);
  EXPECT_NEAR(laws.forward.edge(), 0.8, 1e-10);
  EXPECT_NEAR(laws.forward.c2, 1e-3, 1e-12);
  EXPECT_NEAR(laws.forward.c3, 2e-7, 1e-13);
  EXPECT_NEAR(laws.reverse.c2, 7e-4, 1e-12);
  EXPECT_LT(laws.left_out_error[2], 1e-9);
  EXPECT_GT(laws.left_out_error[0], 0.1);
  points.resize(5);
  EXPECT_NE(error_text([&] { fit_steady_laws(points); }).find("has 2 rows with negative voltage"),
            std::string::npos);
}

/// Rotor and flow settle where the steady laws say; on the way the blades meet still water, so thrust is more.
TEST(SimulateBench, SettlesAtTheSteadyLawsAndOvershootsBefore) {
  BenchRun run = empty_run(3);
  ThrusterDynamics model;
  model.ramp = 0.1;
  const BenchResponse response = simulate_bench(run, steady_laws(), model);
  const double n = 50 * 3 - 40, T = (1e-3 - 4e-7 * n) * n * n;
  EXPECT_NEAR(response.speed[4000], n, 1e-9);
  EXPECT_NEAR(response.thrust[4000], T, 1e-9);
  EXPECT_GT(response.thrust.maxCoeff(), 1.2 * T);
  EXPECT_LT(response.thrust.minCoeff(), 0);  // stopped blades in their own slipstream
  model.flow_share = model.stopped_drag = 0;
  EXPECT_NEAR(simulate_bench(run, steady_laws(), model).thrust.maxCoeff(), T, 1e-9);
}

/// 1 - exp(-t / tau) of a rotor after a step, in closed form.
TEST(SimulateBench, LagsExactly) {
  BenchRun run = empty_run(3);
  ThrusterDynamics model;
  model.ramp = 1e-9;
  model.tachometer_lag = 0;
  model.rotor_lag = 0.25;
  run.leaves_dead_band = 1 + dt / 2;  // between two samples
  const BenchResponse response = simulate_bench(run, steady_laws(), model);
  for (const int k : {1, 50, 200})
    EXPECT_NEAR(response.speed[500 + k], 110 * (1 - std::exp(-k * dt / 0.25)), 1e-9);
}

TEST(ThrusterDynamics, ComesBackFromItsOwnResponse) {
  const DynamicsFit fit = fit_thruster_dynamics(measured(3, truth, 0.05, 1), steady_laws());
  EXPECT_TRUE(fit.converged);
  EXPECT_TRUE(fit.at_bound.empty());
  EXPECT_TRUE(fit.unseen.empty());
  int k = 0;
  for (const DynamicParameter& p : dynamic_parameters()) {
    const double error = fit.model.*p.member - truth.*p.member;
    EXPECT_LT(std::abs(error), 4 * fit.sigma[k] + 1e-4) << p.name;
    EXPECT_LT(fit.sigma[k++], 0.1 * (truth.*p.member)) << p.name;
  }
}

/// The plant has a flow that follows quadratically (Healey et al. 1995) and a motor with a quadratic load; the
/// model has neither. It is trained forward and judged in reverse.
BenchRun other_plant(double volts, std::uint64_t seed) {
  BenchRun run = empty_run(volts);
  RandomStream random(seed, "other plant");
  const SteadyLaws steady = steady_laws();
  const SteadySide& side = volts > 0 ? steady.forward : steady.reverse;
  double n = 0, w = 0, tachometer = 0;
  constexpr int steps = 10;
  constexpr double h = dt / steps;
  for (Eigen::Index k = 0; k < run.speed.size(); ++k) {
    for (int i = 0; i < steps; ++i) {
      const double t = dt * static_cast<double>(k) + h * i, full = std::abs(volts);
      const double u = t < 9.59 ? full * std::clamp((t - (1 - 2 * 0.8 / full)) / 2.0, 0.0, 1.0) : 0;
      const double wanted = side.speed(u);
      n += h * (12 * (wanted - n) + 0.1 * (wanted * wanted - n * n));
      w += h * 0.02 * ((1.6) * n * n - 0.6 * n * w - w * std::abs(w));
      tachometer += h / 0.07 * (n - tachometer);
    }
    run.speed[k] = tachometer + 0.3 * random.normal();
    run.thrust[k] = (volts > 0 ? 1 : -1) * side.thrust_factor(n) *
                        (n * (1.6 * n - 0.6 * w) - 0.25 * std::max(0.0, w * w - n * n)) +
                    0.1 * random.normal();
  }
  run.switched_off = time_of_switching_off(run);
  return run;
}

TEST(ThrusterDynamics, ForetellsARunOfAnotherPlantThatItHasNotSeen) {
  const DynamicsFit fit = fit_thruster_dynamics(other_plant(3, 1), steady_laws());
  const BenchRun unseen = other_plant(-2, 2);
  const BenchScore score = score_bench(unseen, simulate_bench(unseen, steady_laws(), fit.model));
  EXPECT_GT(score.speed, 0.99);
  EXPECT_GT(score.thrust, 0.97);
  EXPECT_LT(score.thrust_raw, score.thrust);
  EXPECT_NEAR(fit.model.ramp, 2, 0.1);
}

/// A plant without flow: its lag cannot be seen, and the fit says so.
TEST(ThrusterDynamics, SaysWhatARunDoesNotShow) {
  ThrusterDynamics still = truth;
  still.flow_share = still.stopped_drag = 0;
  const DynamicsFit fit = fit_thruster_dynamics(measured(-2, still, 0.1, 3), steady_laws());
  const auto named = [&](const char* name) {
    return std::count(fit.at_bound.begin(), fit.at_bound.end(), name) +
           std::count(fit.unseen.begin(), fit.unseen.end(), name);
  };
  EXPECT_GT(named("flow_share") + named("flow_lag"), 0);
  EXPECT_EQ(named("rotor_lag"), 0);
}

TEST(BenchRun, IsSwitchedOffWhereTheThrustBreaksDown) {
  BenchRun run = empty_run(-2);
  run.thrust.segment(500, 4000).setConstant(-2.5);
  EXPECT_NEAR(time_of_switching_off(run), 9, 0.005);
  run.volts = 2;
  EXPECT_NE(error_text([&] { time_of_switching_off(run); }).find("is its sign that of the voltage?"),
            std::string::npos);
}

TEST(BenchScore, IsOneForTheRunItself) {
  const BenchRun run = measured(3, truth, 0.2, 5);
  const BenchScore score = score_bench(run, {run.speed, run.thrust});
  EXPECT_EQ(score.speed, 1);
  EXPECT_EQ(score.thrust, 1);
  EXPECT_LT(score.thrust_ceiling, 1);
  BenchRun late = run;
  late.leaves_dead_band = 9;
  EXPECT_NE(error_text([&] {
              score_bench(late, {run.speed, run.thrust});
            }).find("must last 8 s"),
            std::string::npos);
}

}  // namespace
}  // namespace fathom::identify::thruster_dynamics_test
