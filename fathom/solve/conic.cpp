#include "fathom/solve/conic.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/solve/internal/check.hpp"
#include "fathom/solve/internal/conic_cones.hpp"
#include "fathom/solve/internal/conic_inner.hpp"
#include "fathom/solve/internal/conic_path.hpp"

namespace fathom::solve::internal {
namespace {

/// Directions d of no cost, P d = 0, and whether one of them leads away within the cones, A(d) >= 0.
class FlatDirections {
 public:
  explicit FlatDirections(const Cones& cones);

  /// False where P has a direction of negative curvature.
  bool find(const Eigen::MatrixXd& P);
  /// Of the P of find(), from a point with S(x) > 0. docs/solvers.md, "Directions of no cost".
  bool lead_away(const Eigen::VectorXd& x);

 private:
  enum class Verdict { open, bounded, away };
  void find_pivots();
  void find_basis();
  Verdict step();
  void move(double decrement);

  const Cones& cones_;
  Eigen::Index count_ = 0;  // of flat directions
  Eigen::MatrixXd L_, basis_, H_, HN_, reduced_;
  Eigen::VectorXi order_;
  TileCholesky factor_, full_;
  Eigen::VectorXd unit_, x_, x_try_, dx_, gradient_, d_, S_, V_, S_first_, S_try_, V_try_, dS_;
  double log_det_ = 0;
};

using Eigen::VectorXd;
using Index = Eigen::Index;

constexpr double noise = 1e-10;          // of what is left of P, scaled to a unit diagonal, after all pivots
constexpr double free_pivot = 1e-14;     // of the barrier's Hessian: below, nothing holds the direction
constexpr double far_away = 1e10;        // growth of a slack
constexpr double least_decrement = 0.9;  // below one there is a nearest centre, so the directions are bounded
constexpr double longest_share = 1e3;
constexpr int most_steps = 200;

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

}  // namespace

}  // namespace fathom::solve::internal

namespace fathom::solve {
namespace {

using Eigen::VectorXd;

constexpr double cold_share = 0.1, warm_share = 1e-2;  // of f: the first <S, Z>
constexpr double blend = 0.03;                         // towards the inner point, at first
constexpr double grown_share = 0.9;                    // of the way that keeps S > 0
constexpr double taken = 2;  // active: the step to the optimum takes more than half of the slack

ConicSet checked(ConicSet set) {
  internal::check(set);
  return set;
}

}  // namespace

class ConicSolver::Work {
 public:
  Work(ConicSet given, const ConicOptions& given_options)
      : set(checked(std::move(given))),
        options(given_options),
        scales(internal::scales_of(set)),
        cones(set),
        cost(scales.unknowns),
        path(cones, cost),
        flat(cones),
        inner(internal::find_inner_point(set, scales)),
        start(inner.x),
        between(inner.x) {
    internal::check(options);
    result.x = inner.x;
    for (const MatrixInequality& matrix : set.matrices)
      result.Z.push_back(Eigen::MatrixXd::Zero(matrix.constant.rows(), matrix.constant.rows()));
    result.z.setZero(static_cast<Eigen::Index>(set.scalars.size()));
    result.matrix_active.assign(set.matrices.size(), false);
    result.scalar_active.assign(set.scalars.size(), false);
  }

  const ConicResult& solve(const ConicObjective& objective, const VectorXd* last);

  const ConicSet set;
  ConicResult result;

 private:
  void place(const VectorXd* last);
  void place_cold();
  void write_multipliers(const VectorXd& Z);
  void write_active();

