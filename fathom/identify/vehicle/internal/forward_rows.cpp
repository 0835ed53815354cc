#include "fathom/identify/vehicle/internal/forward_rows.hpp"

#include <Eigen/LU>

#include "fathom/base/error.hpp"
#include "fathom/dynamics/regressor.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify::internal {
namespace {

using Eigen::Index;

std::vector<Eigen::MatrixXd> unit_inertial_parts(const Regression& regression) {
  std::vector<Eigen::MatrixXd> parts;
  for (const int i : regression.free()) {
    dynamics::Motion motion;
    motion.down_b.setZero();
    motion.nu_r_dot_b[i] = 1;
    parts.push_back(dynamics::regressor(regression.structure(), motion));
  }
  return parts;
}

Eigen::MatrixXd inverse_of_mass(const Regression& regression, const std::vector<Eigen::MatrixXd>& unit_parts,
                                const Eigen::VectorXd& theta) {
  const Index rows = regression.rows();
  Eigen::MatrixXd M(rows, rows);
  for (Index j = 0; j < rows; ++j) M.col(j) = unit_parts[static_cast<std::size_t>(j)] * theta;
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(M);
  if (!M.allFinite() || !lu.isInvertible())
    reject("structure", regression.structure().name + ": its mass is singular on the way");
  return lu.inverse();
}

}  // namespace

Eigen::MatrixXd inverse_mass(const Regression& regression, const Eigen::VectorXd& theta) {
  return inverse_of_mass(regression, unit_inertial_parts(regression), theta);
}

Eigen::MatrixXd blurred_wrench(const Regression& regression, double delay) {
  const std::vector<int> free(regression.free().begin(), regression.free().end());
  Eigen::MatrixXd tau(regression.rows(), regression.samples());
  Index sample = 0;
  for (std::size_t r = 0; r < regression.recordings().size(); ++r) {
    const Index count = regression.samples_of(r);
    Eigen::MatrixXd value(regression.rows(), count), by_delay(regression.rows(), count);
    const Eigen::MatrixXd series = regression.recordings()[r].tau_b(free, Eigen::all);
    regression.blur(r, series, delay, value, by_delay);
    tau.middleCols(sample, count) = value;
    sample += count;
  }
  return tau;
}

ForwardRows::ForwardRows(const Regression& regression, const Nuisance& at, const Eigen::VectorXd& theta,
                         const Eigen::MatrixXd* tau)
    : regression_(regression),
      at_(at),
      theta_(theta),
      tau_(tau),
      unit_parts_(unit_inertial_parts(regression)),
      M_inverse_(inverse_of_mass(regression, unit_parts_, theta)) {
  Eigen::VectorXd square = Eigen::VectorXd::Zero(regression.rows());
  each([&](Index, const Eigen::MatrixXd&, const Eigen::VectorXd& left) { square += left.cwiseAbs2(); });
  sigma_ = (square / static_cast<double>(regression.samples())).cwiseSqrt().cwiseMax(1e-9);
}

Eigen::MatrixXd ForwardRows::inertial_part(const Eigen::VectorXd& acceleration) const {
  Eigen::MatrixXd part = acceleration[0] * unit_parts_[0];
  for (std::size_t j = 1; j < unit_parts_.size(); ++j)
    part += acceleration[static_cast<Index>(j)] * unit_parts_[j];
  return part;
}

solve::Rows ForwardRows::sums() const {
  solve::Rows rows(theta_.size());
  pass([&](Index, const Eigen::MatrixXd& A, const Eigen::VectorXd& left) { rows.add(A, A * theta_ + left); });
  return rows;
}

Eigen::MatrixXd ForwardRows::covariance() const {
  Eigen::MatrixXd moments(theta_.size(), regression_.samples()),
      H = Eigen::MatrixXd::Zero(theta_.size(), theta_.size());
  std::vector<Index> breaks;
  regression_.pass(at_, [&](const RowBlock& block) {
    if (block.begins) breaks.push_back(block.first_sample);
  });
  pass([&](Index sample, const Eigen::MatrixXd& A, const Eigen::VectorXd& left) {
    moments.col(sample) = A.transpose() * left;
    H += A.transpose() * A;
  });
  moments.colwise() -= moments.rowwise().mean().eval();
  return solve::sandwich(H, solve::long_run_covariance(moments, breaks), regression_.samples());
}

}  // namespace fathom::identify::internal
