#include <Eigen/LU>
#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/solve/internal/triangle.hpp"

namespace fathom::solve {
namespace {

constexpr double least_singular = 1e-12;  // of Z'A with columns of Z and A of unit length

}  // namespace

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
