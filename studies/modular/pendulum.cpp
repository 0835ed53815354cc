#include "studies/modular/pendulum.hpp"

#include <cmath>

#include "fathom/solve/runge_kutta.hpp"

namespace fathom::studies {

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
