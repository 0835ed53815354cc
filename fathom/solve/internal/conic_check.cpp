#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/solve/internal/check.hpp"
#include "fathom/solve/internal/conic_block.hpp"

namespace fathom::solve::internal {
namespace {

constexpr double asymmetry = 1e-12;  // of a matrix, over its diagonal

void finish(Findings findings) {
  if (!findings.empty()) throw InputError(std::move(findings));
}

template <class Entry>
void check_entry(Findings& findings, const std::string& key, const Entry& entry, int unknowns) {
  if (entry.unknown < 0 || entry.unknown >= unknowns)
    add_error(findings, key,
              fmt::format("has an entry of unknown {}, must be 0 to {}", entry.unknown, unknowns - 1));
  if (!std::isfinite(entry.value))
    add_error(findings, key,
              fmt::format("has an entry {} of unknown {}, must be finite", entry.value, entry.unknown));
}

void check_matrix(Findings& findings, const std::string& key, const MatrixInequality& matrix, int unknowns) {
  const Eigen::Index m = matrix.constant.rows();
  static_assert(block::most_rows == 12, "the text below says so");
  if (m != matrix.constant.cols() || m < 1 || m > block::most_rows)
    return add_error(findings, key,
                     fmt::format("is {} x {}, must be square of 1 to 12 rows", m, matrix.constant.cols()));
  if (!matrix.constant.allFinite()) return add_error(findings, key, "has a constant that is not finite");
  if ((matrix.constant - matrix.constant.transpose()).cwiseAbs().maxCoeff() >
      asymmetry * matrix.constant.cwiseAbs().maxCoeff())
    add_error(findings, key, "has a constant that is not symmetric");
  for (const MatrixInequality::Entry& entry : matrix.entries) {
    check_entry(findings, key, entry, unknowns);
    if (entry.row < 0 || entry.row > entry.column || entry.column >= m)
      add_error(findings, key,
                fmt::format("has an entry at ({}, {}), must have 0 <= row <= column < {}", entry.row,
                            entry.column, m));
  }
}

bool is_symmetric(const Eigen::MatrixXd& A) {
  double worst = 0;  // no early end: this is asked at every solve, and runs without branches
  for (Eigen::Index j = 0; j < A.cols(); ++j)
    for (Eigen::Index i = 0; i < j; ++i)
      worst =
          std::max(worst, std::abs(A(i, j) - A(j, i)) - asymmetry * (std::abs(A(i, i)) + std::abs(A(j, j))));
  return worst <= 0;
}

void check_square(Findings& findings, const char* key, const Eigen::MatrixXd& A, int n) {
  if (A.rows() != n || A.cols() != n || !A.allFinite())
    return add_error(findings, key,
                     fmt::format("is {} x {}, must be {} x {}, all finite", A.rows(), A.cols(), n, n));
  if (!is_symmetric(A)) add_error(findings, key, "is not symmetric");
  for (int i = 0; i < n; ++i)
    if (A(i, i) < 0) add_error(findings, key, fmt::format("has {} on its diagonal, must be >= 0", A(i, i)));
}

}  // namespace

void check(const ConicSet& set) {
  Findings findings;
  if (set.unknowns < 1) add_error(findings, "unknowns", fmt::format("= {}, must be at least 1", set.unknowns));
  for (std::size_t k = 0; k < set.matrices.size(); ++k)
    check_matrix(findings, fmt::format("matrices[{}] \"{}\"", k, set.matrices[k].name), set.matrices[k],
                 set.unknowns);
  for (std::size_t k = 0; k < set.scalars.size(); ++k) {
    const std::string key = fmt::format("scalars[{}] \"{}\"", k, set.scalars[k].name);
    if (!std::isfinite(set.scalars[k].constant))
      add_error(findings, key, fmt::format("has the constant {}, must be finite", set.scalars[k].constant),
                "leave out bounds that are infinite");
    for (const ScalarInequality::Entry& entry : set.scalars[k].entries)
      check_entry(findings, key, entry, set.unknowns);
  }
  finish(std::move(findings));
}

void check(const ConicOptions& options) {
  Findings findings;
  const auto require = [&findings](bool met, const char* key, double value, const char* rule) {
    if (!met) add_error(findings, key, fmt::format("= {}, must be {}", value, rule));
  };
  require(options.relative_gap >= 0 && options.relative_gap < 1, "relative_gap", options.relative_gap,
          "0 to 1");
  require(options.absolute_gap >= 0, "absolute_gap", options.absolute_gap, ">= 0");
  require(options.most_iterations >= 0, "most_iterations", options.most_iterations, ">= 0");
  finish(std::move(findings));
}

void check(const ConicObjective& objective, int unknowns) {
  Findings findings;
  check_square(findings, "G", objective.G, unknowns);
  if (objective.Q.size() > 0) check_square(findings, "Q", objective.Q, unknowns);
  if (objective.b.size() != unknowns || !objective.b.allFinite())
    add_error(findings, "b",
              fmt::format("has {} numbers, must have {}, all finite", objective.b.size(), unknowns));
  if (objective.x0.size() > 0 && (objective.x0.size() != unknowns || !objective.x0.allFinite()))
    add_error(findings, "x0",
              fmt::format("has {} numbers, must have {}, all finite", objective.x0.size(), unknowns));
  if (!(objective.c >= 0) || !std::isfinite(objective.c))
    add_error(findings, "c", fmt::format("= {}, must be >= 0 and finite", objective.c),
              "it is a sum of squares");
  if (!(objective.huber > 0))
    add_error(findings, "huber", fmt::format("= {}, must be positive", objective.huber), "infinite: no bend");
  finish(std::move(findings));
}

void reject_indefinite(const ConicObjective& objective) {
  reject(objective.Q.size() > 0 ? "G + Q" : "G",
         "has a direction of negative curvature, must be positive semi-definite",
         "A'A is; what is taken out of it must leave it so");
}

}  // namespace fathom::solve::internal
