#include "fathom/dynamics/internal/dual_newton.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

namespace fathom::dynamics::internal {
namespace {

constexpr int most_newton_steps = 40;
constexpr double dual_rounding = 1e-14;  // of the largest wrench: as good as zero
constexpr double least_share = 1e-12;    // of the curvature of all thrusters: keeps a step finite

}  // namespace

DualNewton::DualNewton(const Mat6X& A, const Eigen::VectorXd& inverse_weights,
                       std::span<const model::ForceRange> limits, double unit, Scratch& scratch)
    : A_(A),
      inverse_weights_(inverse_weights),
      limits_(limits),
      reach_(unit * std::sqrt(A.squaredNorm() * static_cast<double>(A.cols()))),
      s_(scratch) {}

double DualNewton::force(Eigen::Index i, double slope) const {
  const model::ForceRange& limit = limits_[static_cast<std::size_t>(i)];
  return std::clamp(inverse_weights_[i] * slope, limit.min, limit.max);
}

struct DualNewton::Look {
  Vec6 rest;       // y - A f(lambda), the slope of the dual function
  Mat6 curvature;  // sum of a_i a_i' / w_i over the forces between their limits
  double beyond;   // lambda' y less the most that lambda' A f can be: above zero y cannot be had
};

DualNewton::Look DualNewton::look(const Vec6& y, std::span<const char> held, const Eigen::VectorXd& f,
                                  const Vec6& lambda) const {
  Look result{y, Mat6::Zero(), lambda.dot(y)};
  for (Eigen::Index i = 0; i < A_.cols(); ++i) {
    const Vec6 a = A_.col(i);
    const double slope = s_.slope[i] = a.dot(lambda);
    const model::ForceRange& limit = limits_[static_cast<std::size_t>(i)];
    if (held[static_cast<std::size_t>(i)]) {
      result.rest -= f[i] * a;
      result.beyond -= f[i] * slope;
      continue;
    }
    const double wanted = inverse_weights_[i] * slope;
    result.rest -= std::clamp(wanted, limit.min, limit.max) * a;
    result.beyond -= slope * (slope > 0 ? limit.max : limit.min);
    if (wanted > limit.min && wanted < limit.max) {
      const Vec6 weighted = inverse_weights_[i] * a;
      result.curvature.noalias() += weighted * a.transpose();
    }
  }
  return result;
}

/// Where the dual function, concave and piecewise quadratic, is largest along the step: a root of its slope,
/// which falls.
double DualNewton::step_length(double y_rate, std::span<const char> held) const {
  const auto slope_at = [&](double t) {
    double sum = y_rate;  // without the held ones
    for (Eigen::Index i = 0; i < A_.cols(); ++i)
      if (!held[static_cast<std::size_t>(i)]) sum -= s_.rate[i] * force(i, s_.slope[i] + t * s_.rate[i]);
    return sum;
  };
  const double start = slope_at(0);
  double low = 0, at_low = start, high = 1, at_high = slope_at(1);
  for (int k = 0; k < 40 && at_high > 0.1 * start; ++k) {
    low = high;
    at_low = at_high;
    high *= 4;
    at_high = slope_at(high);
  }
  for (int k = 0; k < 8 && at_high < -0.1 * start; ++k) {
    const double middle = low + (high - low) * std::clamp(at_low / (at_low - at_high), 0.1, 0.9);
    const double there = slope_at(middle);
    (there > 0 ? low : high) = middle;
    (there > 0 ? at_low : at_high) = there;
  }
  return std::abs(at_high) <= at_low || low == 0 ? high : low;
}

bool DualNewton::solve(const Vec6& y, std::span<const char> held, Eigen::VectorXd& f) const {
  Mat6 whole = Mat6::Zero();
  for (Eigen::Index i = 0; i < A_.cols(); ++i) {
    const Vec6 weighted = inverse_weights_[i] * A_.col(i);
    whole.noalias() += weighted * A_.col(i).transpose();
  }
  // Rows of forces and of moments are each kept from being singular on their own scale; rows of zeros too.
  Vec6 least = least_share * whole.diagonal();
  least = least.cwiseMax(least_share * least_share * whole.trace());
  whole.diagonal() += least;
  Vec6 lambda = whole.ldlt().solve(y);
  for (int step = 0; step < most_newton_steps; ++step) {
    Look here = look(y, held, f, lambda);
    if (!here.rest.allFinite()) return false;
    if (here.rest.norm() <= dual_rounding * reach_) {
      for (Eigen::Index i = 0; i < A_.cols(); ++i)
        if (!held[static_cast<std::size_t>(i)]) f[i] = force(i, s_.slope[i]);
      return true;
    }
    if (here.beyond > dual_rounding * reach_ * lambda.norm()) return false;
    here.curvature.diagonal() += least;
    const Vec6 direction = here.curvature.ldlt().solve(here.rest);
    double y_rate = direction.dot(y);
    for (Eigen::Index i = 0; i < A_.cols(); ++i) {
      s_.rate[i] = A_.col(i).dot(direction);
      if (held[static_cast<std::size_t>(i)]) y_rate -= s_.rate[i] * f[i];
    }
    lambda += step_length(y_rate, held) * direction;
  }
  return false;
}

}  // namespace fathom::dynamics::internal
