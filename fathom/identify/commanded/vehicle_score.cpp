#include "fathom/identify/commanded/vehicle_score.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
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
  Mat6X predicted_b(6, rows.terms.cols());
  for (int axis = 0; axis < 6; ++axis)
    predicted_b.row(axis) =
        fit.model.theta[static_cast<std::size_t>(axis)].transpose() * rows.terms(run.of_axis(axis), Eigen::all);
  return twist_at(fit.p_bc_b) * predicted_b;
}

/// Squares of `error`, summed over blocks of so many columns; the last one may be shorter.
Mat6X by_block(const Mat6X& error, Eigen::Index size) {
  const Eigen::Index blocks = (error.cols() + size - 1) / size;
  Mat6X sums(6, blocks);
  for (Eigen::Index k = 0; k < blocks; ++k)
    sums.col(k) = error.middleCols(k * size, std::min(size, error.cols() - k * size)).rowwise().squaredNorm();
  return sums;
}

/// Of a sum over blocks, from their scatter.
double sigma_of_sum(const Eigen::VectorXd& terms) {
  const auto n = static_cast<double>(terms.size());
  if (n < 2) return infinity;
  return std::sqrt(n / (n - 1) * (terms.array() - terms.mean()).square().sum());
}

}  // namespace

FreeRunWindows::FreeRunWindows(const CommandedRun& run, const FreeRunOptions& options)
    : step(in_samples(options.longest_step, run.dt)),
      steps(in_samples(options.window, run.dt * static_cast<double>(step))),
      first(in_samples(options.settle, run.dt)),
      every(in_samples(options.every, run.dt)),
      room(run.size() - 1 - steps * step - first) {
  if (room < 0)
    reject(run.name, fmt::format("has {:.3g} s, a window takes {:.3g} s", run.t(run.size()) - run.t0,
                                 options.window + options.settle));
}

FreeRun free_run(const VehicleFit& fit, const CommandedRun& run, const FreeRunOptions& options) {
  constexpr double runs_away = 100;  // m/s
  const FreeRunWindows windows(run, options);
  const double dt = run.dt * static_cast<double>(windows.step);
  const Mat6X tau_b = fit.path.wrench_b(run);
  const Mat6 to_c = twist_at(fit.p_bc_b), to_b = twist_at(-fit.p_bc_b);
  FreeRun out;
  for (Mat6X* series : {&out.predicted_c, &out.measured_c, &out.held_c})
    series->resize(6, windows.count() * windows.steps);
  Eigen::Index column = 0;
  for (Eigen::Index w = 0; w < windows.count(); ++w) {
    const Eigen::Index begin = windows.begin(w);
    Swimming at{to_b * run.nu_c.col(begin), run.down_b.col(begin)};
    bool is_away = false;
    for (Eigen::Index k = 0; k < windows.steps; ++k, ++column) {
      const Eigen::Index now = begin + k * windows.step, next = now + windows.step;
      if (!is_away) at = heun_step(fit.model, at, tau_b.col(now), tau_b.col(next), dt);
      is_away = is_away || !(at.nu_b.cwiseAbs().maxCoeff() < runs_away);
      if (is_away && options.reject_runaway) reject(run.name, "makes the model run away");
      if (is_away) at.nu_b.setConstant(runs_away);
      out.predicted_c.col(column) = to_c * at.nu_b;
      out.measured_c.col(column) = run.nu_c.col(next);
      out.held_c.col(column) = run.nu_c.col(begin);
    }
  }
  return out;
}

ScoreSums::BlockSize::BlockSize(const BlurredRun& run, const FreeRunOptions& options) {
  const CommandedRun& of = run.run();
  const FreeRunWindows windows(of, options);
  rates = in_samples(options.window, of.dt * static_cast<double>(run.row_step()));
  free = std::max<Eigen::Index>(1, in_samples(options.window, of.dt) / windows.every) * windows.steps;
}

void ScoreSums::add(const Mat6X& rates_c, const Mat6X& predicted_c, const FreeRun& free,
                    const BlockSize& block) {
  append(rates_c_, rates_c);
  append(predicted_c_, predicted_c);
  append(free_.predicted_c, free.predicted_c);
  append(free_.measured_c, free.measured_c);
  append(free_.held_c, free.held_c);
  append(blocks_.rate_errors, by_block(predicted_c - rates_c, block.rates));
  append(blocks_.constant_rate_errors, by_block(rates_c, block.rates));
  append(blocks_.free_errors, by_block(free.predicted_c - free.measured_c, block.free));
  append(blocks_.constant_free_errors, by_block(free.held_c - free.measured_c, block.free));
}

void ScoreSums::add(const UnseenRun& one, const FreeRunOptions& options) {
  add(one.run->rates_c(), foretold_rates_c(*one.fit, *one.run), free_run(*one.fit, one.run->run(), options),
      BlockSize(*one.run, options));
}

VehicleScore ScoreSums::score() const {
  VehicleScore score = blocks_;
  score.r2 = r2_of(rates_c_, predicted_c_);
  score.constant_r2 = r2_of(rates_c_, Mat6X::Zero(6, rates_c_.cols()));
  score.error_over_spread = error_over_spread(free_.measured_c, free_.predicted_c);
  score.constant_error_over_spread = error_over_spread(free_.measured_c, free_.held_c);
  score.rate_spread = (rates_c_.colwise() - rates_c_.rowwise().mean().eval()).rowwise().squaredNorm();
  return score;
}

double ComparedScores::gain(int axis) const {
  return ours.r2[axis] - std::max(linear.r2[axis], linear.constant_r2[axis]);
}

double ComparedScores::ratio(int axis) const {
  return ours.error_over_spread[axis] /
         std::min(linear.error_over_spread[axis], linear.constant_error_over_spread[axis]);
}

double ComparedScores::gain_sigma(int axis) const {
  const bool by_line = linear.r2[axis] > linear.constant_r2[axis];
  const Mat6X& baseline = by_line ? linear.rate_errors : linear.constant_rate_errors;
  return sigma_of_sum((baseline.row(axis) - ours.rate_errors.row(axis)).transpose()) / ours.rate_spread[axis];
}

double ComparedScores::ratio_sigma(int axis) const {
  const bool by_line = linear.error_over_spread[axis] < linear.constant_error_over_spread[axis];
  const Eigen::RowVectorXd baseline = (by_line ? linear.free_errors : linear.constant_free_errors).row(axis);
  const Eigen::RowVectorXd own = ours.free_errors.row(axis);
  // To first order, d(sqrt(a / b)) = (da - a / b db) / (2 sqrt(a b)).
  return sigma_of_sum((own - own.sum() / baseline.sum() * baseline).transpose()) /
         (2 * std::sqrt(own.sum() * baseline.sum()));
}

VehicleScore score_vehicle(const std::vector<UnseenRun>& runs, const FreeRunOptions& options) {
  ScoreSums sums;
  for (const UnseenRun& one : runs) sums.add(one, options);
  return sums.score();
}

}  // namespace fathom::identify
