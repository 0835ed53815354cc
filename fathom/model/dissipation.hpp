#pragma once
#include <optional>

#include "fathom/model/robot.hpp"

namespace fathom::model {

/// Does damping take energy from every motion? docs/model.md eq. 22.
struct Dissipation {
  /// Each D_lin + D_lin' and Q_j + Q_j' of the element is positive semi-definite to rounding, which proves it.
  bool certified = false;
  /// A unit velocity at which the element gives energy away (nu' D nu < 0), where one was found.
  std::optional<Vec6> witness_nu;
  double witness_power = 0;  ///< nu' D nu there, of the linear or of the quadratic part alone, W
  bool witness_is_linear = false;
};

/// Looks at one element in its own frame; for all speeds at once, because the linear part decides at low speed
/// and the quadratic part at high speed, so each must dissipate alone.
Dissipation check_dissipation(const Mat6& linear, const QuadraticDrag& quadratic);

/// The smallest nu' (sum |nu_j| Q_j) nu over the unit sphere that a search of the 32 pairs of opposite orthants
/// finds, and where. Deterministic.
double smallest_quadratic_power(const QuadraticDrag& quadratic, Vec6* at_nu = nullptr);

}  // namespace fathom::model
