#include "fathom/filter/zero_phase.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/gaussian_taps.hpp"

namespace fathom::filter {
namespace {

constexpr int highest_order = 16;
constexpr double settling = 7;  // of the slowest pole: e^-7 is 1e-3
constexpr double reach_in_sigmas = 4;

Eigen::MatrixXd seen_through(const Eigen::VectorXd& kernel, Eigen::Index step,
                             const Eigen::Ref<const Eigen::MatrixXd>& rows) {
  if (step < 1) reject("gaussian.step", fmt::format("= {}, must be at least 1", step), "samples");
  if (rows.cols() < kernel.size())
    reject("gaussian", fmt::format("sees {} samples at a time, got {}", kernel.size(), rows.cols()),
           "a longer series, or a smaller sigma");
  Eigen::MatrixXd out(rows.rows(), (rows.cols() - kernel.size()) / step + 1);
  for (Eigen::Index i = 0; i < out.cols(); ++i)
    out.col(i).noalias() = rows.middleCols(i * step, kernel.size()) * kernel;
  return out;
}

}  // namespace

Butterworth::Butterworth(int order, double cutoff_hz, double dt) : least_(3 * (order + 1)) {
  if (order < 1 || order > highest_order)
    reject("butterworth.order", fmt::format("= {}, must be 1 to {}", order, highest_order), "");
  if (!(dt > 0 && cutoff_hz > 0 && cutoff_hz < 0.5 / dt))
    reject("butterworth.cutoff_hz", fmt::format("= {}, must be > 0 and below {}", cutoff_hz, 0.5 / dt),
           "half the sampling rate is the limit");
  const double w = std::tan(std::numbers::pi * cutoff_hz * dt);  // the bilinear transform keeps the cut-off
  const double slowest = 2 * std::numbers::pi * cutoff_hz * std::sin(std::numbers::pi / (2 * order));  // 1/s
  extension_ = std::max(least_, static_cast<Eigen::Index>(std::ceil(settling / (slowest * dt))));
  for (int k = 0; k < order / 2; ++k) {
    const double damping = 2 * std::sin(std::numbers::pi * (2 * k + 1) / (2 * order));  // of a pair of poles
    const double a0 = 1 + damping * w + w * w, gain = w * w / a0;
    sections_.push_back({gain, 2 * gain, gain, 2 * (w * w - 1) / a0, (1 - damping * w + w * w) / a0});
  }
  if (order % 2 == 1) {
    const double a0 = 1 + w;
    sections_.push_back({w / a0, w / a0, 0, (w - 1) / a0, 0});
  }
}

/// Transposed direct form II, each section beginning in the steady state of the first value; its gain at rest
/// is one.
void Butterworth::run(Eigen::VectorXd& x) const {
  for (const Section& s : sections_) {
    double z2 = (s.b2 - s.a2) * x[0], z1 = (s.b1 - s.a1) * x[0] + z2;
    for (double& value : x) {
      const double in = value, out = s.b0 * in + z1;
      z1 = s.b1 * in - s.a1 * out + z2;
      z2 = s.b2 * in - s.a2 * out;
      value = out;
    }
  }
}

Eigen::MatrixXd Butterworth::apply(const Eigen::Ref<const Eigen::MatrixXd>& rows) const {
  const Eigen::Index n = rows.cols(), e = std::min(extension_, n - 1);
  if (n <= least_)
    reject("butterworth", fmt::format("{} samples, more than {} are needed", n, least_), "a longer log");
  Eigen::MatrixXd out(rows.rows(), n);
  Eigen::VectorXd x(n + 2 * e);
  for (Eigen::Index row = 0; row < rows.rows(); ++row) {
    x.segment(e, n) = rows.row(row).transpose();
    for (Eigen::Index k = 1; k <= e; ++k) {  // odd about the ends
      x[e - k] = 2 * rows(row, 0) - rows(row, k);
      x[e + n - 1 + k] = 2 * rows(row, n - 1) - rows(row, n - 1 - k);
    }
    run(x);
    x.reverseInPlace();
    run(x);
    x.reverseInPlace();
    out.row(row) = x.segment(e, n).transpose();
  }
  return out;
}

Gaussian::Gaussian(double sigma, double dt) {
  if (!(dt > 0 && std::isfinite(dt))) reject("gaussian.dt", fmt::format("= {}, must be > 0", dt), "");
  if (!(sigma >= 0.5 * dt && std::isfinite(sigma)))
    reject("gaussian.sigma", fmt::format("= {}, must be at least half of dt = {}", sigma, dt), "seconds");
  const auto reach = static_cast<Eigen::Index>(std::floor(reach_in_sigmas * sigma / dt + 1e-9));
  const GaussianTaps taps(sigma, dt, reach);
  smooth_ = taps.value.tail(reach + 1);
  slope_ = taps.rate.tail(reach + 1);
}

Eigen::MatrixXd Gaussian::smooth(const Eigen::Ref<const Eigen::MatrixXd>& rows) const {
  const Eigen::Index last = rows.cols() - 1;
  Eigen::MatrixXd out = smooth_[0] * rows;
  for (Eigen::Index i = 0; i <= last; ++i)
    for (Eigen::Index k = 1; k <= reach(); ++k)
      out.col(i) += smooth_[k] * (rows.col(std::max<Eigen::Index>(0, i - k)) + rows.col(std::min(last, i + k)));
  return out;
}

Eigen::MatrixXd Gaussian::slope(const Eigen::Ref<const Eigen::MatrixXd>& rows) const {
  const Eigen::Index last = rows.cols() - 1;
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(rows.rows(), rows.cols());
  for (Eigen::Index i = 0; i <= last; ++i)
    for (Eigen::Index k = 1; k <= reach(); ++k)
      out.col(i) += slope_[k] * (rows.col(std::min(last, i + k)) - rows.col(std::max<Eigen::Index>(0, i - k)));
  return out;
}

Eigen::MatrixXd Gaussian::smooth_every(Eigen::Index step, const Eigen::Ref<const Eigen::MatrixXd>& rows) const {
  Eigen::VectorXd kernel(2 * reach() + 1);
  kernel << smooth_.tail(reach()).reverse(), smooth_;
  return seen_through(kernel, step, rows);
}

Eigen::MatrixXd Gaussian::slope_every(Eigen::Index step, const Eigen::Ref<const Eigen::MatrixXd>& rows) const {
  Eigen::VectorXd kernel(2 * reach() + 1);
  kernel << -slope_.tail(reach()).reverse(), slope_;
  return seen_through(kernel, step, rows);
}

std::vector<char> Gaussian::usable(const std::vector<char>& inputs) const {
  const auto n = static_cast<Eigen::Index>(inputs.size());
  std::vector<char> out(inputs.size(), 0);
  Eigen::Index run = 0;  // usable inputs up to here
  for (Eigen::Index i = 0; i < n; ++i) {
    run = inputs[static_cast<std::size_t>(i)] ? run + 1 : 0;
    if (run > 2 * reach()) out[static_cast<std::size_t>(i - reach())] = 1;
  }
  return out;
}

}  // namespace fathom::filter
