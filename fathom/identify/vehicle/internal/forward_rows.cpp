#include "fathom/identify/vehicle/internal/forward_rows.hpp"

#include <Eigen/LU>

#include "fathom/base/error.hpp"
#include "fathom/dynamics/regressor.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Columns of Y that an acceleration of one adds, each free velocity by itself.
std::vector<MatrixXd> unit_inertial_parts(const Regression& regression) {
  std::vector<MatrixXd> parts;
  for (const int i : regression.free()) {
    dynamics::Motion motion;
    motion.down_b.setZero();
    motion.nu_r_dot_b[i] = 1;
    parts.push_back(dynamics::regressor(regression.structure(), motion));
  }
  return parts;
}

MatrixXd inverse_of_mass(const Regression& regression, const std::vector<MatrixXd>& unit_parts,
                         const VectorXd& theta) {
  const Index rows = regression.rows();
  MatrixXd M(rows, rows);
  for (Index j = 0; j < rows; ++j) M.col(j) = unit_parts[static_cast<std::size_t>(j)] * theta;
  const Eigen::FullPivLU<MatrixXd> lu(M);
  if (!M.allFinite() || !lu.isInvertible())
    reject("structure", regression.structure().name + ": its mass is singular on the way");
  return lu.inverse();
}

/// Normal equations of one row of all samples: the row's own sigma is known at the end of a pass only.
struct RowSums {
  MatrixXd G;  // its lower half
  VectorXd b;
  double c = 0, left_square = 0;

  explicit RowSums(Index unknowns) : G(MatrixXd::Zero(unknowns, unknowns)), b(VectorXd::Zero(unknowns)) {}
  void add(const MatrixXd& A, const VectorXd& left, const VectorXd& theta) {
    const VectorXd y = A * theta + left;
    G.selfadjointView<Eigen::Lower>().rankUpdate(A.transpose());
    b.noalias() += A.transpose() * y;
    c += y.squaredNorm();
    left_square += left.squaredNorm();
  }
};

VectorXd sigma_of(const VectorXd& square, Index samples) {
  return (square / static_cast<double>(samples)).cwiseSqrt().cwiseMax(1e-9);
}

ForwardSums sums_of(const std::vector<RowSums>& by_row, Index samples) {
  ForwardSums out;
  VectorXd square(static_cast<Index>(by_row.size()));
  for (std::size_t row = 0; row < by_row.size(); ++row)
    square[static_cast<Index>(row)] = by_row[row].left_square;
  out.sigma = sigma_of(square, samples);
  const Index n = by_row.front().b.size();
  MatrixXd G = MatrixXd::Zero(n, n);
  out.objective.b = VectorXd::Zero(n);
  out.objective.c = 0;
  for (std::size_t row = 0; row < by_row.size(); ++row) {
    const double weight = 1 / (out.sigma[static_cast<Index>(row)] * out.sigma[static_cast<Index>(row)]);
    G += weight * by_row[row].G;
    out.objective.b += weight * by_row[row].b;
    out.objective.c += weight * by_row[row].c;
  }
  out.objective.G = G.selfadjointView<Eigen::Lower>();
  return out;
}

}  // namespace

MatrixXd inverse_mass(const Regression& regression, const VectorXd& theta) {
  return inverse_of_mass(regression, unit_inertial_parts(regression), theta);
}

MatrixXd blurred_wrench(const Regression& regression, double delay) {
  const std::vector<int> free(regression.free().begin(), regression.free().end());
  MatrixXd tau(regression.rows(), regression.samples());
  Index sample = 0;
  for (std::size_t r = 0; r < regression.recordings().size(); ++r) {
    const Index count = regression.samples_of(r);
    MatrixXd value(regression.rows(), count), by_delay(regression.rows(), count);
    const MatrixXd series = regression.recordings()[r].tau_b(free, Eigen::all);
    regression.blur(r, series, delay, value, by_delay);
    tau.middleCols(sample, count) = value;
    sample += count;
  }
  return tau;
}

