#include "fathom/identify/thruster/test/step_plant.hpp"

#include <numbers>

namespace fathom::identify::test {
namespace {

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

}  // namespace

IdentifiedThruster bollard(const Plant& p, RandomStream& random) {
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

StepRun on_bench(const Plant& p, const std::vector<double>& levels, RandomStream& random,
                 const StepBench& bench) {
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

}  // namespace fathom::identify::test
