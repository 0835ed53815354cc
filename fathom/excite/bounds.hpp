#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/error.hpp"
#include "fathom/excite/problem.hpp"
#include "fathom/solve/interior_point.hpp"
#include "fathom/trajectory/basis.hpp"

namespace fathom::excite {

/// Knot intervals of the spline, by segment.
std::vector<int> intervals_of(const Problem& problem);
/// Free numbers of one coordinate: the size of basis_of.
long free_numbers(const Problem& problem);
/// Entries that are not zero in the matrix of each coordinate, or a little more.
double matrix_entries(const Problem& problem);

trajectory::Basis basis_of(const Problem& problem);

/// The box limits of a problem over the free numbers of its path: one block per moving coordinate.
struct Bounds {
  trajectory::Basis basis;
  solve::BlockProgram program;
  /// What each row of each block bounds.
  std::vector<std::vector<trajectory::Enclosure::Label>> labels;
};

/// Throws InputError where a limit is broken by start or end alone.
Bounds bounds_of(const Problem& problem);

/// A path strictly inside all box limits. Throws InputError that names the limits in conflict, by how much they
/// are missed, and the least duration that would do.
Eigen::VectorXd inner_path(const Problem& problem, const Bounds& bounds);

/// The pose limits that hold where each free number has most weight: for random paths.
std::vector<Range> ranges_of(const Problem& problem, const trajectory::Basis& basis, int coordinate);

}  // namespace fathom::excite
