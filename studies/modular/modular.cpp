#include <cmath>
#include <functional>
#include <utility>

#include "fathom/identify/metrics.hpp"
#include "fathom/solve/runge_kutta.hpp"

#include "studies/modular/parts.hpp"
#include "studies/modular/pendulum.hpp"
#include "studies/reproduce.hpp"

namespace fathom::studies {

void reproduce_modular(Study& study, const Host& host) {
  const std::pair<const char*, std::function<void()>> parts[] = {
      {"Table 3.4", [&] { study_peaks(study, host); }},
      {"case B", [&] { study_case_b(study, host); }},
      {"printed constraint", [&] { study_printed_constraint(study, host); }},
      {"spheres at rest", [&] { study_rest(study, host); }},
      {"decays", [&] { study_decay_fit(study, host); }},
      {"manoeuvre", [&] { study_manoeuvre(study, host); }},
      {"connected vehicles", [&] { study_connected(study, host); }},
      {"warping", [&] { study_warp(study); }},
  };
  double done = 0;
  for (const auto& [name, part] : parts) {
    host.progress(done, name);
    part();
    throw_if(host.pool.stop());
    done += 1.0 / std::size(parts);
  }
}

/// Eqs. 6.3 and 6.4: pendulums of 0.25 and 0.30 m over 5 s, 50 samples each; ||d|| sample by sample, warped
/// with both ends fixed, and with an open end.
void study_warp(Study& study) {
  using Ends = identify::WarpOptions::Ends;
  const auto theta = [](double length) { return Pendulum{.length = length}.swing(5, 50); };
  const Eigen::RowVectorXd a = theta(0.25), b = theta(0.30);
  study.set("warp.none", (a - b).norm());
  study.set("warp.closed", identify::warp(a, b, {.window = 1}).distance);
  study.set("warp.open_end", identify::warp(a, b, {.window = 1, .ends = Ends::open_end}).distance);
}

Eigen::RowVectorXd Pendulum::swing(double seconds, int samples) const {
  using Eigen::Vector2d;
  const double pull = gravity / (length * length);
  const auto rate = [&](const Vector2d& x) {
    const double lever = arm[0] * std::cos(x[0]) - arm[1] * std::sin(x[0]);
    return Vector2d(x[1], -pull * lever - damping * x[1]);
  };
  const double h = seconds / (samples - 1) / steps_between;
  Eigen::RowVectorXd theta(samples);
  Vector2d x = Vector2d::Zero();
  for (int k = 0; k < samples; ++k) {
    theta[k] = x[0];
    for (int step = 0; step < steps_between; ++step) x = solve::runge_kutta_step(rate, x, h);
  }
  return theta;
}

}  // namespace fathom::studies
