#pragma once
#include <vector>

#include <Eigen/Core>

#include "fathom/solve/interior_point.hpp"

namespace fathom::solve::internal {

/// Symmetric positive definite matrix of independent banded blocks, and its factor U'U in the same place. Row i
/// of a block holds its entries (i, i) to (i, i + width - 1), so every inner loop runs over neighbours.
class BlockBand {
 public:
  struct Block {
    Eigen::Index first = 0, size = 0;  ///< of its unknowns in the stacked vector
    Eigen::Index width = 1;            ///< half-bandwidth plus one
    std::vector<double> entries;       ///< size x width
    double* row(Eigen::Index i) { return entries.data() + i * width; }
    const double* row(Eigen::Index i) const { return entries.data() + i * width; }
  };

  BlockBand(const std::vector<Eigen::Index>& sizes, const std::vector<Eigen::Index>& widths);

  Eigen::Index size() const { return size_; }
  std::size_t blocks() const { return blocks_.size(); }
  Block& block(std::size_t k) { return blocks_[k]; }
  const Block& block(std::size_t k) const { return blocks_[k]; }
  void set_diagonal(double sigma);  ///< sigma I
  void factor();
  /// U'^-1 V and U^-1 V in place; V is row-major, `columns` of each row's `stride` numbers are used.
  void solve_lower(double* V, Eigen::Index stride, Eigen::Index columns) const;
  void solve_upper(Eigen::VectorXd& v) const;

 private:
  Eigen::Index size_ = 0;
  std::vector<Block> blocks_;
  std::vector<double> diagonal_;  ///< scratch: of one block before it was factored
};

/// The rows of a program four by four: a panel holds up to four rows of one block whose unknowns lie in one
/// short range, densely and filled up with zeros, so that one pass over neighbouring numbers serves all four.
/// Numbers per row ("slots") are in the panels' order; rows that touch no unknown have none.
class RowPanels {
 public:
  static constexpr Eigen::Index height = 4;
  struct Row {
    std::size_t block = 0;
    Eigen::Index row = -1;  ///< -1 in a slot that fills up a panel
  };

  /// Of a program that passed `check`.
  explicit RowPanels(const BlockProgram& program);

  Eigen::Index unknowns() const { return unknowns_; }
  Eigen::Index slots() const { return static_cast<Eigen::Index>(rows_.size()); }
  const Row& row(Eigen::Index slot) const { return rows_[slot]; }
  BlockBand make_band() const { return {sizes_, widths_}; }

  void multiply(const Eigen::VectorXd& x, Eigen::ArrayXd& Ax) const;
  void multiply_transposed(const Eigen::ArrayXd& y, Eigen::VectorXd& At_y) const;
  /// H += A' diag(theta) A
  void add_gram(const Eigen::ArrayXd& theta, BlockBand& H) const;

 private:
  struct Panel {
    std::size_t block = 0;
    Eigen::Index first = 0;   ///< unknown, within the block
    Eigen::Index width = 0;   ///< unknowns
    std::size_t values = 0;   ///< where its coefficients begin, row by row
    Eigen::Index offset = 0;  ///< of the block in x
  };
  void add_block(std::size_t k, const SparseRows& A);
  /// Coefficients that two blocks share are kept once: they then stay in a near cache.
  void repeat_block(std::size_t twin, std::size_t k);

  Eigen::Index unknowns_ = 0;
  std::vector<Eigen::Index> sizes_, widths_;
  std::vector<Panel> panels_;
  std::vector<Row> rows_;
  std::vector<double> values_;
};

}  // namespace fathom::solve::internal
