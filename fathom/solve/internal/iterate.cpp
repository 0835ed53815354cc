#include "fathom/solve/internal/iterate.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/solve/internal/check.hpp"

namespace fathom::solve::internal {

namespace {

constexpr double largest_scale = 100;    // s_max of Waechter and Biegler 2006, eq. 5
constexpr double dual_deviation = 1e10;  // kappa_sigma there, eq. 16

bool all_positive(const Eigen::ArrayXd& slacks) { return slacks.size() == 0 || slacks.minCoeff() > 0; }

template <class Ratios>
double share(const Ratios& ratios, double to_boundary) {
  if (ratios.size() == 0) return 1;
  const double steepest = ratios.maxCoeff();
  return steepest > to_boundary ? to_boundary / steepest : 1;
}

using Index = Eigen::Index;

}  // namespace

Iterate::Iterate(const BlockProgram& program)
    : rows(program),
      sides(program, rows),
      bfgs(rows.unknowns()),
      H(program),
      matrix_(rows, H),
      closed_count_(sides.closed().sum()) {
  for (Eigen::VectorXd* v :
       {&x, &dx, &gradient, &x_try, &gradient_try, &H_dx, &H_dx_before, &residual_, &At_y_})
    v->setZero(rows.unknowns());
  for (Eigen::ArrayXd* v : {&s, &z, &ds, &dz, &s_try}) v->setZero(sides.size());
  for (Eigen::ArrayXd* v : {&Ax_, &y_}) v->setZero(rows.slots());
}

void Iterate::place(const Eigen::VectorXd& start) {
  check_point("start", start, x.size());
  x = start;
  rows.multiply(x, Ax_);
  sides.slacks(Ax_, s);
  if (!all_positive(s)) reject("start", "lies on or beyond a bound", "find_inner_point gives a point inside");
}

bool Iterate::try_inside() {
  rows.multiply(x_try, Ax_);
  sides.slacks(Ax_, s_try);
  return all_positive(s_try);
}

void Iterate::accept(double mu, double dual_share) {
  x.swap(x_try);
  s.swap(s_try);
  gradient.swap(gradient_try);
  z += dual_share * dz;
  z = z.max(mu / dual_deviation * sides.closed() / s).min(mu * dual_deviation * sides.closed() / s);
}

void Iterate::solve_step(double mu, const CompactBfgs& B) {
  dz = z / s;  // Theta by side, until the duals' step is made of it
  sides.sum(dz, y_);
  matrix_.factor(rows, B.sigma(), y_, H);
  sides.signed_sum(mu / s, y_);
  rows.multiply_transposed(y_, At_y_);
  residual_ = At_y_ - gradient;
  dx = residual_;
  matrix_.solve(B, dx);
  slope = -dx.dot(residual_);
  rows.multiply(dx, Ax_);
  sides.changes(Ax_, ds);
  dz = mu * sides.closed() / s - z - dz * ds;
}

double Iterate::primal_share(double to_boundary) const { return share(-ds / s, to_boundary); }

double Iterate::dual_share(double to_boundary) const {
  return share(-dz / (z + (1 - sides.closed())), to_boundary);
}

void Iterate::update_residual() {
  sides.signed_sum(z, y_);
  rows.multiply_transposed(y_, At_y_);
  residual_ = gradient - At_y_;
}

double Iterate::stationarity() const {
  return residual_.size() == 0 ? 0 : residual_.cwiseAbs().maxCoeff() / dual_scale();
}

double Iterate::complementarity(double mu) const {
  return s.size() == 0 ? 0 : (s * z - mu * sides.closed()).abs().maxCoeff() / dual_scale();
}

/// s_d and s_c of Waechter and Biegler 2006, eq. 5: one number where there are no equations.
double Iterate::dual_scale() const {
  return std::max(largest_scale, z.sum() / std::max(1.0, closed_count_)) / largest_scale;
}

Sides::Sides(const BlockProgram& program, const RowPanels& rows)
    : slots_(rows.slots()),
      sign_(Eigen::ArrayXd::Zero(2 * slots_)),
      bound_(Eigen::ArrayXd::Constant(2 * slots_, -1)),
      closed_(Eigen::ArrayXd::Zero(2 * slots_)),
      per_width_(Eigen::ArrayXd::Constant(2 * slots_, infinity)) {
  const auto close = [this](Index side, double sign, double bound, double width) {
    if (!std::isfinite(bound)) return;
    sign_[side] = sign;
    bound_[side] = sign * bound;
    closed_[side] = 1;
    per_width_[side] = std::isfinite(width) ? 1 / width : 1;
  };
  for (Index slot = 0; slot < slots_; ++slot) {
    const RowPanels::Row& row = rows.row(slot);
    if (row.row < 0) continue;
    const Block& block = program.blocks[row.block];
    const double lower = block.lower[row.row], upper = block.upper[row.row];
    close(slot, 1, lower, upper - lower);
    close(slots_ + slot, -1, upper, upper - lower);
  }
}

void Sides::slacks(const Eigen::ArrayXd& Ax, Eigen::ArrayXd& s) const {
  s.head(slots_) = sign_.head(slots_) * Ax - bound_.head(slots_);
  s.tail(slots_) = sign_.tail(slots_) * Ax - bound_.tail(slots_);
}

void Sides::changes(const Eigen::ArrayXd& A_dx, Eigen::ArrayXd& ds) const {
  ds.head(slots_) = sign_.head(slots_) * A_dx;
  ds.tail(slots_) = sign_.tail(slots_) * A_dx;
}

double Sides::margin(const Eigen::ArrayXd& s) const {
  return size() == 0 ? infinity : (s * per_width_).minCoeff();
}

double sum_of_logs(const Eigen::ArrayXd& s) {
  constexpr Index together = 16;  // one logarithm of a product costs less than many
  double sum = 0;
  for (Index i = 0; i < s.size(); i += together) {
    const Index count = std::min(together, s.size() - i);
    double even = 1, odd = 1;
    for (Index j = 0; j + 1 < count; j += 2) {
      even *= s[i + j];
      odd *= s[i + j + 1];
    }
    if (count % 2 == 1) even *= s[i + count - 1];
    const double product = even * odd;
    if (product > 1e-290 && product < 1e290)
      sum += std::log(product);
    else
      for (Index j = 0; j < count; ++j) sum += std::log(s[i + j]);
  }
  return sum;
}

}  // namespace fathom::solve::internal
