#pragma once
#include "fathom/model/arm.hpp"

namespace fathom::model {

/// The arm with joint `held` fixed at q [rad, m], as a brake or a bolt does it: its link becomes part of the
/// one that it sits on, of the base where it sits there, and joints that sit on it sit on that one. Throws
/// InputError where no joint is left.
Arm with_joint_held(const Arm& arm, std::size_t held, double q);

}  // namespace fathom::model
