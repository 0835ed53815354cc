#pragma once
#include <cstdint>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "fathom/base/random.hpp"
#include "fathom/excite/bounds.hpp"

namespace fathom::excite {

/// Multi-sines as an experienced user would write them: a few tones in each coordinate and segment, with phases
/// that leave a low crest factor, as large as the box limits allow. docs/excitation.md, "Multi-sines".
class Multisines {
 public:
  Multisines(const Problem& problem, const Bounds& bounds, const Eigen::VectorXd& centre);

  /// The free numbers of multi-sine `number`, strictly inside the boxes; seed and number name the random
  /// stream. `centre` is a path inside the boxes about which it swings.
  Eigen::VectorXd path(std::uint64_t seed, int number) const;

 private:
  /// What the coordinates of a multi-sine share.
  struct Tones {
    int count = 0;
    double span = 1, share = 1;  ///< highest over lowest; highest over the corner of the limits
    double falls = 0;            ///< amplitude ~ 1 / w^falls
  };
  /// Free numbers of one coordinate's swing in one segment, at rest beyond it, as large as its box allows.
  Eigen::VectorXd swing(std::size_t block, const Segment& segment, double begin, const Tones& tones,
                        RandomStream& random) const;
  /// The largest factor of a swing about the centre that the box allows; 0 for none.
  double reach(std::size_t block, const Eigen::VectorXd& swing) const;
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
