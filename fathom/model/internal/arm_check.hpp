#pragma once
#include "fathom/model/arm.hpp"

namespace fathom::model::internal {

/// Everything that keeps `spec` from being an arm: bodies that do not exist, joints that come before what they
/// sit on, limits that are none, transmissions that cannot move their joint through its range. Keys are the
/// paths of the arm file below `arm`.
Findings check_arm(const ArmSpec& spec);

}  // namespace fathom::model::internal
