#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/median.hpp"
#include "fathom/filter/spline.hpp"
#include "fathom/filter/zero_phase.hpp"
#include "fathom/identify/arm/arm_run.hpp"
#include "fathom/model/shaft_motion.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;

double median_step(const Eigen::VectorXd& times) {
  std::vector<double> steps;
  for (Index k = 1; k < times.size(); ++k) steps.push_back(times[k] - times[k - 1]);
  return median(steps);
}

/// Cubic through the two samples on either side; at the ends through the outermost four. `from` rises.
Eigen::VectorXd cubic_at(const Eigen::VectorXd& from, const Eigen::VectorXd& y, const Eigen::VectorXd& to) {
  Eigen::VectorXd result(to.size());
  Index k = 0;
  for (Index i = 0; i < to.size(); ++i) {
    while (k + 2 < from.size() && from[k + 1] <= to[i]) ++k;
    const Index first = std::clamp<Index>(k - 1, 0, from.size() - 4);
    double sum = 0;
    for (Index a = first; a < first + 4; ++a) {
      double weight = y[a];
      for (Index b = first; b < first + 4; ++b)
        if (b != a) weight *= (to[i] - from[b]) / (from[a] - from[b]);
      sum += weight;
    }
    result[i] = sum;
  }
  return result;
}

/// Central differences of fourth order, so that they take nothing off below the cut-off; of second order and
/// one-sided at the ends, which are trimmed.
void differentiate(const Eigen::VectorXd& y, double dt, Eigen::VectorXd& first, Eigen::VectorXd& second) {
  const Index n = y.size();
  first.setZero(n);
  second.setZero(n);
  for (Index k = 2; k + 2 < n; ++k) {
    first[k] = (y[k - 2] - 8 * y[k - 1] + 8 * y[k + 1] - y[k + 2]) / (12 * dt);
    second[k] = (-y[k - 2] + 16 * y[k - 1] - 30 * y[k] + 16 * y[k + 1] - y[k + 2]) / (12 * dt * dt);
  }
}

struct Smoothed {
  Eigen::MatrixXd q, dq, ddq;
};

using Held = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic>;

/// The samples of a joint that are measurements: those that are not held.
struct Measured {
  Eigen::VectorXd times, q;

  Measured(const Eigen::VectorXd& all_times, const Eigen::MatrixXd& all_q, const Held& held, Index j) {
    std::vector<Index> rows;
    for (Index k = 0; k < all_times.size(); ++k)
      if (!held(k, j)) rows.push_back(k);
    times = all_times(rows);
    q = all_q.col(j)(rows);
  }
};

Smoothed filtered(const Eigen::VectorXd& times, const Eigen::MatrixXd& q, const Held& held,
                  const ArmRunOptions& options) {
  const Index n = times.size();
  const double dt = (times[n - 1] - times[0]) / static_cast<double>(n - 1);
  const Eigen::VectorXd even = Eigen::VectorXd::LinSpaced(n, times[0], times[n - 1]);
  const filter::Butterworth butterworth(options.order, options.cutoff_hz, dt);
  Smoothed out{q, q, q};
  for (Index j = 0; j < q.cols(); ++j) {
    const Measured measured(times, q, held, j);
    const Eigen::VectorXd smooth =
        butterworth.apply(cubic_at(measured.times, measured.q, even).transpose()).transpose();
    Eigen::VectorXd first, second;
    differentiate(smooth, dt, first, second);
    out.q.col(j) = cubic_at(even, smooth, times);
    out.dq.col(j) = cubic_at(even, first, times);
    out.ddq.col(j) = cubic_at(even, second, times);
  }
  return out;
}

Smoothed splined(const Eigen::VectorXd& times, const Eigen::MatrixXd& q, const Held& held) {
  Smoothed out{q, q, q};
  for (Index j = 0; j < q.cols(); ++j) {
    const Measured measured(times, q, held, j);
    const filter::Spline spline(measured.times, measured.q, Eigen::VectorXd(),
                                {.order = 3, .smoothing = std::nullopt});
    out.q.col(j) = spline.at(times);
    out.dq.col(j) = spline.at(times, 1);
    out.ddq.col(j) = spline.at(times, 2);
  }
  return out;
}

void check_options(const ArmRun& run, const ArmRunOptions& options) {
  if (run.samples() < 20)
    reject(run.place(), 0, "", fmt::format("has {} samples, too few to differentiate", run.samples()));
  if (!(options.cutoff_hz > 0) || !std::isfinite(options.cutoff_hz))
    reject("cutoff_hz", fmt::format("= {}, must be above 0", options.cutoff_hz));
  const double rate = 1 / median_step(run.times);
  if (options.derivatives == ArmRunOptions::Derivatives::zero_phase && options.cutoff_hz >= 0.5 * rate)
    reject("cutoff_hz",
           fmt::format("= {:g}, must be below half the rate of {}, {:.3g} Hz", options.cutoff_hz, run.place(),
                       0.5 * rate),
           rate < 1 ? "are its times in ms? expected s" : "a lower cut-off");
}

constexpr double most_held_unsaid = 0.1;  // of the positions

/// Positions that are held come at a lower rate than the rows.
void check_held(const ArmRun& run, const Held& held, const ArmRunOptions& options) {
  if (options.derivatives != ArmRunOptions::Derivatives::zero_phase) return;
  const double rate = (1 - held.cast<double>().colwise().mean().maxCoeff()) / median_step(run.times);
  if (options.cutoff_hz >= 0.5 * rate)
    reject("cutoff_hz",
           fmt::format(
               "= {:g}, must be below half the rate at which positions of {} change, {:.3g} Hz: the others "
               "repeat the sample before",
               options.cutoff_hz, run.place(), 0.5 * rate),
           "a lower cut-off");
}

