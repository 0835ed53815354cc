#include "fathom/identify/vehicle/internal/segment_costs.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "fathom/base/constants.hpp"
#include "fathom/identify/vehicle/internal/uncertainty.hpp"

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

using Eigen::Index;

/// Slopes of what is new in one shot's residuals by what all shots share, the velocity at which this one begins
/// eliminated.
Eigen::MatrixXd profile_of(const Shooting& shooting, const Unknowns& unknowns, std::size_t k,
                           const std::vector<int>& columns) {
  const Segment& segment = shooting.segments[k];
  Eigen::MatrixXd predicted(segment.rows(), segment.samples()), jacobian;
  SegmentRunner(shooting.structure, segment).run(unknowns.of(k), predicted, &jacobian);
  jacobian = shooting.innovations.of(jacobian);
  const Eigen::MatrixXd common = jacobian(Eigen::all, columns), own = jacobian.rightCols(segment.rows());
  return common - own * (own.transpose() * own).ldlt().solve(own.transpose() * common);
}

std::vector<int> common_columns(const Shooting& shooting, const OutputErrorOptions& options) {
  const auto n = static_cast<int>(shooting.structure.size());
  std::vector<int> columns;
  for (int k = 0; k < n; ++k) columns.push_back(k);
  if (options.estimate_delay) columns.push_back(n);
  if (options.estimate_current) columns.insert(columns.end(), {n + 1, n + 2});
  return columns;
}

/// Residuals where the attitude is wrong by one sigma about an axis.
std::vector<std::vector<Eigen::MatrixXd>> by_attitude(const Shooting& shooting,
                                                      std::span<const Recording> recordings,
                                                      const Unknowns& unknowns,
                                                      const OutputErrorOptions& options) {
  std::vector<std::vector<Eigen::MatrixXd>> changes;
  const Vec3 sigma = options.attitude_sigma.value_or(Vec3::Zero());
  for (int axis = 0; axis < 3; ++axis) {
    if (sigma[axis] <= 0) continue;
    const auto turned =
        make_segments(shooting.structure, recordings, options, Vec3(sigma[axis] * Vec3::Unit(axis)));
    changes.push_back(residuals(shooting.structure, turned, unknowns));
  }
  return changes;
}

/// P'r of each sample that has something new.
class Moments {
 public:
  Moments(Index count, Index samples) : values_(Eigen::MatrixXd::Zero(count, samples)) {}

  void add(const Segment& segment, const Eigen::MatrixXd& P, const Eigen::VectorXd& fresh) {
    const Index rows = segment.rows();
    if (segment.begins && at_ > 0) breaks_.push_back(at_);
    for (Index i = 0; i < fresh.size() / rows; ++i, ++at_)
      values_.col(at_).noalias() = P.middleRows(rows * i, rows).transpose() * fresh.segment(rows * i, rows);
    residuals_ += static_cast<double>(fresh.size());
    own_ += static_cast<double>(rows);
  }
  /// Of their sum. The shots' initial velocities take from residuals what they could have been.
  solve::LongRun long_run() const {
    solve::LongRun result = solve::long_run_covariance(values_.leftCols(at_), breaks_);
    result.covariance *= static_cast<double>(at_) * residuals_ / std::max(1.0, residuals_ - own_);
    return result;
  }

 private:
  Eigen::MatrixXd values_;
  std::vector<Index> breaks_;
  Index at_ = 0;
  double residuals_ = 0, own_ = 0;
};

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

Unknowns::Unknowns(const Fit& start, const std::vector<Segment>& segments, double most_delay)
    : parameters_(start.theta.size()) {
  Index size = parameters_ + 3;
  for (const Segment& segment : segments) {
    start_.push_back(size);
    size += segment.rows();
  }
  x_.setZero(size);
  theta() = start.theta;
  *delay() = std::clamp(start.nuisance.value.delay, 0.0, most_delay);
  current_n() = start.nuisance.value.current_n.head<2>();
  restart(segments);
}

void Unknowns::restart(const std::vector<Segment>& segments) {
  const Eigen::Vector2d current = current_n();
  for (std::size_t k = 0; k < segments.size(); ++k)
    x_.segment(start_[k], segments[k].rows()) = segments[k].measured_start(current);
}

Index Shooting::samples() const {
  Index sum = 0;
  for (const Segment& segment : segments) sum += segment.samples();
  return sum;
}

std::vector<Eigen::MatrixXd> residuals(const model::Structure& structure, const std::vector<Segment>& segments,
                                       const Unknowns& unknowns) {
  std::vector<Eigen::MatrixXd> all;
  for (std::size_t k = 0; k < segments.size(); ++k) {
    const Segment& segment = segments[k];
    Eigen::MatrixXd r(segment.rows(), segment.samples());
    if (!SegmentRunner(structure, segment).run(unknowns.of(k), r, nullptr))
      reject("start", "is a model that runs away or has no inertia",
             "output error refines a fit; it needs one that is nearly right");
    all.push_back(r - segment.measured);
  }
  return all;
}

double cost(const Shooting& shooting, const Unknowns& unknowns) {
  double sum = 0;
  for (const Eigen::MatrixXd& r : residuals(shooting.structure, shooting.segments, unknowns))
    sum += shooting.innovations.of(r.reshaped()).squaredNorm();
  return 0.5 * sum;
}

ProfileCovariance profile_covariance(const Shooting& shooting, std::span<const Recording> recordings,
                                     const Unknowns& unknowns, const OutputErrorOptions& options) {
  const std::vector<int> columns = common_columns(shooting, options);
  const auto count = static_cast<Index>(columns.size());
  const auto turned = by_attitude(shooting, recordings, unknowns, options);
  const std::vector<Eigen::MatrixXd> r = residuals(shooting.structure, shooting.segments, unknowns);
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(count, count);
  Eigen::MatrixXd shift = Eigen::MatrixXd::Zero(count, static_cast<Index>(turned.size()));
  Moments moments(count, shooting.samples());
  for (std::size_t k = 0; k < shooting.segments.size(); ++k) {
    const Eigen::MatrixXd P = profile_of(shooting, unknowns, k, columns);
    H += P.transpose() * P;
    for (std::size_t axis = 0; axis < turned.size(); ++axis)
      shift.col(static_cast<Index>(axis)) +=
          P.transpose() * shooting.innovations.of((turned[axis][k] - r[k]).reshaped());
    moments.add(shooting.segments[k], P, shooting.innovations.of(r[k].reshaped()));
  }
  const solve::LongRun long_run = moments.long_run();
  Eigen::MatrixXd S = long_run.covariance;
  if (options.estimate_current) {
    const double information = 1 / (options.current_sigma * options.current_sigma);
    H.diagonal().tail<2>().array() += information;
    S.diagonal().tail<2>().array() += information;
  }
  const Eigen::MatrixXd root = inverse_root(H), white = square_of(root);
  return {sandwich_of(root, S) + square_of(white * shift), white, long_run.bandwidth};
}

}  // namespace fathom::identify::internal
