#pragma once
#include <span>
#include <vector>

#include "fathom/geometry/twist_map.hpp"
#include "fathom/geometry/types.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::dynamics {

/// A drag element, ready to be evaluated at the body origin; docs/model.md eqs. 10 and 11.
struct Drag {
  bool at_origin = true;
  TwistMap to_element;  ///< from the body's frame to the element's own
  Vec6 linear_diagonal = Vec6::Zero(), quadratic_diagonal = Vec6::Zero();  ///< of the linear part, and (Q_j)_jj
  std::vector<Mat6> matrices;  ///< the linear part, Q_1 to Q_6; none where they are all in the diagonals
};

/// Elements at the origin add up to one.
std::vector<Drag> make_drag_list(const std::vector<model::DragElement>& elements);

/// D(nu_r) with D(nu_r) nu_r the damping wrench at the origin of the body that the elements are on;
/// docs/model.md eqs. 10, 11.
Mat6 damping_matrix(std::span<const Drag> drags, const Vec6& nu_r_b);
/// D(nu_r) nu_r. `jacobian`: by nu_r; at nu_j = 0 cross terms |nu_j| nu_k have a kink, there the mean slope.
Vec6 damping_force(std::span<const Drag> drags, const Vec6& nu_r_b, Mat6* jacobian = nullptr);

}  // namespace fathom::dynamics
