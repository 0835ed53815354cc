#pragma once
#include <cstdint>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "fathom/excite/bounds.hpp"

namespace fathom::excite {

/// Multi-sines as an experienced user would write them: a few tones with random phases in each coordinate,
/// as large as the box limits allow. docs/excitation.md, "Multi-sines".
class Multisines {
 public:
  Multisines(const Problem& problem, const Bounds& bounds, const Eigen::VectorXd& centre);

  /// The free numbers of multi-sine `number`, strictly inside the boxes; seed and number name the random
  /// stream. `centre` is a path inside the boxes about which it swings.
  Eigen::VectorXd path(std::uint64_t seed, int number) const;

 private:
  /// Free numbers of one coordinate whose curve is nearest to the values at times_.
  Eigen::VectorXd fitted(const Eigen::VectorXd& values) const;

  const Problem& problem_;
  const Bounds& bounds_;
  Eigen::VectorXd centre_;
  Eigen::VectorXd times_;
  trajectory::SparseRows curve_;  ///< values of the curve at times_ by the free numbers
  Eigen::LLT<Eigen::MatrixXd> normal_;
  double fastest_ = 0;  ///< rad/s that the path can follow
};

}  // namespace fathom::excite
