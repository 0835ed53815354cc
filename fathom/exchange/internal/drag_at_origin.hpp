#pragma once
#include <string_view>
#include <vector>

#include "fathom/exchange/export.hpp"

namespace fathom::exchange::internal {

/// What a format with one number of quadratic drag a velocity holds of all drag elements, at the body origin.
struct OneDrag {
  Mat6 linear = Mat6::Zero();
  Vec6 quadratic = Vec6::Zero();  ///< (Q_j)_jj, j = u v w p q r
};

/// Adds what is lost: couplings of quadratic drag, and what of it stands away from the origin. `format` is how
/// people call it.
OneDrag one_drag(const model::Robot& robot, std::string_view format, std::vector<Loss>& losses);

/// The diagonal, with a loss where there is more. `key` is that of the robot file.
Vec6 diagonal_of(const Mat6& m, const std::string& key, std::string_view format, std::vector<Loss>& losses);

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
