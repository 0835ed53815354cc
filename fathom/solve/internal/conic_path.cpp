#include "fathom/solve/internal/conic_path.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/base/constants.hpp"

namespace fathom::solve::internal {
namespace {

using Eigen::VectorXd;

constexpr double to_edge = 0.98;         // of the way, at most
constexpr double armijo = 1e-4;          // of the fall that the slope promises
constexpr double shortest_share = 1e-9;  // shorter steps are rounding error
constexpr int most_cuts = 40;

}  // namespace

ConicPath::ConicPath(const Cones& cones, ConicCost& cost) : cones_(cones), cost_(cost), K_(cones.unknowns()) {
  for (VectorXd* v : {&x_, &x_try_, &x_between_, &dx_, &r_, &AV_}) v->setZero(cones.unknowns());
  for (VectorXd* v :
       {&S_, &V_, &Z_, &S_try_, &V_try_, &Z_try_, &dS_, &dZ_, &correction_, &dS_predicted_, &S_before_})
    v->setZero(cones.stack_size());
}

bool ConicPath::place(const VectorXd& x, double share) {
  x_ = x;
  S_ = cones_.constant();
  cones_.add(x_, S_);
  if (!cones_.invert(S_, V_, &log_det_)) return false;
  cost_.evaluate(x_);
  const double f = std::max(cost_.f(), cost_.rounding());
  Z_ = (share * std::max(f, 1e-300) / std::max(1.0, cones_.degree())) * V_;
  iterations_ = 0;
  is_between_known_ = false;
  gap_ = infinity;
  return true;
}

double ConicPath::share_inside(const VectorXd& dx) {
  dS_.setZero();
  cones_.add(dx, dS_);
  return cones_.share_inside(S_, dS_, 1);
}

ConicStatus ConicPath::run(const ConicOptions& options) {
  const ConicStatus status = iterate(options);
  if (iterations_ == 0) {
    factor(Curvature::true_one);
    predict();
    S_before_ = S_;
  }
  return status;
}

ConicStatus ConicPath::iterate(const ConicOptions& options) {
  for (;; ++iterations_) {
    if (is_optimal(options)) return ConicStatus::solved;
    if (iterations_ == options.most_iterations) return ConicStatus::iteration_limit;
    if (!step(Curvature::true_one) && !(cost_.is_huber() && step(Curvature::at_most)))
      return ConicStatus::stalled;
  }
}

void ConicPath::factor(Curvature curvature) {
  cost_.set_hessian(curvature, K_);
  cones_.add_hessian(V_, Z_, K_);
  K_.factor();
}

/// Where Huber bends, the true Hessian is flat along the residual and may lead far astray; then one that no
/// point exceeds leads downhill, and without the corrector.
bool ConicPath::step(Curvature curvature) {
  factor(curvature);
  predict();
  if (curvature == Curvature::at_most) correction_.setZero();
  correct();
  return move(curvature == Curvature::at_most ? most_cuts : 1);
}

/// docs/solvers.md eq. 25.
bool ConicPath::is_optimal(const ConicOptions& options) {
  cones_.adjoint(Z_, r_);
  const double complementarity = S_.dot(Z_);
  mu_ = complementarity / std::max(1.0, cones_.degree());
  if (!is_between_known_ && complementarity <= cost_.f()) {
    x_between_ = x_;
    is_between_known_ = true;
  }
  const auto enough = [&] {
    return std::max({options.relative_gap * std::abs(cost_.f()), options.absolute_gap, cost_.rounding()});
  };
  if (complementarity > enough() && iterations_ < options.most_iterations) return false;
  const double size = cost_.norm(cost_.gradient()) + cost_.norm(r_);
  r_ = cost_.gradient() - r_;
  stationarity_ = size > 0 ? cost_.norm(r_) / size : 0;
  gap_ = cost_.gap(r_, complementarity);
  return gap_ <= enough();
}

/// Solves K dx = rhs in place, dx holding the right side before; with it dS and dZ: docs/solvers.md eqs.
/// 19, 20. dZ comes as what does not depend on dx.
void ConicPath::solve_step() {
  K_.solve(dx_);
  dS_.setZero();
  cones_.add(dx_, dS_);
  cones_.product(V_, dS_, Z_, Z_try_);
  dZ_ -= Z_try_;
}

void ConicPath::predict() {
  dx_ = -cost_.gradient();
  dZ_ = -Z_;
  solve_step();
  const double share = std::min(cones_.share_inside(S_, dS_, 1), cones_.share_inside(Z_, dZ_, 1));
  const double left = std::max(0.0, (S_ + share * dS_).dot(Z_ + share * dZ_) / std::max(1.0, cones_.degree()));
  const double ratio = mu_ > 0 ? left / mu_ : 0;
  target_ = ratio * ratio * ratio * mu_;
  cones_.product(V_, dS_, dZ_, correction_);
  dS_predicted_.swap(dS_);
}

void ConicPath::correct() {
  correction_ = target_ * V_ - correction_;
  cones_.adjoint(correction_, AV_);
  dx_ = AV_ - cost_.gradient();
  dZ_ = correction_ - Z_;
  solve_step();
  S_before_ = S_;
}

/// x and Z go the same share of the step, so that r falls by it.
bool ConicPath::move(int cuts) {
  const double longest = 1 / to_edge;
  double share = cones_.share_inside(S_, dS_, longest);
  share = to_edge * std::min(share, cones_.share_inside(Z_, dZ_, share));
  if (!move_primal(share, cuts)) return false;
  Z_ += std::min(share, share_) * dZ_;
  return true;
}

/// Armijo's condition on f - target log det S where Huber bends; elsewhere f is a parabola, and the step is
/// taken as it is.
bool ConicPath::move_primal(double share, int cuts) {
  const bool is_huber = cost_.is_huber(), was_bent = is_huber && cost_.is_bent();
  const double before = merit(cost_.f(), log_det_);
  double slope = 0;
  if (is_huber) {
    cones_.adjoint(V_, AV_);
    slope = dx_.dot(cost_.gradient()) - target_ * dx_.dot(AV_);
  }
  for (int tries = is_huber ? cuts : most_cuts; tries > 0 && share > shortest_share; --tries, share *= 0.5) {
    x_try_ = x_ + share * dx_;
    S_try_ = cones_.constant();
    cones_.add(x_try_, S_try_);
    if (!cones_.invert(S_try_, V_try_, is_huber ? &log_det_try_ : nullptr)) continue;
    cost_.evaluate(x_try_);
    const double allowed = before + armijo * share * std::min(slope, 0.0) + cost_.rounding();
    if ((was_bent || (is_huber && cost_.is_bent())) && merit(cost_.f(), log_det_try_) > allowed) continue;
    x_.swap(x_try_);
    S_.swap(S_try_);
    V_.swap(V_try_);
    log_det_ = log_det_try_;
    share_ = share;
    return true;
  }
  cost_.evaluate(x_);
  return false;
}

}  // namespace fathom::solve::internal
