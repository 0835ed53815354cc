#include "fathom/solve/internal/conic_flat.hpp"

#include <algorithm>
#include <cmath>

namespace fathom::solve::internal {
namespace {

using Eigen::VectorXd;
using Index = Eigen::Index;

constexpr double noise = 1e-10;          // of what is left of P, scaled to a unit diagonal, after all pivots
constexpr double free_pivot = 1e-14;     // of the barrier's Hessian: below, nothing holds the direction
constexpr double far_away = 1e10;        // growth of a slack
constexpr double least_decrement = 0.9;  // below one there is a nearest centre, so the directions are bounded
constexpr double longest_share = 1e3;
constexpr int most_steps = 200;

}  // namespace

FlatDirections::FlatDirections(const Cones& cones)
    : cones_(cones), order_(cones.unknowns()), factor_(cones.unknowns()), full_(cones.unknowns()) {
  const Index n = cones.unknowns();
  for (Eigen::MatrixXd* A : {&L_, &basis_, &H_, &HN_, &reduced_}) A->setZero(n, n);
  for (VectorXd* v : {&unit_, &x_, &x_try_, &dx_, &gradient_, &d_}) v->setZero(n);
  for (VectorXd* v : {&S_, &V_, &S_first_, &S_try_, &V_try_, &dS_}) v->setZero(cones.stack_size());
}

/// Cholesky factor with pivots, of L_ scaled to a unit diagonal: its columns in `order_`, until what is left is
/// rounding error.
void FlatDirections::find_pivots() {
  const Index n = order_.size();
  for (Index j = 0; j < n; ++j) order_[j] = static_cast<int>(j);
  Index rank = 0;
  for (; rank < n; ++rank) {
    Index best = 0;
    const double pivot = L_.diagonal().tail(n - rank).maxCoeff(&best);
    if (!(pivot > flat_pivot)) break;
    best += rank;
    std::swap(order_[rank], order_[best]);
    L_.row(rank).swap(L_.row(best));
    L_.col(rank).swap(L_.col(best));
    L_(rank, rank) = std::sqrt(pivot);
    const Index rest = n - rank - 1;
    L_.col(rank).tail(rest) /= L_(rank, rank);
    for (Index j = rank + 1; j < n; ++j) {
      L_.col(j).tail(rest) -= L_(j, rank) * L_.col(rank).tail(rest);
      L_(rank, j) = L_(j, rank);
    }
  }
  count_ = n - rank;
}

bool FlatDirections::find(const Eigen::MatrixXd& P) {
  const Index n = P.rows();
  for (Index i = 0; i < n; ++i) unit_[i] = P(i, i) > 0 ? 1 / std::sqrt(P(i, i)) : 1;
  for (Index j = 0; j < n; ++j) L_.col(j) = unit_[j] * unit_.cwiseProduct(P.col(j));
  find_pivots();
  // What no pivot is left for has no diagonal to speak of: its other entries would make it indefinite.
  if (count_ > 0 && L_.bottomRightCorner(count_, count_).cwiseAbs().maxCoeff() > noise) return false;
  find_basis();
  return true;
}

/// Columns of basis_: one per direction, the unknown without a pivot being one.
void FlatDirections::find_basis() {
  const Index rank = order_.size() - count_;
  basis_.setZero();
  for (Index k = 0; k < count_; ++k) {
    dx_.head(rank) = -L_.row(rank + k).head(rank).transpose();
    for (Index i = rank - 1; i >= 0; --i)
      dx_[i] =
          (dx_[i] - L_.col(i).segment(i + 1, rank - i - 1).dot(dx_.segment(i + 1, rank - i - 1))) / L_(i, i);
    for (Index i = 0; i < rank; ++i) basis_(order_[i], k) = unit_[order_[i]] * dx_[i];
    basis_(order_[rank + k], k) = unit_[order_[rank + k]];
  }
}

bool FlatDirections::lead_away(const VectorXd& x) {
  x_ = x;
  S_ = cones_.constant();
  cones_.add(x_, S_);
  S_first_ = S_;
  if (count_ == 0 || !cones_.invert(S_, V_, &log_det_)) return false;
  for (int k = 0; k < most_steps; ++k) {
    const Verdict verdict = step();
    if (verdict != Verdict::open) return verdict == Verdict::away;
  }
  return true;
}

/// One of Newton's steps for the largest det S among the flat directions.
FlatDirections::Verdict FlatDirections::step() {
  const Index n = x_.size(), k = count_;
  full_.set_zero();
  cones_.add_hessian(V_, V_, full_);
  for (Index j = 0; j < n; ++j)
    for (Index i = j; i < n; ++i) H_(i, j) = H_(j, i) = full_.column(j)[i];
  HN_.leftCols(k).noalias() = H_.lazyProduct(basis_.leftCols(k));
  reduced_.topLeftCorner(k, k).noalias() = basis_.leftCols(k).transpose().lazyProduct(HN_.leftCols(k));
  factor_.set_zero();
  for (Index j = 0; j < n; ++j)
    for (Index i = j; i < n; ++i) factor_.column(j)[i] = i < k ? reduced_(i, j) : (i == j ? 1 : 0);
  if (factor_.factor(free_pivot) > 0) return Verdict::away;
  cones_.adjoint(V_, gradient_);
  d_.setZero();
  d_.head(k).noalias() = basis_.leftCols(k).transpose() * gradient_;
  dx_ = d_;
  factor_.solve(d_);
  const double decrement = std::sqrt(std::max(0.0, d_.dot(dx_)));
  if (decrement < least_decrement) return Verdict::bounded;
  dx_.noalias() = basis_.leftCols(k) * d_.head(k);
  move(decrement);
  return (S_.array().abs() > far_away * S_first_.array().abs().maxCoeff()).any() ? Verdict::away
                                                                                 : Verdict::open;
}

/// Half of the way to the boundary where det S rises by that, else the step that is certain to raise it.
void FlatDirections::move(double decrement) {
  dS_.setZero();
  cones_.add(dx_, dS_);
  const double certain = 1 / (1 + decrement);
  const double bold = std::max(certain, 0.5 * cones_.share_inside(S_, dS_, longest_share));
  for (const double share : {bold, certain}) {
    x_try_ = x_ + share * dx_;
    S_try_ = cones_.constant();
    cones_.add(x_try_, S_try_);
    double log_det = 0;
    if (!cones_.invert(S_try_, V_try_, &log_det) || (share != certain && log_det < log_det_ + 0.1)) continue;
    log_det_ = log_det;
    break;
  }
  x_.swap(x_try_);
  S_.swap(S_try_);
  V_.swap(V_try_);
}

}  // namespace fathom::solve::internal
