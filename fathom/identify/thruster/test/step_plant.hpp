#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "fathom/base/random.hpp"
#include "fathom/identify/thruster/step_law_choice.hpp"

namespace fathom::identify::test {

/// What the fitted laws lack: inductance, dry friction, a load cell that lags, a tachometer in whole turns per
/// minute by 20, noise.
struct Plant {
  double J, k_t, R, k_f, Q, L, dry;  // SI
  double T, share, flow_lag, drag;   // of the propeller
  double tachometer, cell = 0.004;   // s
  double volts = 12;
  /// Of a motor; or a plain lag, one that brakes slower than it drives, one that ramps, one behind another.
  enum class Rotor { motor, plain, brakes, ramps, driven } rotor = Rotor::motor;
  double first_order = 0;  // s, of all but motors
  double braking = 2;      // times slower
  double ramp = 6;         // full speeds per second

  double drive() const { return k_t / (R * J); }
  double linear() const { return (k_t * k_t / R + k_f) / J; }
  double quadratic() const { return Q / J; }
  double steady(double V) const { return steady_with(std::max(0.0, std::abs(V) - R * dry / k_t), V); }
  double steady_with(double net, double V) const {
    const double b = linear(), c = quadratic(), q = drive() * net;
    return std::copysign(2 * q / (b + std::sqrt(b * b + 4 * c * q)), V);
  }
};

struct Range {
  double low, high;
  double draw(RandomStream& random) const { return random.uniform(low, high); }
};
/// Sizes of the plants of one kind.
struct Family {
  Range J, k_t, R, k_f, Q, L_over_R, dry, T, tachometer, share, flow_lag, drag, cell;
  double volts;
};
/// What the intervals of laws were made with, and benches of another size.
inline constexpr Family usual_family{
    {1e-4, 3e-4}, {0.02, 0.04}, {0.3, 0.6}, {0, 2e-4},    {2e-6, 6e-6}, {5e-4, 2e-3}, {0, 0.004},
    {3e-4, 6e-4}, {0.01, 0.04}, {0.3, 0.8}, {0.15, 0.35}, {0.1, 0.4},   {0, 0.012},   12};
inline constexpr Family other_family{
    {2e-5, 1.2e-4}, {0.008, 0.02}, {0.1, 0.35}, {0, 1e-4},  {3e-7, 2e-6}, {2e-4, 3e-3}, {0, 0.003},
    {5e-5, 2e-4},   {0.005, 0.06}, {0.15, 1},   {0.1, 0.5}, {0.05, 0.5},  {0, 0.02},    16};

/// Without a flow behind the blades.
inline Plant random_plant(RandomStream& random, const Family& of = usual_family) {
  Plant p{};
  p.J = of.J.draw(random);
  p.k_t = of.k_t.draw(random);
  p.R = of.R.draw(random);
  p.k_f = of.k_f.draw(random);
  p.Q = of.Q.draw(random);
  p.L = p.R * of.L_over_R.draw(random);
  p.dry = of.dry.draw(random);
  p.T = of.T.draw(random);
  p.tachometer = of.tachometer.draw(random);
  p.volts = of.volts;
  return p;
}

inline Plant plant_with_flow(RandomStream& random, const Family& of = usual_family) {
  Plant p = random_plant(random, of);
  p.share = of.share.draw(random);
  p.flow_lag = of.flow_lag.draw(random);
  p.drag = of.drag.draw(random);
  p.cell = of.cell.draw(random);
  return p;
}

IdentifiedThruster bollard(const Plant& p, RandomStream& random);

/// How the runs of a bench are taken.
struct StepBench {
  double dt = 0.01, hold = 1;         // s
  double noise = 5e-3, quantum = 20;  // of the full force; rpm
};

StepRun on_bench(const Plant& p, const std::vector<double>& levels, RandomStream& random,
                 const StepBench& bench = {});

inline std::vector<StepRun> two_runs(const Plant& p, RandomStream& random) {
  return {on_bench(p, {0, 8, 4, 11, -6, 0}, random), on_bench(p, {0, -9, -4, 6, 12, 3}, random)};
}

inline const StepParameter& parameter(const StepLawFit& fit, const std::string& name) {
  return *std::find_if(fit.parameters.begin(), fit.parameters.end(),
                       [&](const StepParameter& of) { return of.name == name; });
}

}  // namespace fathom::identify::test