  const ConicOptions options;
  const internal::ConicScales scales;
  const internal::Cones cones;
  internal::ConicCost cost;
  internal::ConicPath path;
  internal::FlatDirections flat;
  const internal::InnerPointOfCones inner;
  VectorXd start, between;  // `between`: inner.x, or what the last cold solve met on its way
};

/// docs/solvers.md eqs. 29, 30.
void ConicSolver::Work::place(const VectorXd* last) {
  if (last != nullptr)
    for (double theta = blend; theta < 1; theta *= 2) {
      start = (1 - theta) * *last + theta * between;
      if (path.place(start, warm_share)) return;
    }
  place_cold();
}

/// The set alone does not tell how large the unknowns will be; the free optimum does.
void ConicSolver::Work::place_cold() {
  path.place(inner.x, cold_share);
  cost.free_optimum(start);
  for (Eigen::Index i = 0; i < start.size(); ++i) {
    const double grown = std::max(std::abs(inner.x[i]), std::abs(start[i]));
    start[i] = std::copysign(grown, inner.x[i]) - inner.x[i];
    if (inner.x[i] == 0 || !cones.is_on_diagonal(i)) start[i] = 0;
  }
  const double share = grown_share * path.share_inside(start);
  start = inner.x + share * start;
  if (!path.place(start, cold_share)) path.place(inner.x, cold_share);
}

const ConicResult& ConicSolver::Work::solve(const ConicObjective& objective, const VectorXd* last) {
  internal::check(objective, set.unknowns);
  if (last != nullptr) internal::check_point("last", *last, set.unknowns);
  if (!inner.found) {
    result.status = ConicStatus::infeasible;
    result.infeasibility = inner.infeasibility;
    write_multipliers(inner.Z);
    return result;
  }
  cost.set(objective);
  const bool is_flat = cost.is_flat();
  if (is_flat && !flat.find(cost.P())) internal::reject_indefinite(objective);
  place(last);
  result.status = path.run(options);
  if (is_flat && flat.lead_away(path.x())) result.status = ConicStatus::unbounded;
  if (last == nullptr && result.status == ConicStatus::solved && path.is_between_known())
    between = path.x_between();
  result.x = path.x();
  result.f = cost.f();
  result.gap = path.gap();
  result.iterations = path.iterations();
  result.stationarity = path.stationarity();
  const double f = std::max(std::abs(cost.f()), std::numeric_limits<double>::min());
  result.complementarity = path.complementarity() / f;
  write_multipliers(path.Z());
  write_active();
  return result;
}

void ConicSolver::Work::write_multipliers(const VectorXd& Z) {
  for (std::size_t k = 0; k < result.Z.size(); ++k) {
    const internal::Cones::Block& block = cones.blocks()[k];
    result.Z[k] = Eigen::Map<const Eigen::MatrixXd>(Z.data() + block.offset, block.size, block.size);
  }
  result.z = Z.tail(result.z.size());
}

void ConicSolver::Work::write_active() {
  const VectorXd &S = path.predicted_from(), &dS = path.predicted_dS();
  for (std::size_t k = 0; k < result.Z.size(); ++k)
    result.matrix_active[k] = !cones.is_inside(cones.blocks()[k], S, dS, taken);
  for (std::size_t k = 0; k < set.scalars.size(); ++k) {
    const Eigen::Index at = cones.scalars_at() + static_cast<Eigen::Index>(k);
    result.scalar_active[k] = S[at] + taken * dS[at] <= 0;
  }
}

ConicSolver::ConicSolver(ConicSet set, const ConicOptions& options)
    : work_(std::make_unique<Work>(std::move(set), options)) {}
ConicSolver::~ConicSolver() = default;
ConicSolver::ConicSolver(ConicSolver&&) noexcept = default;
ConicSolver& ConicSolver::operator=(ConicSolver&&) noexcept = default;

const ConicResult& ConicSolver::solve(const ConicObjective& objective) {
  return work_->solve(objective, nullptr);
}
const ConicResult& ConicSolver::solve(const ConicObjective& objective, const VectorXd& last) {
  return work_->solve(objective, &last);
}
const ConicSet& ConicSolver::set() const { return work_->set; }

}  // namespace fathom::solve
