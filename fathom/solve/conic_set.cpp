#include <algorithm>

#include <Eigen/Eigenvalues>

#include "fathom/solve/conic.hpp"
#include "fathom/solve/internal/check.hpp"
#include "fathom/solve/internal/conic_check.hpp"
#include "fathom/solve/internal/conic_inner.hpp"

namespace fathom::solve {
namespace {

constexpr double of_no_weight = 1e-3;  // of the largest: what an interior point leaves to the others

}  // namespace

Eigen::MatrixXd slack(const MatrixInequality& matrix, const Eigen::VectorXd& x) {
  Eigen::MatrixXd S = matrix.constant;
  for (const MatrixInequality::Entry& e : matrix.entries) {
    S(e.row, e.column) += e.value * x[e.unknown];
    S(e.column, e.row) = S(e.row, e.column);
  }
  return S;
}

double slack(const ScalarInequality& scalar, const Eigen::VectorXd& x) {
  double s = scalar.constant;
  for (const ScalarInequality::Entry& e : scalar.entries) s += e.value * x[e.unknown];
  return s;
}

std::vector<double> margins(const ConicSet& set, const Eigen::VectorXd& x) {
  internal::check(set);
  internal::check_point("x", x, set.unknowns);
  std::vector<double> result;
  for (const MatrixInequality& matrix : set.matrices)
    result.push_back(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(slack(matrix, x), Eigen::EigenvaluesOnly)
                         .eigenvalues()[0]);
  return result;
}

/// By tr(D Z), D the rows' scales of docs/solvers.md eq. 27: it has no unit.
std::vector<std::string> conflict(const ConicSet& set, const ConicResult& result) {
  if (result.status != ConicStatus::infeasible) return {};
  const Eigen::VectorXd rows = internal::scales_of(set).rows;
  std::vector<std::pair<double, std::string>> weighed;
  Eigen::Index first = 0;
  for (std::size_t k = 0; k < set.matrices.size(); ++k) {
    const Eigen::Index size = result.Z[k].rows();
    weighed.emplace_back(rows.segment(first, size).dot(result.Z[k].diagonal()), set.matrices[k].name);
    first += size;
  }
  for (std::size_t k = 0; k < set.scalars.size(); ++k, ++first)
    weighed.emplace_back(rows[first] * result.z[static_cast<Eigen::Index>(k)], set.scalars[k].name);
  double most = 0;
  for (const auto& [weight, name] : weighed) most = std::max(most, weight);
  std::vector<std::string> names;
  for (const auto& [weight, name] : weighed)
    if (weight > of_no_weight * most) names.push_back(name);
  return names;
}

}  // namespace fathom::solve
