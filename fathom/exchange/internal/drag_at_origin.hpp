#pragma once
#include <vector>

#include "fathom/exchange/export.hpp"

namespace fathom::exchange::internal {

/// All drag elements of a robot as one at the body origin, in FRD.
struct DragAtOrigin {
  Mat6 linear = Mat6::Zero();  ///< exact: H' D H, docs/model.md eq. 11
  /// Exact for elements whose speeds are, up to a factor, speeds of the body at its origin; the others are in
  /// `losses`.
  model::QuadraticDrag quadratic;
  std::vector<Loss> losses;
};

DragAtOrigin drag_at_origin(const model::Robot& robot);

}  // namespace fathom::exchange::internal
