#include "fathom/identify/vehicle/internal/innovations.hpp"

#include <algorithm>

#include <Eigen/Cholesky>

namespace fathom::identify::internal {

using Eigen::Index;

namespace {

constexpr double least_sigma = 1e-9;  // m/s, rad/s: below it there is nothing but rounding

}  // namespace

Innovations::Innovations(const std::vector<Eigen::MatrixXd>& residuals, const Eigen::VectorXd& most) {
  const Index rows = most.size();
  Eigen::MatrixXd before = least_sigma * least_sigma * Eigen::MatrixXd::Identity(rows, rows), S = before;
  Eigen::MatrixXd product = Eigen::MatrixXd::Zero(rows, rows);
  Index count = 0;
  for (const Eigen::MatrixXd& r : residuals) {
    const Index pairs = r.cols() - 1;
    before += r.leftCols(pairs) * r.leftCols(pairs).transpose();
    product += r.rightCols(pairs) * r.leftCols(pairs).transpose();
    count += pairs;
  }
  const Eigen::MatrixXd A = before.ldlt().solve(product.transpose()).transpose();
  for (const Eigen::MatrixXd& r : residuals) {
    const Eigen::MatrixXd fresh = r.rightCols(r.cols() - 1) - A * r.leftCols(r.cols() - 1);
    S += fresh * fresh.transpose() / static_cast<double>(std::max<Index>(1, count - rows));
  }
  const Eigen::VectorXd shrink = most.cwiseQuotient(S.diagonal().cwiseSqrt()).cwiseMin(1);
  S = shrink.asDiagonal() * S * shrink.asDiagonal();
  W_ = S.llt().matrixL().solve(Eigen::MatrixXd::Identity(rows, rows));
  W_A_ = W_ * A;
}

Eigen::MatrixXd Innovations::of(const Eigen::Ref<const Eigen::MatrixXd>& stacked) const {
  const Index rows = W_.rows(), samples = stacked.rows() / rows;
  Eigen::MatrixXd fresh(rows_of(samples), stacked.cols());
  for (Index k = 1; k < samples; ++k) {
    auto out = fresh.middleRows(rows * (k - 1), rows);
    out.noalias() = W_ * stacked.middleRows(rows * k, rows);
    out.noalias() -= W_A_ * stacked.middleRows(rows * (k - 1), rows);
  }
  return fresh;
}

}  // namespace fathom::identify::internal
