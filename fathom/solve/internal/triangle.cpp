#include "fathom/solve/internal/triangle.hpp"

#include <Eigen/SVD>

#include "fathom/base/error.hpp"

namespace fathom::solve::internal {

Triangle triangle(const Rows& rows) {
  if (rows.count() == 0) reject("rows", "are none", "nothing to fit");
  const Eigen::Index n = rows.unknowns();
  const Eigen::MatrixXd F = rows.factor();
  if (!F.allFinite()) reject("rows", "hold numbers whose squares overflow", "scale the unknowns");
  return {F.topLeftCorner(n, n), F.topRightCorner(n, 1), F(n, n)};
}

LinearFit describe(const Triangle& of, Eigen::Index rows, double rank_tolerance) {
  LinearFit fit;
  fit.rows = rows;
  fit.column_norms = of.R.colwise().norm();
  const Eigen::VectorXd scale = (fit.column_norms.array() > 0).select(fit.column_norms, 1);
  fit.singular_values = (of.R * scale.cwiseInverse().asDiagonal()).jacobiSvd().singularValues();
  fit.own_singular_values = of.R.jacobiSvd().singularValues();
  const double least = rank_tolerance * fit.singular_values[0];
  fit.rank = (fit.singular_values.array() > least).count();
  return fit;
}

Eigen::MatrixXd inverse_gram(const Triangle& of, const LinearFit& described) {
  const Eigen::Index n = of.R.cols(), rank = described.rank;
  Eigen::MatrixXd root(n, rank);  // root root' is what is asked for
  if (rank == n) {
    root = of.R.triangularView<Eigen::Upper>().solve(Eigen::MatrixXd::Identity(n, n));
  } else {
    const Eigen::VectorXd unscale =
        (described.column_norms.array() > 0).select(described.column_norms.cwiseInverse(), 0);
    const auto svd = (of.R * unscale.asDiagonal()).jacobiSvd(Eigen::ComputeFullV);
    root = unscale.asDiagonal() * svd.matrixV().leftCols(rank) *
           svd.singularValues().head(rank).cwiseInverse().asDiagonal();
  }
  return root * root.transpose();
}

}  // namespace fathom::solve::internal
