#include "fathom/model/dissipation.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "fathom/base/random.hpp"

namespace fathom::model {
namespace {

constexpr double rounding = 1e-12;  // relative to the largest entry: what a sum of rounded numbers may lose

Mat6 symmetric_part(const Mat6& m) { return 0.5 * (m + m.transpose()); }

double smallest_eigenvalue(const Mat6& symmetric, Vec6* vector = nullptr) {
  const Eigen::SelfAdjointEigenSolver<Mat6> eigen(symmetric);
  if (vector) *vector = eigen.eigenvectors().col(0);
  return eigen.eigenvalues()[0];
}

/// Units differ between rows; scaling each velocity by its own drag makes the sphere a fair place to search.
Vec6 velocity_scales(const QuadraticDrag& quadratic) {
  double largest = 0;
  for (const Mat6& Q : quadratic.by_speed) largest = std::max(largest, Q.cwiseAbs().maxCoeff());
  Vec6 scales;
  for (int j = 0; j < 6; ++j) {
    const double own = std::abs(quadratic.by_speed[static_cast<std::size_t>(j)](j, j));
    scales[j] = 1 / std::cbrt(std::max(own, 1e-6 * largest));
  }
  return scales;
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
  for (int iteration = 0; iteration < 200 && step > 1e-9; ++iteration) {
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

}  // namespace

double smallest_quadratic_power(const QuadraticDrag& quadratic, Vec6* at_nu) {
  const Vec6 scales = velocity_scales(quadratic);
  if (!scales.allFinite()) {  // no quadratic drag at all
    if (at_nu) *at_nu = Vec6::Unit(0);
    return 0;
  }
  const QuadraticDrag q = scaled_symmetric(quadratic, scales);

  double best = std::numeric_limits<double>::infinity();
  Vec6 best_nu = Vec6::Unit(0);
  const auto try_from = [&](Vec6 nu) {
    nu.normalize();
    const double power = descend(q, nu);
    if (power < best) {
      best = power;
      best_nu = nu;
    }
  };
  for (std::size_t j = 0; j < 6; ++j) {
    const Eigen::SelfAdjointEigenSolver<Mat6> eigen(q.by_speed[j]);
    for (int k = 0; k < 6; ++k)
      try_from(eigen.eigenvectors().col(k) + 0.3 * Vec6::Unit(static_cast<Eigen::Index>(j)));
  }
  RandomStream random(1, "dissipation");
  for (int orthant = 0; orthant < 32; ++orthant) {  // nu and -nu have the same power: half of the 64
    for (int repeat = 0; repeat < 4; ++repeat) {
      Vec6 nu;
      for (int j = 0; j < 6; ++j) {
        const double size = repeat == 0 ? 1 : random.uniform();
        nu[j] = ((orthant >> j) & 1) != 0 ? -size : size;
      }
      try_from(nu);
    }
  }
  const Vec6 nu = scales.cwiseProduct(best_nu);
  const double length = nu.norm();
  if (at_nu) *at_nu = nu / length;
  return best / (length * length * length);
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
