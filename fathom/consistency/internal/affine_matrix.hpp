#pragma once
#include <array>
#include <span>
#include <string>
#include <vector>

#include "fathom/geometry/types.hpp"
#include "fathom/solve/conic.hpp"

namespace fathom::consistency::internal {

/// A symmetric matrix over [u v w p q r] that is affine in the unknowns, on its way to inequalities.
struct AffineMatrix {
  struct Entry {
    int unknown;
    int row, column;
    double value;
    std::string alone;  ///< what to call the inequality if this entry alone makes it
  };
  std::string name;
  Vec6 scale = Vec6::Ones();  ///< of the diagonal, positive
  Mat6 constant = Mat6::Zero();
  std::vector<Entry> entries;

  void add(std::size_t unknown, int row, int column, double value, std::string alone);

  /// Adds to `set` that the rows and columns in `free` are at least `least` of their scale, block by block.
  /// A row whose diagonal is zero for every x is left out: see conditions.hpp.
  void add_to(solve::ConicSet& set, std::span<const int> free, double least) const;

 private:
  using Rows = std::vector<int>;
  bool has_unknown_diagonal(int row) const;
  bool joins(int row, int column) const;
  std::vector<Rows> blocks(std::span<const int> free) const;
  bool has_unknowns(const Rows& rows) const;
  solve::MatrixInequality inequality(const Rows& rows, double least) const;
  std::string name_for(const Rows& rows, std::span<const int> free) const;
};

}  // namespace fathom::consistency::internal