/// First samples of pieces between gaps, and the end.
std::vector<Index> pieces_of(const ArmRun& run, double longest_step) {
  std::vector<Index> starts = {0};
  for (Index k = 1; k < run.samples(); ++k)
    if (run.times[k] - run.times[k - 1] > longest_step) starts.push_back(k);
  starts.push_back(run.samples());
  return starts;
}

/// Generalised cross-validation takes errors that follow one another for motion, and then smooths too little:
/// its accelerations are many times those of the filter.
void check_spline(const Eigen::VectorXd& times, const Eigen::MatrixXd& q, const Held& held,
                  const ArmRunOptions& options, const Smoothed& smooth, ArmRun& out) {
  constexpr double most = 2;
  const double rate = static_cast<double>(times.size() - 1) / (times[times.size() - 1] - times[0]);
  if (!(options.cutoff_hz < 0.5 * rate)) return;
  const Smoothed beside = filtered(times, q, held, options);
  for (Index j = 0; j < q.cols(); ++j) {
    const double ratio = smooth.ddq.col(j).norm() / std::max(beside.ddq.col(j).norm(), 1e-12);
    if (ratio > most)
      out.warnings.push_back(fmt::format(
          "the spline's accelerations of joint {} are {:.2g} times those of a filter with {:g} Hz: its "
          "errors follow one another, and it takes them for motion (--derivatives zero-phase)",
          j + 1, ratio, options.cutoff_hz));
  }
}

/// Shaft angles, filtered and differentiated, become positions of joints.
void through_transmissions(ArmRun& run) {
  for (std::size_t joint = 0; joint < run.shafts.size(); ++joint) {
    if (!run.shafts[joint]) continue;
    const ShaftCounter& counter = *run.shafts[joint];
    const auto j = static_cast<Index>(joint);
    for (Index k = 0; k < run.samples(); ++k) {
      const double angle = run.q(k, j) + counter.half_increment;
      const model::CoordinateMotion at =
          model::joint_motion(counter.transmission, {angle, run.dq(k, j), run.ddq(k, j)}, counter.q_guess);
      if (!std::isfinite(at.position))
        reject(
            run.place(), 0, "",
            fmt::format(
                "at {:.3f} s the shaft of joint {} is at {:.6g} rad, where its lever's triangle does not close",
                run.times[k], joint + 1, angle),
            "rad of the motor's shaft, 0 where the joint is at 0");
      run.q(k, j) = at.position;
      run.dq(k, j) = at.speed;
      run.ddq(k, j) = at.acceleration;
    }
  }
  run.shafts.clear();
}

}  // namespace

ArmRun prepare(const ArmRun& run, const ArmRunOptions& options) {
  check_options(run, options);
  const double step = median_step(run.times);
  const Held held = internal::held_samples(run.times, run.q);
  const Held held_effort = internal::held_samples(run.times, run.effort);
  check_held(run, held, options);
  // A filter that has no future to look at is off for about two periods of its cut-off.
  const auto end = static_cast<Index>(std::ceil(2 / (options.cutoff_hz * step) - 1e-6));
  const std::vector<Index> starts = pieces_of(run, options.gap * step);
  ArmRun out = run;
  out.dq = out.ddq = run.q;
  out.uneven = 0;
  out.held = held.cast<double>().mean();
  if (out.held > most_held_unsaid)
    out.warnings.push_back(fmt::format(
        "{:.0f} % of its positions repeat the sample before while the joints move: only the first of "
        "each is taken for a measurement (log at the rate of the sensors)",
        100 * out.held));
  std::vector<Index> kept, breaks;
  for (std::size_t p = 0; p + 1 < starts.size(); ++p) {
    const Index from = starts[p], count = starts[p + 1] - from;
    if (count < 2 * end + 20) continue;
    const Eigen::VectorXd times = run.times.segment(from, count);
    const Eigen::MatrixXd q = run.q.middleRows(from, count);
    Held now_held = held.middleRows(from, count);
    now_held.row(0).setConstant(false);
    now_held.row(count - 1).setConstant(false);
    const Smoothed smooth = options.derivatives == ArmRunOptions::Derivatives::spline
                                ? splined(times, q, now_held)
                                : filtered(times, q, now_held, options);
    if (options.derivatives == ArmRunOptions::Derivatives::spline)
      check_spline(times, q, now_held, options, smooth, out);
    out.q.middleRows(from, count) = smooth.q;
    out.dq.middleRows(from, count) = smooth.dq;
    out.ddq.middleRows(from, count) = smooth.ddq;
    for (Index k = 1; k < count; ++k)
      out.uneven = std::max(out.uneven, std::abs(times[k] - times[k - 1] - step));
    if (!kept.empty()) breaks.push_back(static_cast<Index>(kept.size()));
    // Of efforts that are held at all joints the first alone is a measurement.
    for (Index k = from + end; k < from + count - end; ++k)
      if (!held_effort.row(k).all()) kept.push_back(k);
  }
  if (kept.empty())
    reject(run.place(), 0, "", fmt::format("has no {} samples in a row without a gap", 2 * end + 20),
           "a higher cut-off needs fewer");
  out.times = run.times(kept);
  for (auto member :
       {&ArmRun::q, &ArmRun::dq, &ArmRun::ddq, &ArmRun::effort, &ArmRun::wanted_effort, &ArmRun::wanted_torque})
    if ((out.*member).rows() > 0) out.*member = (out.*member)(kept, Eigen::all).eval();
  through_transmissions(out);
  out.breaks = breaks;
  out.trimmed = run.trimmed + static_cast<std::size_t>(run.samples()) - kept.size();
  return out;
}

}  // namespace fathom::identify
