#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "fathom/solve/conic.hpp"
#include "fathom/solve/internal/check.hpp"

namespace fathom::solve {
namespace {

constexpr double of_no_weight = 1e-3;  // of the largest: what an interior point leaves to the others

/// Of each unknown the largest value at which some inequality would hold just so; one where nothing tells.
Eigen::VectorXd sizes_of(const ConicSet& set) {
  Eigen::VectorXd size = Eigen::VectorXd::Zero(set.unknowns);
  const auto see = [&size](int unknown, double constant, double value) {
    if (value != 0) size[unknown] = std::max(size[unknown], std::abs(constant / value));
  };
  for (const MatrixInequality& matrix : set.matrices)
    for (const auto& e : matrix.entries)
      see(e.unknown, std::sqrt(std::abs(matrix.constant(e.row, e.row) * matrix.constant(e.column, e.column))),
          e.value);
  for (const ScalarInequality& scalar : set.scalars)
    for (const auto& e : scalar.entries) see(e.unknown, scalar.constant, e.value);
  for (double& s : size)
    if (s == 0) s = 1;
  return size;
}

/// What an inequality adds to the proof of docs/solvers.md eq. 32: the largest of y = A*(Z) in sizes of the
/// unknowns, and of <C, Z>. All have one unit.
double weight(const Eigen::VectorXd& y, const Eigen::VectorXd& size, double constant) {
  return std::max(y.cwiseProduct(size).cwiseAbs().maxCoeff(), std::abs(constant));
}

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

std::vector<std::string> conflict(const ConicSet& set, const ConicResult& result) {
  if (result.status != ConicStatus::infeasible) return {};
  const Eigen::VectorXd size = sizes_of(set);
  std::vector<std::pair<double, std::string>> weighed;
  for (std::size_t k = 0; k < set.matrices.size(); ++k) {
    const MatrixInequality& matrix = set.matrices[k];
    Eigen::VectorXd y = Eigen::VectorXd::Zero(set.unknowns);
    for (const auto& e : matrix.entries)
      y[e.unknown] += (e.row == e.column ? 1 : 2) * e.value * result.Z[k](e.row, e.column);
    weighed.emplace_back(weight(y, size, matrix.constant.cwiseProduct(result.Z[k]).sum()), matrix.name);
  }
  for (std::size_t k = 0; k < set.scalars.size(); ++k) {
    const double z = result.z[static_cast<Eigen::Index>(k)];
    Eigen::VectorXd y = Eigen::VectorXd::Zero(set.unknowns);
    for (const auto& e : set.scalars[k].entries) y[e.unknown] += e.value * z;
    weighed.emplace_back(weight(y, size, set.scalars[k].constant * z), set.scalars[k].name);
  }
  double most = 0;
  for (const auto& [value, name] : weighed) most = std::max(most, value);
  std::vector<std::string> names;
  for (const auto& [value, name] : weighed)
    if (value > of_no_weight * most) names.push_back(name);
  return names;
}

}  // namespace fathom::solve
