#include "fathom/identify/vehicle/internal/segment_costs.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "fathom/base/constants.hpp"

namespace fathom::identify::internal {
namespace {

using Eigen::Index;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::MatrixXd value_of(const solve::MatrixInequality& matrix, const double* x) {
  Eigen::MatrixXd S = matrix.constant;
  for (const auto& e : matrix.entries) {
    S(e.row, e.column) += e.value * x[e.unknown];
    S(e.column, e.row) = S(e.row, e.column);
  }
  return S;
}

double value_of(const solve::ScalarInequality& scalar, const double* x) {
  double s = scalar.constant;
  for (const auto& e : scalar.entries) s += e.value * x[e.unknown];
  return s;
}

/// d(L^-1) of S = L L' for dS = e_row e_column' + e_column e_row' (once on the diagonal): -Phi(A) L^-1 with
/// A = L^-1 dS L^-T and Phi its lower half with half the diagonal.
Eigen::MatrixXd inverse_factor_change(const Eigen::MatrixXd& L_inverse, int row, int column) {
  Eigen::MatrixXd A = L_inverse.col(row) * L_inverse.col(column).transpose();
  if (row != column) A += L_inverse.col(column) * L_inverse.col(row).transpose();
  A.diagonal() *= 0.5;
  return -(A.triangularView<Eigen::Lower>() * L_inverse);
}

/// The least of all margins, scalars among them.
double least_margin(const solve::ConicSet& set, const Eigen::VectorXd& x) {
  double least = infinity;
  for (const double margin : solve::margins(set, x)) least = std::min(least, margin);
  for (const auto& scalar : set.scalars) least = std::min(least, value_of(scalar, x.data()));
  return least;
}

solve::ConicSet tightened(solve::ConicSet set, double by) {
  for (auto& matrix : set.matrices) matrix.constant.diagonal().array() -= by;
  for (auto& scalar : set.scalars) scalar.constant -= by;
  return set;
}

}  // namespace

SegmentCost::SegmentCost(const model::Structure& structure, const Segment& segment,
                         const Innovations& innovations)
    : structure_(structure), segment_(segment), innovations_(innovations) {
  set_num_residuals(static_cast<int>(innovations.rows_of(segment.samples())));
  *mutable_parameter_block_sizes() = {static_cast<int>(structure.size()), 1, 2,
                                      static_cast<int>(segment.rows())};
}

bool SegmentCost::Evaluate(double const* const* unknowns, double* residuals, double** jacobians) const {
  SegmentRunner runner(structure_, segment_);
  Eigen::MatrixXd r(segment_.rows(), segment_.samples()), jacobian;
  if (!runner.run({unknowns[0], unknowns[1], unknowns[2], unknowns[3]}, r, jacobians ? &jacobian : nullptr))
    return false;
  r -= segment_.measured;
  Eigen::Map<Eigen::VectorXd>(residuals, num_residuals()) = innovations_.of(r.reshaped());
  if (!jacobians) return true;
  jacobian = innovations_.of(jacobian);
  Index column = 0;
  for (std::size_t block = 0; block < 4; ++block) {
    const Index columns = parameter_block_sizes()[block];
    if (jacobians[block])
      Eigen::Map<RowMajor>(jacobians[block], num_residuals(), columns) = jacobian.middleCols(column, columns);
    column += columns;
  }
  return true;
}

ConstraintBarrier::ConstraintBarrier(const solve::ConicSet& set, double weight)
    : set_(set), root_weight_(std::sqrt(weight)) {
  auto residuals = static_cast<int>(set.scalars.size());
  for (const auto& matrix : set.matrices) residuals += static_cast<int>(matrix.constant.size());
  set_num_residuals(residuals);
  *mutable_parameter_block_sizes() = {set.unknowns};
}

bool ConstraintBarrier::Evaluate(double const* const* unknowns, double* residuals, double** jacobians) const {
  const double* x = unknowns[0];
  Eigen::MatrixXd by_x = Eigen::MatrixXd::Zero(num_residuals(), set_.unknowns);
  Index at = 0;
  for (const auto& matrix : set_.matrices) {
    const Eigen::LLT<Eigen::MatrixXd> llt(value_of(matrix, x));
    if (llt.info() != Eigen::Success) return false;
    const Index n = matrix.constant.rows();
    const Eigen::MatrixXd L_inverse = llt.matrixL().solve(Eigen::MatrixXd::Identity(n, n));
    Eigen::Map<Eigen::MatrixXd>(residuals + at, n, n) = root_weight_ * L_inverse;
    for (const auto& e : matrix.entries)
      by_x.col(e.unknown).segment(at, n * n) +=
          root_weight_ * e.value * inverse_factor_change(L_inverse, e.row, e.column).reshaped();
    at += n * n;
  }
  for (const auto& scalar : set_.scalars) {
    const double s = value_of(scalar, x);
    if (!(s > 0)) return false;
    residuals[at] = root_weight_ / std::sqrt(s);
    for (const auto& e : scalar.entries) by_x(at, e.unknown) -= 0.5 * e.value * residuals[at] / s;
    ++at;
  }
  if (jacobians && jacobians[0]) Eigen::Map<RowMajor>(jacobians[0], by_x.rows(), by_x.cols()) = by_x;
  return true;
}

BarrierCurvature::BarrierCurvature(const ConstraintBarrier& barrier) : barrier_(barrier) {
  set_num_residuals(barrier.num_residuals());
  *mutable_parameter_block_sizes() = barrier.parameter_block_sizes();
}

bool BarrierCurvature::Evaluate(double const* const* unknowns, double* residuals, double** jacobians) const {
  if (!barrier_.Evaluate(unknowns, residuals, jacobians)) return false;
  std::fill_n(residuals, num_residuals(), 0.0);
  if (jacobians && jacobians[0])
    Eigen::Map<RowMajor>(jacobians[0], num_residuals(), parameter_block_sizes()[0]) *= std::sqrt(3.0);
  return true;
}

Eigen::VectorXd moved_inside(const solve::ConicSet& set, const Eigen::VectorXd& theta) {
  const Index n = theta.size();
  for (double margin = 3e-2; margin > 1e-9; margin /= 10) {
    if (least_margin(set, theta) >= margin) return theta;
    solve::ConicObjective nearest;
    nearest.G.setZero(n, n);
    nearest.b.setZero(n);
    nearest.Q = theta.cwiseAbs().cwiseMax(1e-3).cwiseAbs2().cwiseInverse().asDiagonal();
    nearest.x0 = theta;
    solve::ConicSolver solver(tightened(set, margin));
    const solve::ConicResult& result = solver.solve(nearest);
    if (result.status == solve::ConicStatus::solved) return result.x;
  }
  return theta;
}

}  // namespace fathom::identify::internal
