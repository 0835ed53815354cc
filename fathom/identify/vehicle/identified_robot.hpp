#pragma once
#include <optional>
#include <string>

#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"
#include "fathom/model/structure.hpp"

namespace fathom::identify {

/// The robot with identified parameters in it, and nothing else on the velocities that the structure has free:
/// a damping term that the structure lacks is zero there. What concerns held velocities (roll and pitch of a
/// 4-DoF structure) stays as it was, but what couples them to the free ones is made smaller where the whole
/// would not be physical. Damping becomes one element at the body origin. Planes of symmetry that a term of the
/// structure can break are no longer stated. Throws InputError where the
/// parameters themselves are not physical.
model::Robot identified_robot(const model::Robot& robot, const model::Environment& environment,
                              const model::Structure& structure, const model::ParameterVector& parameters,
                              const std::string& source,
                              const std::optional<model::IdentifiedParameters::Delay>& delay = {});

/// Returns the largest share, at most 1, of the robot's dry body that an estimate has room for: M - share M_rb
/// >= 0 on the free velocities. Below 1 where M was not held above the dry body and the robot file states too
/// heavy a one. Zero where M is not positive definite.
double dry_body_share(const model::Robot& robot, const model::Environment& environment,
                      const model::Structure& structure, const model::ParameterVector& parameters);

/// Returns the robot with this share of its dry mass and inertia. Centre of mass, W - B and the first moments
/// stay, so that volume and centre of buoyancy follow.
model::Robot with_dry_body_share(const model::Robot& robot, const model::Environment& environment, double share,
                                 const std::string& source);

}  // namespace fathom::identify