ForwardRows::ForwardRows(const Regression& regression, const VectorXd& theta)
    : regression_(regression), theta_(theta) {
  const std::vector<MatrixXd> parts = unit_inertial_parts(regression);
  M_inverse_ = inverse_of_mass(regression, parts, theta);
  const Index rows = regression.rows();
  for (Index column = 0; column < theta.size(); ++column) {
    MatrixXd by_acceleration(rows, rows);
    for (Index j = 0; j < rows; ++j) by_acceleration.col(j) = parts[static_cast<std::size_t>(j)].col(column);
    if (!by_acceleration.isZero(0)) inertial_.push_back({column, M_inverse_ * by_acceleration});
  }
}

void ForwardRows::residual(const RowBlock& block, const MatrixXd* tau, MatrixXd& left) const {
  const Index rows = regression_.rows(), samples = block.tau.size() / rows;
  VectorXd wrench = -(block.Y * theta_);
  const Eigen::Map<MatrixXd> by_sample(wrench.data(), rows, samples);
  if (tau)
    wrench += tau->middleCols(block.first_sample, samples).reshaped();
  else
    wrench += block.tau;
  left.noalias() = M_inverse_ * by_sample;
}

void ForwardRows::slopes(const RowBlock& block, const MatrixXd& left, MatrixXd& A) const {
  const Index samples = left.cols();
  A.noalias() = M_inverse_ * Eigen::Map<const MatrixXd>(block.Y.data(), left.rows(), samples * block.Y.cols());
  for (const Inertial& one : inertial_)
    A.middleCols(one.column * samples, samples).noalias() += one.by_acceleration * left;
}

std::vector<ForwardSums> forward_sums(const Regression& regression, const Nuisance& at,
                                      const std::vector<ForwardLane>& lanes) {
  const Index rows = regression.rows(), n = static_cast<Index>(regression.structure().size());
  std::vector<std::vector<RowSums>> sums(lanes.size(),
                                         std::vector<RowSums>(static_cast<std::size_t>(rows), RowSums(n)));
  MatrixXd left, A, of_row;
  regression.pass(at, [&](const RowBlock& block) {
    for (std::size_t k = 0; k < lanes.size(); ++k) {
      lanes[k].rows.residual(block, lanes[k].tau, left);
      lanes[k].rows.slopes(block, left, A);
      for (Index row = 0; row < rows; ++row) {
        of_row = A.row(row).reshaped(left.cols(), n);
        sums[k][static_cast<std::size_t>(row)].add(of_row, left.row(row).transpose(), lanes[k].rows.theta());
      }
    }
  });
  std::vector<ForwardSums> out;
  for (const std::vector<RowSums>& by_row : sums) out.push_back(sums_of(by_row, regression.samples()));
  return out;
}

std::vector<VectorXd> forward_sigmas(const Regression& regression, const Nuisance& at,
                                     const std::vector<ForwardLane>& lanes) {
  std::vector<VectorXd> out(lanes.size(), VectorXd::Zero(regression.rows()));
  MatrixXd left;
  regression.pass(at, [&](const RowBlock& block) {
    for (std::size_t k = 0; k < lanes.size(); ++k) {
      lanes[k].rows.residual(block, lanes[k].tau, left);
      out[k] += left.rowwise().squaredNorm();
    }
  });
  for (VectorXd& square : out) square = sigma_of(square, regression.samples());
  return out;
}

MatrixXd forward_covariance(const Regression& regression, const Nuisance& at, const ForwardLane& lane,
                            const VectorXd& sigma) {
  const Index n = lane.rows.theta().size(), rows = regression.rows();
  MatrixXd moments(n, regression.samples()), H = MatrixXd::Zero(n, n);
  std::vector<Index> breaks;
  pass_forward(regression, at, lane, sigma, [&](const RowBlock& block, const auto& A, const auto& left) {
    if (block.begins) breaks.push_back(block.first_sample);
    for (Index k = 0; k * rows < left.size(); ++k)
      moments.col(block.first_sample + k).noalias() =
          A.middleRows(k * rows, rows).transpose() * left.segment(k * rows, rows);
    H.noalias() += A.transpose() * A;
  });
  moments.colwise() -= moments.rowwise().mean().eval();
  return solve::sandwich(H, solve::long_run_covariance(moments, breaks), regression.samples());
}

}  // namespace fathom::identify::internal
