#pragma once
#include "fathom/dynamics/arm_regressor.hpp"

namespace fathom::excite::internal {

/// How a link moves through still water, in its own frame.
struct LinkInWater {
  Vec6 twist;  ///< [v; w] of its origin
  Vec6 rate;   ///< of the twist, without gravity's share
  Vec3 g;      ///< gravity
};
/// Derivatives of a sum by the same, and by the twist s of a joint seen from the link.
struct LinkInWaterBar {
  Vec6 twist = Vec6::Zero(), rate = Vec6::Zero();
  Vec3 g = Vec3::Zero();
};

/// How many columns water adds to a link.
Eigen::Index water_count(const dynamics::ArmColumns& columns);
/// What a link's numbers of buoyancy, added mass and drag do to s' f; docs/arms.md eqs. 11 and 12. `out` has
/// room for water_count.
void water_row(const dynamics::ArmColumns& columns, const LinkInWater& at, const Vec6& s, double* out);
/// The way back: adds the derivatives of z' row by the link's motion and by s; docs/arm-excitation.md eq. 4.
void water_back(const dynamics::ArmColumns& columns, const LinkInWater& at, const Vec6& s, const double* z,
                LinkInWaterBar& bar, Vec6& s_bar);

}  // namespace fathom::excite::internal
