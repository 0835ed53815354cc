#include "fathom/solve/least_squares.hpp"

#include <algorithm>

#include <Eigen/LU>
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

/// R of QR, in place, over zeros.
void triangularize(Eigen::Ref<MatrixXd> rows) {
  const Eigen::HouseholderQR<Eigen::Ref<MatrixXd>> in_place(rows);
  rows.triangularView<Eigen::StrictlyLower>().setZero();
}

double ratio_of_ends(const VectorXd& falling) {
  const double least = falling.size() > 0 ? falling[falling.size() - 1] : 0;
  return least > 0 ? falling[0] / least : infinity;
}

/// The x of least scaled norm.
VectorXd least_norm(const internal::Triangle& of, const LinearFit& fit) {
  const VectorXd unscale = (fit.column_norms.array() > 0).select(fit.column_norms.cwiseInverse(), 0);
  const auto svd = (of.R * unscale.asDiagonal()).jacobiSvd(Eigen::ComputeFullU | Eigen::ComputeFullV);
  const VectorXd along = svd.matrixU().leftCols(fit.rank).transpose() * of.q;
  return unscale.asDiagonal() *
         (svd.matrixV().leftCols(fit.rank) * along.cwiseQuotient(svd.singularValues().head(fit.rank)));
}

constexpr double least_singular = 1e-12;  // of Z'A with columns of Z and A of unit length

}  // namespace

Rows::Rows(Index unknowns) : n_(unknowns) {
  if (unknowns < 1) reject("unknowns", fmt::format("= {}, must be at least 1", unknowns));
  // Four new rows for each old one make the old ones cheap; a few more for small n.
  block_.setZero(n_ + 1 + std::max<Index>(4 * (n_ + 1), 64), n_ + 1);
}

void Rows::add(const Eigen::Ref<const MatrixXd>& A, const Eigen::Ref<const VectorXd>& y) {
  append(A, y, nullptr);
}

void Rows::add(const Eigen::Ref<const MatrixXd>& A, const Eigen::Ref<const VectorXd>& y,
               const Eigen::Ref<const VectorXd>& sigma) {
  if (sigma.size() != y.size())
    reject("sigma", fmt::format("has {} numbers for {} rows", sigma.size(), y.size()));
  if (!sigma.allFinite() || (sigma.array() <= 0).any())
    reject("sigma", "must be positive and finite", "leave out rows of no weight");
  append(A, y, &sigma);
}

void Rows::append(const Eigen::Ref<const MatrixXd>& A, const Eigen::Ref<const VectorXd>& y,
                  const Sigma* sigma) {
  if (A.cols() != n_ || A.rows() != y.size())
    reject("rows", fmt::format("are {} x {} with {} right-hand sides, must have {} columns", A.rows(), A.cols(),
                               y.size(), n_));
  if (!A.allFinite() || !y.allFinite()) reject("rows", "hold a number that is not finite");
  for (Index first = 0; first < A.rows();) {
    if (filled_ == block_.rows()) {
      triangularize(block_);
      filled_ = n_ + 1;
    }
    const Index take = std::min(A.rows() - first, block_.rows() - filled_);
    auto rows = block_.middleRows(filled_, take);
    rows.leftCols(n_) = A.middleRows(first, take);
    rows.col(n_) = y.segment(first, take);
    if (sigma) rows.array().colwise() /= sigma->segment(first, take).array();
    filled_ += take;
    first += take;
  }
  count_ += A.rows();
}

void Rows::add(const Rows& other) {
  const Index rows = other.count_, all = count_ + rows;
  const MatrixXd F = other.factor();
  append(F.leftCols(other.n_), F.col(other.n_), nullptr);
  count_ = all;
}

MatrixXd Rows::factor() const {
  MatrixXd rows = block_.topRows(filled_);
  if (filled_ > 0) triangularize(rows);
  MatrixXd F = MatrixXd::Zero(n_ + 1, n_ + 1);
  const Index kept = std::min(filled_, n_ + 1);
  F.topRows(kept) = rows.topRows(kept);
  return F;
}

MatrixXd Rows::gram() const {
  const MatrixXd R = factor().topLeftCorner(n_, n_);
  return R.transpose() * R;
}

VectorXd Rows::moment() const {
  const MatrixXd F = factor();
  return F.leftCols(n_).transpose() * F.col(n_);
}

double Rows::square() const { return factor().col(n_).squaredNorm(); }

double LinearFit::scaled_condition() const { return ratio_of_ends(singular_values); }
double LinearFit::condition() const { return ratio_of_ends(own_singular_values); }

LinearFit ordinary(const Rows& rows, double rank_tolerance) {
  const internal::Triangle of = internal::triangle(rows);
  LinearFit fit = internal::describe(of, rows.count(), rank_tolerance);
  // Back substitution is exact in the columns' scales, where singular vectors mix them.
  if (fit.rank == rows.unknowns())
    fit.x = of.R.triangularView<Eigen::Upper>().solve(of.q);
  else
    fit.x = least_norm(of, fit);
  fit.rss = of.rss(fit.x);
  if (fit.rows > fit.rank)
    fit.covariance = fit.rss / static_cast<double>(fit.rows - fit.rank) * internal::inverse_gram(of, fit);
  return fit;
}

InstrumentalRows::InstrumentalRows(Eigen::Index unknowns)
    : rows_(unknowns),
      ZA_(Eigen::MatrixXd::Zero(unknowns, unknowns)),
      ZZ_(Eigen::MatrixXd::Zero(unknowns, unknowns)),
      Zy_(Eigen::VectorXd::Zero(unknowns)) {}

void InstrumentalRows::add(const Eigen::Ref<const Eigen::MatrixXd>& A,
                           const Eigen::Ref<const Eigen::MatrixXd>& Z,
                           const Eigen::Ref<const Eigen::VectorXd>& y) {
  if (Z.rows() != A.rows() || Z.cols() != A.cols())
    reject("instruments", fmt::format("are {} x {} for {} x {} rows", Z.rows(), Z.cols(), A.rows(), A.cols()));
  if (!Z.allFinite()) reject("instruments", "hold a number that is not finite");
  rows_.add(A, y);
  ZA_.noalias() += Z.transpose() * A;
  ZZ_.noalias() += Z.transpose() * Z;
  Zy_.noalias() += Z.transpose() * y;
}

LinearFit instrumental(const InstrumentalRows& rows) {
  const internal::Triangle of = internal::triangle(rows.rows());
  LinearFit fit = internal::describe(of, rows.rows().count(), least_singular);
  const Eigen::VectorXd a = fit.column_norms, z = rows.ZZ().diagonal().cwiseSqrt();
  const auto unit = [](const Eigen::VectorXd& norms) {
    return Eigen::VectorXd((norms.array() > 0).select(norms.cwiseInverse(), 0));
  };
  // Of unit columns, so that units of x do not tell what is singular.
  const Eigen::MatrixXd scaled = unit(z).asDiagonal() * rows.ZA() * unit(a).asDiagonal();
  const Eigen::VectorXd singular = scaled.jacobiSvd().singularValues();
  if (singular[singular.size() - 1] <= least_singular * singular[0])
    reject("instruments",
           fmt::format("leave Z'A singular: singular values from {:.3g} to {:.3g}", singular[0],
                       singular[singular.size() - 1]),
           "the rows do not show every unknown, or the instruments are not correlated with them");
  fit.x = unit(a).asDiagonal() * scaled.fullPivLu().solve(unit(z).asDiagonal() * rows.Zy());
  fit.rss = of.rss(fit.x);
  return fit;
}

}  // namespace fathom::solve
