#pragma once
#include <algorithm>
#include <cmath>
#include <numbers>
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

inline IdentifiedThruster bollard(const Plant& p, RandomStream& random) {
  BollardTable table;
  table.unit = model::CommandUnit::volt;
  constexpr Eigen::Index n = 41;
  table.commands = Eigen::VectorXd::LinSpaced(n, -p.volts, p.volts);
  table.forces.resize(n);
  table.speeds = Eigen::VectorXd(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const double w = p.steady(table.commands[k]), full = p.T * std::pow(p.steady(p.volts), 2);
    table.forces[k] = p.T * std::abs(w) * w + 2e-3 * full * random.normal();
    (*table.speeds)[k] = std::abs(w);
  }
  return identify_thruster(table, command_of(table), "a plant", {.resamples = 10});
}

/// Current and speed of the rotor, and what drives it where that lags too.
struct Spin {
  double i = 0, w = 0, drive = 0;

  void step(const Plant& p, double V, double h) {
    const double goal = p.steady(V), pull = (p.rotor == Plant::Rotor::driven ? drive : goal) - w,
                 rate = pull / p.first_order, most = p.ramp * p.steady(p.volts);
    i += h * (V - p.R * i - p.k_t * w) / p.L;
    drive += h * (goal - drive) / (0.5 * p.first_order);
    switch (p.rotor) {
      case Plant::Rotor::motor:
        w += h * (p.k_t * i - p.k_f * w - p.dry * std::tanh(w / 0.3) - p.Q * std::abs(w) * w) / p.J;
        return;
      case Plant::Rotor::brakes: w += h * rate / (pull * w < 0 ? p.braking : 1); return;
      case Plant::Rotor::ramps: w += h * std::clamp(rate, -most, most); return;
      case Plant::Rotor::plain:
      case Plant::Rotor::driven: w += h * rate; return;
    }
  }
};

/// How the runs of a bench are taken.
struct StepBench {
  double dt = 0.01, hold = 1;         // s
  double noise = 5e-3, quantum = 20;  // of the full force; rpm
};

inline StepRun on_bench(const Plant& p, const std::vector<double>& levels, RandomStream& random,
                        const StepBench& bench = {}) {
  constexpr double h = 1e-4;
  const double quantum = bench.quantum * 2 * std::numbers::pi / 60;
  const auto rows = std::lround(bench.hold / bench.dt), n = rows * static_cast<long>(levels.size());
  StepRun run{"plant.csv", Eigen::VectorXd(n), Eigen::VectorXd(n), Eigen::VectorXd(n), Eigen::VectorXd(n)};
  Spin spin;
  double a = 0, shown = 0, cell = 0;
  const double full = p.T * std::pow(p.steady(p.volts), 2);
  for (Eigen::Index k = 0; k < n; ++k) {
    const double V = levels[static_cast<std::size_t>(k / rows)];
    run.times[k] = bench.dt * static_cast<double>(k);
    run.commands[k] = V;
    (*run.speeds)[k] = quantum * std::round((std::abs(shown) + 0.5 * random.normal()) / quantum);
    (*run.forces)[k] = cell + bench.noise * full * random.normal();
    for (int s = 0; s < static_cast<int>(bench.dt / h + 0.5); ++s) {
      spin.step(p, V, h);
      const double w = spin.w;
      if (p.flow_lag > 0) a += h * (w - a) / p.flow_lag;
      const double thrust =
          p.T * (std::abs(w) * w + (p.flow_lag > 0 ? p.share * std::abs(w) * (w - a) -
                                                         std::copysign(p.drag, a) * std::max(0.0, a * a - w * w)
                                                   : 0));
      shown += h * (w - shown) / p.tachometer;
      cell += std::min(1.0, h / p.cell) * (thrust - cell);
    }
  }
  return run;
}

inline std::vector<StepRun> two_runs(const Plant& p, RandomStream& random) {
  return {on_bench(p, {0, 8, 4, 11, -6, 0}, random), on_bench(p, {0, -9, -4, 6, 12, 3}, random)};
}

inline const StepParameter& parameter(const StepLawFit& fit, const std::string& name) {
  return *std::find_if(fit.parameters.begin(), fit.parameters.end(),
                       [&](const StepParameter& of) { return of.name == name; });
}

}  // namespace fathom::identify::test
