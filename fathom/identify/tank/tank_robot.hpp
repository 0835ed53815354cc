#pragma once
#include <string>

#include "fathom/identify/tank/free_decay.hpp"
#include "fathom/identify/tank/missing_dof.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"

// Robots with what a tank test found of one axis in them.
namespace fathom::identify {

/// The robot with this drag of one axis, and all else as it was. `source` goes behind that of the matrix. An
/// estimate that the robot carries is dropped: it is no longer of this robot. Throws InputError where the
/// robot's damping is not one element at the body origin, or what comes out is not physical.
model::Robot with_axis_drag(const model::Robot& robot, int axis, const AxisDrag& drag,
                            const std::string& source);

/// The robot with inertia, damping and centre of buoyancy as a free decay about roll or pitch shows them
/// (docs/tank-tests.md eq. 11); the added inertia is what the dry body leaves of it. About yaw nothing
/// restores: rejected.
model::Robot with_decay(const model::Robot& robot, const model::Environment& environment, int axis,
                        const DecayCoefficients& found, double equilibrium, double equilibrium_sigma,
                        const std::string& source);

}  // namespace fathom::identify
