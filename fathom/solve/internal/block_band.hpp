#pragma once
#include <vector>

#include <Eigen/Core>

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

}  // namespace fathom::solve::internal
