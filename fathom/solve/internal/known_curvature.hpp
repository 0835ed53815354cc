#pragma once
#include <vector>

#include "fathom/solve/interior_point.hpp"
#include "fathom/solve/internal/block_band.hpp"

namespace fathom::solve::internal {

/// The banded matrix H that an objective adds up. It ties blocks, so its rows stand in another order than x:
/// the first unknown of every block, then the second of every block, and so on.
class KnownCurvature final : public Curvature {
 public:
  explicit KnownCurvature(const BlockProgram& program);

  bool is_possible() const { return width_ > 0; }
  bool empty() const { return empty_; }  ///< nothing was added
  void clear();
  void add(Eigen::Index first, Eigen::Index count, const double* matrix) override;
  void multiply(const Eigen::VectorXd& x, Eigen::VectorXd& Hx) const;

  /// Of unknown i of block k.
  Eigen::Index position(std::size_t k, Eigen::Index i) const {
    return i * blocks_ + static_cast<Eigen::Index>(k);
  }
  /// A band that holds H and matrices whose blocks have at most the width of `others`.
  BlockBand make_band(const BlockBand& others) const;
  /// sum = H + blocks
  void add_to(const BlockBand& blocks, BlockBand& sum) const;

 private:
  Eigen::Index blocks_ = 0, size_ = 0, reach_ = 0;  ///< size: unknowns of a block
  Eigen::Index width_ = 0;                          ///< of the band; 0 where the program has no reach
  bool empty_ = true;
  BlockBand band_;
};

}  // namespace fathom::solve::internal
