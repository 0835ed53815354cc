#include "fathom/solve/internal/check.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/solve/internal/compact_bfgs.hpp"
#include "fathom/solve/internal/conic_block.hpp"

namespace fathom::solve::internal {

namespace {

using Index = Eigen::Index;

bool is_constant(const SparseRows& A, Index row) {
  for (SparseRows::InnerIterator entry(A, row); entry; ++entry)
    if (entry.value() != 0) return false;
  return true;
}

void check_block(Findings& findings, std::size_t k, const Block& block) {
  if (block.lower.size() != block.A.rows() || block.upper.size() != block.A.rows())
    return add_error(findings, fmt::format("blocks[{}]", k),
                     fmt::format("has {} lower and {} upper bounds for {} rows", block.lower.size(),
                                 block.upper.size(), block.A.rows()));
  for (Index i = 0; i < block.A.rows(); ++i) {
    for (SparseRows::InnerIterator entry(block.A, i); entry; ++entry)
      if (!std::isfinite(entry.value()))
        add_error(findings, fmt::format("blocks[{}].A({}, {})", k, i, entry.col()),
                  fmt::format("= {}, must be finite", entry.value()));
    const double lower = block.lower[i], upper = block.upper[i];
    if (!(lower < upper) && !(is_constant(block.A, i) && lower == upper))
      add_error(findings, fmt::format("blocks[{}] row {}", k, i),
                fmt::format("has bounds [{}, {}], must have lower < upper", lower, upper),
                "a strictly inner point is needed: eliminate what is fixed");
  }
}

void check_reach(Findings& findings, const BlockProgram& program) {
  const Index reach = program.curvature_reach;
  if (reach < 0) add_error(findings, "curvature_reach", fmt::format("= {}, must be >= 0", reach));
  for (std::size_t k = 1; k < program.blocks.size() && reach > 0; ++k)
    if (program.blocks[k].A.cols() != program.blocks[0].A.cols())
      add_error(findings, fmt::format("blocks[{}]", k),
                fmt::format("has {} unknowns, must have {} as blocks[0]", program.blocks[k].A.cols(),
                            program.blocks[0].A.cols()),
                "curvature ties blocks unknown by unknown");
}

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

void check(const BlockProgram& program) {
  Findings findings;
  for (std::size_t k = 0; k < program.blocks.size(); ++k) check_block(findings, k, program.blocks[k]);
  check_reach(findings, program);
  if (!findings.empty()) throw InputError(std::move(findings));
}

void check_constant_rows(const BlockProgram& program) {
  Findings findings;
  for (const Conflict& row : constant_conflicts(program))
    add_error(findings, fmt::format("blocks[{}] row {}", row.block, row.row),
              fmt::format("touches no unknown, and its bounds miss 0 by {}", row.missed));
  if (!findings.empty()) throw InputError(std::move(findings));
}

void check(const InteriorPointOptions& options) {
  Findings findings;
  const auto require = [&findings](bool met, const char* key, double value, const char* rule) {
    if (!met) add_error(findings, key, fmt::format("= {}, must be {}", value, rule));
  };
  const InteriorPointOptions& o = options;
  static_assert(CompactBfgs::most_pairs == 20, "the text below says so");
  const bool mu_last_is_sound = o.mu_last > 0 && o.mu_last <= o.mu_first && o.mu_last < o.tolerance;
  require(o.memory >= 0 && o.memory <= CompactBfgs::most_pairs, "memory", o.memory, "0 to 20");
  require(o.mu_first > 0 && std::isfinite(o.mu_first), "mu_first", o.mu_first, "positive and finite");
  require(mu_last_is_sound, "mu_last", o.mu_last, "positive, at most mu_first and less than the tolerance");
  require(o.mu_factor > 1, "mu_factor", o.mu_factor, "more than 1");
  require(o.tolerance > 0, "tolerance", o.tolerance, "positive");
  require(o.progress >= 0, "progress", o.progress, ">= 0");
  require(o.patience >= 1, "patience", o.patience, "at least 1");
  require(o.iterations >= 0, "iterations", o.iterations, ">= 0");
  require(o.to_boundary > 0 && o.to_boundary < 1, "to_boundary", o.to_boundary, "between 0 and 1");
  if (!findings.empty()) throw InputError(std::move(findings));
}

void check_point(const char* name, const Eigen::VectorXd& x, Eigen::Index n) {
  if (x.size() != n || !x.allFinite())
    reject(name, fmt::format("has {} numbers, must have {}, all finite", x.size(), n));
}

std::vector<Conflict> constant_conflicts(const BlockProgram& program) {
  std::vector<Conflict> conflicts;
  for (std::size_t k = 0; k < program.blocks.size(); ++k) {
    const Block& block = program.blocks[k];
    for (Index i = 0; i < block.A.rows(); ++i) {
      const double missed = std::max(block.lower[i], -block.upper[i]);
      if (missed > 0 && is_constant(block.A, i)) conflicts.push_back({k, i, 0, missed});
    }
  }
  return conflicts;
}

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
