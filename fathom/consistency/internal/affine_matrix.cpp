#include "fathom/consistency/internal/affine_matrix.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/model/dof.hpp"

namespace fathom::consistency::internal {

void AffineMatrix::add(std::size_t unknown, int row, int column, double value, std::string alone) {
  entries.push_back(
      {static_cast<int>(unknown), std::min(row, column), std::max(row, column), value, std::move(alone)});
}

bool AffineMatrix::has_unknown_diagonal(int row) const {
  return std::any_of(entries.begin(), entries.end(),
                     [row](const Entry& entry) { return entry.row == row && entry.column == row; });
}

bool AffineMatrix::joins(int row, int column) const {
  const int i = std::min(row, column), j = std::max(row, column);
  return constant(i, j) != 0 || std::any_of(entries.begin(), entries.end(), [i, j](const Entry& entry) {
           return entry.row == i && entry.column == j;
         });
}

/// The rows that entries join, each block in order.
std::vector<AffineMatrix::Rows> AffineMatrix::blocks(std::span<const int> free) const {
  Rows left;
  for (const int row : free)
    if (has_unknown_diagonal(row) || constant(row, row) > 0) left.push_back(row);
  std::vector<Rows> result;
  while (!left.empty()) {
    Rows block = {left.front()};
    left.erase(left.begin());
    for (std::size_t k = 0; k < block.size(); ++k) {
      const int row = block[k];
      const auto joined =
          std::stable_partition(left.begin(), left.end(), [&](int other) { return !joins(row, other); });
      block.insert(block.end(), joined, left.end());
      left.erase(joined, left.end());
    }
    std::sort(block.begin(), block.end());
    if (has_unknowns(block)) result.push_back(block);
  }
  return result;
}

bool AffineMatrix::has_unknowns(const Rows& rows) const {
  const auto inside = [&](int row) { return std::find(rows.begin(), rows.end(), row) != rows.end(); };
  return std::any_of(entries.begin(), entries.end(),
                     [&](const Entry& entry) { return inside(entry.row) && inside(entry.column); });
}

std::string AffineMatrix::name_for(const Rows& rows, std::span<const int> free) const {
  if (rows.size() == free.size()) return name;
  std::string list;
  for (std::size_t k = 0; k < rows.size(); ++k)
    list += fmt::format("{}{}", k == 0 ? "" : k + 1 == rows.size() ? " and " : ", ", model::dof_name(rows[k]));
  return fmt::format("{} of {}", name, list);
}

/// docs/consistency.md eq. 5: T (constant + sum x_k entry_k) T - least, T = scale^-1/2.
solve::MatrixInequality AffineMatrix::inequality(const Rows& rows, double least) const {
  const auto size = static_cast<Eigen::Index>(rows.size());
  const Vec6 T = scale.cwiseSqrt().cwiseInverse();
  solve::MatrixInequality result{"", Eigen::MatrixXd(size, size), {}};
  std::array<int, 6> place;
  place.fill(-1);
  for (int a = 0; a < size; ++a) {
    const int i = rows[static_cast<std::size_t>(a)];
    place[static_cast<std::size_t>(i)] = a;
    for (int b = 0; b < size; ++b) {
      const int j = rows[static_cast<std::size_t>(b)];
      result.constant(a, b) = T[i] * constant(i, j) * T[j];
    }
    if (has_unknown_diagonal(i)) result.constant(a, a) -= least;
  }
  for (const Entry& entry : entries) {
    const int a = place[static_cast<std::size_t>(entry.row)], b = place[static_cast<std::size_t>(entry.column)];
    if (a >= 0 && b >= 0)
      result.entries.push_back({entry.unknown, a, b, T[entry.row] * entry.value * T[entry.column]});
  }
  return result;
}

void AffineMatrix::add_to(solve::ConicSet& set, std::span<const int> free, double least) const {
  for (const Rows& rows : blocks(free)) {
    solve::MatrixInequality matrix = inequality(rows, least);
    if (rows.size() > 1) {
      matrix.name = name_for(rows, free);
      set.matrices.push_back(std::move(matrix));
      continue;
    }
    solve::ScalarInequality scalar{"", matrix.constant(0, 0), {}};
    for (const auto& entry : matrix.entries) scalar.entries.push_back({entry.unknown, entry.value});
    for (const Entry& entry : entries)
      if (entry.row == rows[0] && entry.column == rows[0]) scalar.name = entry.alone;
    set.scalars.push_back(std::move(scalar));
  }
}

}  // namespace fathom::consistency::internal
