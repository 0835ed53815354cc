#include "fathom/identify/commanded/wrench_path.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/geometry/spectrum.hpp"
#include "fathom/identify/commanded/internal/linear_series.hpp"

namespace fathom::identify {

Mat6X WrenchPath::wrench_b(const CommandedRun& run) const {
  if (!(dead_band >= 0)) reject("dead_band", fmt::format("= {} N, must be >= 0", dead_band));
  const auto late = [&](const Mat6X& tau_b) -> Mat6X {
    return internal::straight_between(run.command_t, tau_b, run.t0 - lag, run.dt, run.size());
  };
  if (B.cols() == 0) return late(run.commands);
  const Eigen::MatrixXd inverse = pseudo_inverse(B);
  Eigen::MatrixXd forces = inverse * run.commands;
  for (double& force : forces.reshaped())
    force = std::copysign(std::max(std::abs(force) - dead_band, 0.0), force);
  return late(B * forces);
}

Mat6X vectored_thrusters(double yaw_lever, double roll_lever, double pitch_lever) {
  const double c = std::numbers::sqrt2 / 2;
  Mat6X B = Mat6X::Zero(6, 8);
  Eigen::Index k = 0;
  for (const double side : {-1.0, 1.0})
    for (const double yaw : {-1.0, 1.0}) B.col(k++) << c, side * c, 0, 0, 0, yaw * yaw_lever;
  for (const double roll : {-1.0, 1.0})
    for (const double pitch : {-1.0, 1.0}) B.col(k++) << 0, 0, 1, roll * roll_lever, pitch * pitch_lever, 0;
  return B;
}

}  // namespace fathom::identify
