#pragma once
#include <cmath>
#include <string>

#include "fathom/base/random.hpp"
#include "fathom/identify/commanded/vehicle_fit.hpp"

namespace fathom::identify::test {

/// A vehicle whose every number is known: light drag, a heavy sway, restoring moments.
inline AccelerationModel known_model() {
  AccelerationModel model{full_terms(), {}};
  model.theta[0] = (Eigen::VectorXd(4) << 1 / 77.0, -22 / 77.0, -74 / 77.0, 1.0).finished();
  model.theta[1] = (Eigen::VectorXd(4) << 1 / 120.0, -50 / 120.0, -100 / 120.0, 0.7).finished();
  model.theta[2] = (Eigen::VectorXd(5) << 1 / 100.0, -22 / 100.0, -150 / 100.0, 0.3, -0.08).finished();
  model.theta[3] = (Eigen::VectorXd(7) << 1 / 13.0, 0.01, -0.5, -1.5, 0.05, -0.2, 0.1).finished();
  model.theta[4] = (Eigen::VectorXd(7) << 1 / 8.0, 0.01, -0.6, 1.2, 0.1, 0.1, -0.1).finished();
  model.theta[5] = (Eigen::VectorXd(6) << 1 / 9.0, -0.6, -0.9, -0.01, 0.4, -1.0).finished();
  return model;
}

/// Six sums of sinusoids, every 0.02 s; the phases come from the seed.
inline CommandedRun commanded(double seconds, const Vec6& amplitudes, std::uint64_t seed) {
  CommandedRun run{.name = "run " + std::to_string(seed), .dt = 0.02};
  const auto count = static_cast<Eigen::Index>(seconds / run.dt);
  run.nu_c.setZero(6, count);
  run.down_b.setZero(3, count);
  run.commands.setZero(6, count);
  for (Eigen::Index k = 0; k < count; ++k) run.command_t.push_back(run.t(k));
  RandomStream random(seed, "commands");
  for (int i = 0; i < 6; ++i)
    for (int tone = 0; tone < 4; ++tone) {
      const double phase = random.uniform(0, 6.28), rate = random.uniform(0.2, 1.5);
      for (Eigen::Index k = 0; k < count; ++k)
        run.commands(i, k) += amplitudes[i] * std::sin(rate * run.t(k) + phase);
    }
  return run;
}

/// Fills in the motion by ten small steps of Euler's midpoint rule per sample, tau_b straight between samples.
inline void fill_motion(CommandedRun& run, const VehicleFit& truth) {
  const Mat6X tau_b = truth.path.wrench_b(run);
  const Mat6 to_c = twist_at(truth.p_bc_b);
  constexpr int parts = 10;
  const double h = run.dt / parts;
  Instant at;
  at.down_b = Vec3::UnitZ();
  for (Eigen::Index k = 0; k < run.size(); ++k) {
    run.nu_c.col(k) = to_c * at.nu_b;
    run.down_b.col(k) = at.down_b;
    if (k + 1 == run.size()) break;
    for (int part = 0; part < parts; ++part) {
      const Vec6 slope_b = (tau_b.col(k + 1) - tau_b.col(k)) / parts;
      at.tau_b = tau_b.col(k) + part * slope_b;
      Instant middle = at;
      middle.tau_b += 0.5 * slope_b;
      middle.nu_b += h / 2 * truth.model.acceleration_b(at);
      middle.down_b += h / 2 * at.down_b.cross(Vec3(at.nu_b.tail<3>()));
      at.nu_b += h * truth.model.acceleration_b(middle);
      at.down_b += h * middle.down_b.cross(Vec3(middle.nu_b.tail<3>()));
    }
  }
}

/// Newton and newton-metre that move known_model() well beyond a dead band of 3 N.
inline const Vec6 lively = (Vec6() << 12, 15, 15, 1.5, 1.5, 3).finished();

}  // namespace fathom::identify::test
