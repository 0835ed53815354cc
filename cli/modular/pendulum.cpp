#include "cli/modular/pendulum.hpp"

#include <cmath>

#include "fathom/identify/metrics.hpp"

namespace fathom::cli {

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
    for (int step = 0; step < steps_between; ++step) {
      const Vector2d k1 = rate(x), k2 = rate(x + h / 2 * k1), k3 = rate(x + h / 2 * k2), k4 = rate(x + h * k3);
      x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
  }
  return theta;
}

WarpExample warp_example() {
  using Ends = identify::WarpOptions::Ends;
  const auto theta = [](double length) { return Pendulum{.length = length}.swing(5, 50); };
  const Eigen::RowVectorXd a = theta(0.25), b = theta(0.30);
  return {(a - b).norm(), identify::warp(a, b, {.window = 1}).distance,
          identify::warp(a, b, {.window = 1, .ends = Ends::open_end}).distance};
}

}  // namespace fathom::cli
