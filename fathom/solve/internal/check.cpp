#include "fathom/solve/internal/check.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/solve/internal/compact_bfgs.hpp"

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

}  // namespace fathom::solve::internal
