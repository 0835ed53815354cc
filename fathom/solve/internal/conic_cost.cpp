#include "fathom/solve/internal/conic_cost.hpp"

#include <algorithm>
#include <cmath>

namespace fathom::solve::internal {
namespace {

using Eigen::VectorXd;
using Index = Eigen::Index;

constexpr double proximal = 1e-14;  // where P is flat: delta of docs/solvers.md, "Certificate"

}  // namespace

ConicCost::ConicCost(const VectorXd& unknown_scales) : ConicCost(unknown_scales.size()) {
  unknown_scales_ = unknown_scales;
}

ConicCost::ConicCost(Index n)
    : P_(n, n), b_(n), gradient_(n), u_(n), h_(n), Qh_(n), Qp_(n), r_(n), factor_(n) {}

void ConicCost::set(const ConicObjective& objective) {
  objective_ = &objective;
  has_Q_ = objective.Q.size() > 0;
  has_x0_ = has_Q_ && objective.x0.size() > 0;
  rho_ = objective.huber;
  P_ = objective.G;
  b_ = objective.b;
  c_ = objective.c;
  if (has_Q_) P_ += objective.Q;
  if (has_x0_) {
    Qh_.noalias() = objective.Q * objective.x0;
    b_ += Qh_;
    c_ += Qh_.dot(objective.x0);
  }
  is_factored_ = is_flat_ = false;
}

void ConicCost::copy_P() {
  for (Index j = 0; j < P_.cols(); ++j)
    for (Index i = j; i < P_.rows(); ++i) factor_.column(j)[i] = P_(i, j);
}

void ConicCost::factor() {
  is_factored_ = true;
  copy_P();
  is_flat_ = factor_.factor(flat_pivot) > 0;
  if (!is_flat_) return;
  copy_P();
  for (Index j = 0; j < P_.cols(); ++j) factor_.diagonal(j) += proximal * proximal_weight(j);
  factor_.factor();
}

/// Of the diagonal matrix D of docs/solvers.md, "Certificate".
double ConicCost::proximal_weight(Index j) const {
  return P_(j, j) > 0 ? P_(j, j) : reach2() / (unknown_scales_[j] * unknown_scales_[j]);
}

void ConicCost::evaluate(const VectorXd& x) {
  const ConicObjective& o = *objective_;
  if (!is_huber()) {
    gradient_ = -b_;
    gradient_.noalias() += P_ * x;
    f_ = c_ + x.dot(gradient_) - x.dot(b_);
    gradient_ *= 2;
    return;
  }
  u_ = -o.b;
  u_.noalias() += o.G * x;
  s_ = std::max(0.0, o.c + x.dot(u_) - x.dot(o.b));
  const bool bends = s_ > rho_ * rho_;
  const double root = std::sqrt(s_);
  kappa_ = bends ? rho_ / root : 1;
  beta_ = bends ? 2 * kappa_ / s_ : 0;
  f_ = bends ? 2 * rho_ * root - rho_ * rho_ : s_;
  gradient_ = 2 * kappa_ * u_;
  if (!has_Q_) return;
  h_ = x;
  if (has_x0_) h_ -= o.x0;
  Qh_.noalias() = o.Q * h_;
  f_ += h_.dot(Qh_);
  gradient_ += 2 * Qh_;
}

void ConicCost::set_hessian(Curvature curvature, TileCholesky& K) const {
  const Index n = P_.rows();
  const double beta = curvature == Curvature::true_one ? beta_ : 0;
  for (Index j = 0; j < n; ++j) {
    Eigen::Map<VectorXd> column(K.column(j) + j, n - j);
    if (!is_huber() || !is_bent()) {
      column = 2 * P_.col(j).tail(n - j);
      continue;
    }
    column = 2 * kappa_ * objective_->G.col(j).tail(n - j) - beta * u_[j] * u_.tail(n - j);
    if (has_Q_) column += 2 * objective_->Q.col(j).tail(n - j);
  }
}

bool ConicCost::is_flat() {
  if (!is_factored_) factor();
  return is_flat_;
}

double ConicCost::gap(VectorXd& r, double complementarity) {
  if (!is_factored_) factor();
  r_ = r;
  factor_.solve(r);  // p = P^-1 r
  if (is_huber()) return beyond() + huber_gap(r_, r, complementarity);
  return beyond() + complementarity + 0.25 * std::max(0.0, r_.dot(r));
}

/// docs/solvers.md eqs. 26 to 28.
double ConicCost::huber_gap(const VectorXd& r, const VectorXd& p, double complementarity) {
  const double up = u_.dot(p), pp = std::max(0.0, r.dot(p));
  const double hQp = has_Q_ ? Qh_.dot(p) : 0, hQh = has_Q_ ? Qh_.dot(h_) : 0;
  double pQp = 0;
  if (has_Q_) {
    Qp_.noalias() = objective_->Q * p;
    pQp = Qp_.dot(p);
  }
  const double L = hQh - 0.5 * hQp + kappa_ * s_ - 0.5 * up - 0.5 * complementarity;
  const double w2 = std::max(0.0, kappa_ * kappa_ * s_ - kappa_ * up + 0.25 * (pp - pQp));
  const double N = hQh - hQp + 0.25 * pQp + w2;
  const double at_one = complementarity + 0.25 * pp + (1 - kappa_) * up;
  if (!(N > 0)) return at_one;
  double tau = std::max(0.0, L / N);
  if (tau * tau * w2 > rho_ * rho_) tau = rho_ / std::sqrt(w2);
  return at_one - (tau - 1) * (2 * L - (tau + 1) * N);
}

double ConicCost::rounding() const { return 16 * epsilon * c_ + 2 * beyond(); }

double ConicCost::beyond() const { return is_flat_ ? proximal * reach2() : 0; }

void ConicCost::free_optimum(VectorXd& x) {
  if (!is_factored_) factor();
  x = b_;
  factor_.solve(x);
  if (!is_flat_) return;
  for (Index i = 0; i < x.size(); ++i) {
    const double most = std::sqrt(reach2() / proximal_weight(i));
    x[i] = std::clamp(x[i], -most, most);
  }
}

double ConicCost::norm(const VectorXd& v) const {
  double sum = 0;
  for (Index i = 0; i < v.size(); ++i)
    if (P_(i, i) > 0) sum += v[i] * v[i] / P_(i, i);
  return std::sqrt(sum);
}

}  // namespace fathom::solve::internal
