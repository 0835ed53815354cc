#include "fathom/model/dissipation.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "fathom/base/constants.hpp"
#include "fathom/base/random.hpp"
#include "fathom/geometry/spectrum.hpp"

namespace fathom::model {
namespace {

constexpr double rounding = 1e-12;  // relative to the largest entry: what a sum of rounded numbers may lose

Mat6 symmetric_part(const Mat6& m) { return 0.5 * (m + m.transpose()); }

double smallest_eigenvalue(const Mat6& symmetric, Vec6* vector = nullptr) {
  Mat6 vectors;
  const Vec6 values = symmetric_eigenvalues(symmetric, vector ? &vectors : nullptr);
  if (vector) *vector = vectors.col(0);
  return values[0];
}

/// Units differ between rows; scaling each velocity by the drag it meets makes the sphere a fair place to
/// search. A velocity without drag of its own counts by its largest cross term.
Vec6 velocity_scales(const QuadraticDrag& quadratic) {
  Vec6 own = Vec6::Zero(), cross = Vec6::Zero();
  for (const Mat6& Q : quadratic.by_speed) {
    own += Q.diagonal().cwiseAbs();
    cross += Q.cwiseAbs().rowwise().maxCoeff() + Q.cwiseAbs().colwise().maxCoeff().transpose();
  }
  const double floor = 1e-9 * cross.maxCoeff();
  return (own.array() > floor).select(own, cross.cwiseMax(floor)).cwiseSqrt().cwiseInverse();
}

QuadraticDrag scaled_symmetric(const QuadraticDrag& quadratic, const Vec6& scales) {
  QuadraticDrag result;
  for (std::size_t j = 0; j < 6; ++j)
    result.by_speed[j] = scales[static_cast<Eigen::Index>(j)] *
                         (scales.asDiagonal() * symmetric_part(quadratic.by_speed[j]) * scales.asDiagonal());
  return result;
}

double power_and_gradient(const QuadraticDrag& q, const Vec6& nu, Vec6* gradient) {
  double power = 0;
  if (gradient) gradient->setZero();
  for (std::size_t j = 0; j < 6; ++j) {
    const double speed = nu[static_cast<Eigen::Index>(j)];
    const Vec6 force = q.by_speed[j] * nu;
    const double form = nu.dot(force);
    power += std::abs(speed) * form;
    if (!gradient) continue;
    *gradient += 2 * std::abs(speed) * force;
    (*gradient)[static_cast<Eigen::Index>(j)] += std::copysign(1.0, speed) * form;
  }
  return power;
}

/// Gradient descent on the sphere with halved steps until nothing improves.
double descend(const QuadraticDrag& q, Vec6& nu) {
  Vec6 gradient;
  double power = power_and_gradient(q, nu, &gradient);
  double step = 0.5;
  for (int iteration = 0; iteration < 500 && step > 1e-10; ++iteration) {
    const Vec6 tangent = gradient - gradient.dot(nu) * nu;
    const double length = tangent.norm();
    if (length < 1e-14) break;
    const Vec6 trial = (nu - step * tangent / length).normalized();
    Vec6 trial_gradient;
    const double trial_power = power_and_gradient(q, trial, &trial_gradient);
    if (trial_power < power) {
      nu = trial;
      power = trial_power;
      gradient = trial_gradient;
      step *= 1.5;
    } else {
      step *= 0.5;
    }
  }
  return power;
}

/// Where a search should begin: the directions that each Q_j likes least, alone and with some of its own speed,
/// and points of every pair of opposite orthants (nu and -nu have the same power).
std::vector<Vec6> starts(const QuadraticDrag& q) {
  std::vector<Vec6> list;
  for (std::size_t j = 0; j < 6; ++j) {
    Mat6 vectors;
    symmetric_eigenvalues(q.by_speed[j], &vectors);
    for (int k = 0; k < 6; ++k)
      for (const double own : {0.0, 0.3, -0.3})
        list.push_back((vectors.col(k) + own * Vec6::Unit(static_cast<Eigen::Index>(j))).normalized());
  }
  RandomStream random(1, "dissipation");
  for (int orthant = 0; orthant < 32; ++orthant) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      Vec6 nu;
      for (int j = 0; j < 6; ++j) {
        const double size = repeat == 0 ? 1 : random.uniform();
        nu[j] = ((orthant >> j) & 1) != 0 ? -size : size;
      }
      list.push_back(nu.normalized());
    }
  }
  return list;
}

}  // namespace

double smallest_quadratic_power(const QuadraticDrag& quadratic, Vec6* at_nu) {
  Vec6 best_nu = Vec6::Unit(0);
  double best = 0;
  const Vec6 scales = velocity_scales(quadratic);
  if (scales.allFinite()) {  // else there is no quadratic drag at all
    best = infinity;
    const QuadraticDrag scaled = scaled_symmetric(quadratic, scales);
    const QuadraticDrag plain = scaled_symmetric(quadratic, Vec6::Ones());
    for (Vec6 nu : starts(scaled)) {
      descend(scaled, nu);  // finds the valley whatever the units ...
      nu = scales.cwiseProduct(nu).normalized();
      const double power = descend(plain, nu);  // ... and this its lowest point on the unit sphere
      if (power >= best) continue;
      best = power;
      best_nu = nu;
    }
  }
  if (at_nu) *at_nu = best_nu;
  return best;
}

Dissipation check_dissipation(const Mat6& linear, const QuadraticDrag& quadratic) {
  Dissipation result;
  const Mat6 linear_part = symmetric_part(linear);
  Vec6 direction;
  const double linear_power = smallest_eigenvalue(linear_part, &direction);
  if (linear_power < -rounding * linear.cwiseAbs().maxCoeff()) {
    result.witness_nu = direction;
    result.witness_power = linear_power;
    result.witness_is_linear = true;
    return result;
  }

  result.certified = true;
  double largest = 0;
  for (const Mat6& Q : quadratic.by_speed) {
    largest = std::max(largest, Q.cwiseAbs().maxCoeff());
    if (smallest_eigenvalue(symmetric_part(Q)) < -rounding * Q.cwiseAbs().maxCoeff()) result.certified = false;
  }
  if (result.certified) return result;

  const double power = smallest_quadratic_power(quadratic, &direction);
  if (power < -rounding * largest) {
    result.witness_nu = direction;
    result.witness_power = power;
  }
  return result;
}

}  // namespace fathom::model
