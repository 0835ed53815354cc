#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/solve/internal/triangle.hpp"

namespace fathom::solve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Eigen::VectorXi;

constexpr double rank_tolerance = 1e-12;

/// Columns of [A y] in the order exact, then with errors.
struct Order {
  VectorXi columns;
  Index exact = 0;
};

Order exact_first(const VectorXd& sigma) {
  Order order{VectorXi(sigma.size()), (sigma.array() == 0).count()};
  Index exact = 0, others = order.exact;
  for (int j = 0; j < sigma.size(); ++j) order.columns[sigma[j] > 0 ? others++ : exact++] = j;
  return order;
}

void check(const VectorXd& sigma, Index unknowns) {
  if (sigma.size() != unknowns + 1)
    reject("column_sigma",
           fmt::format("has {} numbers, must have {}: the unknowns' and y's", sigma.size(), unknowns + 1));
  if (!sigma.allFinite() || (sigma.array() < 0).any()) reject("column_sigma", "must be finite and >= 0");
  if (sigma.maxCoeff() == 0) reject("column_sigma", "is all 0", "some column must have errors");
}

/// R of the exact columns must be regular, lest their part of the null vector be undetermined.
void check_exact(const MatrixXd& R) {
  for (Index j = 0; j < R.cols(); ++j)
    if (std::abs(R(j, j)) <= rank_tolerance * R.col(j).norm())
      reject("rows", "have exact columns that depend on one another", "leave out one of them");
}

[[noreturn]] void reject_nongeneric(const VectorXd& singular) {
  const Index p = singular.size();
  reject("rows",
         fmt::format("have no total least squares solution: the least singular value {:.6g}, next to "
                     "{:.6g}, belongs to a direction without y",
                     singular[p - 1], p > 1 ? singular[p - 2] : singular[p - 1]),
         "the problem is nongeneric: leave out an unknown that the rows hardly show");
}

/// [A y] null = the least correction, by column of [A y], and that correction's square.
struct Null {
  VectorXd vector;
  double square = 0;
};

/// Van Huffel and Vandewalle 1991, section 3.6: the exact columns are eliminated by QR, the least singular
/// vector of the rest, in units of sigma, is completed by back substitution.
Null null_vector(const MatrixXd& factor, const VectorXd& sigma) {
  const Order order = exact_first(sigma);
  const Index all = sigma.size(), e = order.exact, p = all - e;
  const Eigen::PermutationMatrix<Eigen::Dynamic> permutation(order.columns);
  MatrixXd R = factor * permutation;
  const Eigen::HouseholderQR<Eigen::Ref<MatrixXd>> in_place(R);
  R.triangularView<Eigen::StrictlyLower>().setZero();
  check_exact(R.topLeftCorner(e, e));
  const VectorXd unit = (permutation.transpose() * sigma).tail(p).cwiseInverse();
  const MatrixXd rest = R.bottomRightCorner(p, p) * unit.asDiagonal();
  const auto svd = rest.jacobiSvd(Eigen::ComputeFullV);
  const VectorXd& singular = svd.singularValues();

  VectorXd z(all);
  z.tail(p) = unit.cwiseProduct(svd.matrixV().col(p - 1));
  z.head(e) = -R.topRightCorner(e, p) * z.tail(p);
  // What rounding puts into the direction grows with one over the gap (Wedin 1972): is its part along y more?
  const double growth = p > 1 ? singular[0] / (singular[p - 2] - singular[p - 1]) : 1;
  const bool y_is_exact = sigma[all - 1] == 0;
  const double part = y_is_exact ? std::abs(z[e - 1]) : std::abs(svd.matrixV()(p - 1, p - 1));
  const double whole = y_is_exact ? R.rightCols(p).colwise().norm().dot(unit) : 1;
  if (!(part > 10 * static_cast<double>(all) * epsilon * growth * whole)) reject_nongeneric(singular);
  R.topLeftCorner(e, e).triangularView<Eigen::Upper>().solveInPlace(z.head(e));
  return {permutation * z, singular[p - 1] * singular[p - 1]};
}

/// Fuller 1987, section 2.2: with u the errors of a row of A and v = (error of y) - u'x, Gaussian,
/// S^-1 (S var(v) + cov(u) var(v) - cov(u, v) cov(v, u)) S^-1 over the rows, S the mean of true a a'.
MatrixXd covariance_of_total(const LinearFit& fit, const MatrixXd& gram, const VectorXd& sigma) {
  const Index n = fit.x.size();
  const double m = static_cast<double>(fit.rows), square = fit.rss / static_cast<double>(fit.rows - fit.rank);
  const MatrixXd cov_u = square * MatrixXd(sigma.head(n).cwiseAbs2().asDiagonal());
  const VectorXd cov_uv = -cov_u * fit.x;
  const double var_v = square * sigma[n] * sigma[n] + fit.x.dot(cov_u * fit.x);
  const MatrixXd S = gram / m - fit.rss / m * MatrixXd(sigma.head(n).cwiseAbs2().asDiagonal());
  const MatrixXd inner = S * var_v + cov_u * var_v - cov_uv * cov_uv.transpose();
  const MatrixXd half = S.ldlt().solve(inner);
  return S.ldlt().solve(half.transpose()) / m;
}

}  // namespace

LinearFit total(const Rows& rows, const VectorXd& column_sigma) {
  const Index n = rows.unknowns();
  check(column_sigma, n);
  const internal::Triangle of = internal::triangle(rows);
  LinearFit fit = internal::describe(of, rows.count(), rank_tolerance);
  if (fit.rank < n)
    reject("rows", fmt::format("show {} of {} unknowns", fit.rank, n), "leave out what they do not");
  const Null null = null_vector(rows.factor(), column_sigma);
  fit.x = null.vector.head(n) / -null.vector[n];
  fit.rss = null.square;
  if (fit.rows > n) fit.covariance = covariance_of_total(fit, rows.gram(), column_sigma);
  return fit;
}

}  // namespace fathom::solve
