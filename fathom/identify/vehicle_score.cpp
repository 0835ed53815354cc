#include "fathom/identify/vehicle_score.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/identify/metrics.hpp"

namespace fathom::identify {
namespace {

/// What is integrated: the twist, and where down is as it turns with the body.
struct Swimming {
  Vec6 nu_b;
  Vec3 down_b;

  Swimming moved(double h, const Swimming& rate) const {
    return {nu_b + h * rate.nu_b, down_b + h * rate.down_b};
  }
};

Swimming rate_of(const AccelerationModel& model, const Swimming& at, const Vec6& tau_b) {
  return {model.acceleration_b({at.nu_b, tau_b, at.down_b}), at.down_b.cross(at.nu_b.tail<3>())};
}

/// Heun's method: tau_b at both ends of the step.
Swimming heun_step(const AccelerationModel& model, const Swimming& at, const Vec6& tau_begin_b,
                   const Vec6& tau_end_b, double h) {
  const Swimming first = rate_of(model, at, tau_begin_b);
  const Swimming second = rate_of(model, at.moved(h, first), tau_end_b);
  return at.moved(h / 2, first).moved(h / 2, second);
}

Eigen::Index in_samples(double seconds, double dt) {
  return std::max<Eigen::Index>(1, static_cast<Eigen::Index>(std::floor(seconds / dt + 1e-9)));
}

void append(Mat6X& all, const Mat6X& more) {
  all.conservativeResize(6, all.cols() + more.cols());
  all.rightCols(more.cols()) = more;
}

Vec6 r2_of(const Mat6X& measured, const Mat6X& predicted) {
  Vec6 r2;
  for (int i = 0; i < 6; ++i) r2[i] = metrics(measured.row(i).transpose(), predicted.row(i).transpose()).r2;
  return r2;
}

/// RMSE over the standard deviation: sqrt(1 - R2).
Vec6 error_over_spread(const Mat6X& measured, const Mat6X& predicted) {
  return (1 - r2_of(measured, predicted).array()).sqrt();
}

/// h * acceleration by the model, at the sensor.
Mat6X foretold_rates_c(const VehicleFit& fit, const BlurredRun& run) {
  const BlurredRows rows = run.rows_at(fit.path.wrench_b(run.run()), fit.p_bc_b);
  Mat6X foretold_b(6, rows.terms.cols());
  for (int axis = 0; axis < 6; ++axis)
    foretold_b.row(axis) =
        fit.model.theta[static_cast<std::size_t>(axis)].transpose() * rows.terms(run.of_axis(axis), Eigen::all);
  return twist_at(fit.p_bc_b) * foretold_b;
}

}  // namespace

FreeRun free_run(const VehicleFit& fit, const CommandedRun& run, const FreeRunOptions& options) {
  constexpr double runs_away = 100;  // m/s
  const Eigen::Index step = in_samples(options.longest_step, run.dt),
                     first = in_samples(options.settle, run.dt), every = in_samples(options.every, run.dt),
                     steps = in_samples(options.window, run.dt * static_cast<double>(step));
  const Eigen::Index room = run.size() - 1 - steps * step - first;
  if (room < 0)
    refuse(run.name, fmt::format("has {:.3g} s, a window takes {:.3g} s", run.t(run.size()) - run.t0,
                                 options.window + options.settle));
  const Mat6X tau_b = fit.path.wrench_b(run);
  const Mat6 to_c = twist_at(fit.p_bc_b), to_b = twist_at(-fit.p_bc_b);
  FreeRun out;
  const Eigen::Index columns = (room / every + 1) * steps;
  for (Mat6X* series : {&out.predicted_c, &out.measured_c, &out.held_c}) series->resize(6, columns);
  Eigen::Index column = 0;
  for (Eigen::Index begin = first; begin <= first + room; begin += every) {
    Swimming at{to_b * run.nu_c.col(begin), run.down_b.col(begin)};
    for (Eigen::Index k = 0; k < steps; ++k, ++column) {
      const Eigen::Index now = begin + k * step, next = now + step;
      at = heun_step(fit.model, at, tau_b.col(now), tau_b.col(next), run.dt * static_cast<double>(step));
      if (!(at.nu_b.cwiseAbs().maxCoeff() < runs_away)) refuse(run.name, "makes the model run away");
      out.predicted_c.col(column) = to_c * at.nu_b;
      out.measured_c.col(column) = run.nu_c.col(next);
      out.held_c.col(column) = run.nu_c.col(begin);
    }
  }
  return out;
}

VehicleScore score_vehicle(const std::vector<UnseenRun>& runs, const FreeRunOptions& options) {
  Mat6X rates_c(6, 0), foretold_c(6, 0);
  FreeRun all{Mat6X(6, 0), Mat6X(6, 0), Mat6X(6, 0)};
  for (const UnseenRun& one : runs) {
    append(rates_c, one.run->rates_c());
    append(foretold_c, foretold_rates_c(*one.fit, *one.run));
    const FreeRun free = free_run(*one.fit, one.run->run(), options);
    append(all.predicted_c, free.predicted_c);
    append(all.measured_c, free.measured_c);
    append(all.held_c, free.held_c);
  }
  return {r2_of(rates_c, foretold_c), r2_of(rates_c, Mat6X::Zero(6, rates_c.cols())),
          error_over_spread(all.measured_c, all.predicted_c), error_over_spread(all.measured_c, all.held_c)};
}

}  // namespace fathom::identify
