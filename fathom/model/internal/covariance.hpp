#pragma once
#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"
#include "fathom/model/structure.hpp"

namespace fathom::model::internal {

/// From the sigmas of the robot's values, to first order and as if they were independent. A parameter is
/// unknown (infinite variance, no covariance) if it depends on a number without sigma or with an infinite one,
/// or if nothing in the robot speaks of it. The pose of a drag element without a sigma is exact.
Eigen::MatrixXd covariance_by_sigmas(const Structure& structure, const RobotSpec& spec,
                                     const Environment& environment);

/// Does the robot still have the identified value, to rounding? One answer for each identified parameter.
std::vector<bool> still_holds(const IdentifiedParameters& identified, const RobotSpec& spec);

/// Puts what was identified, and still holds, in place of what the sigmas say.
void apply_identified(const IdentifiedParameters& identified, const RobotSpec& spec, const Structure& structure,
                      Eigen::MatrixXd& covariance);

}  // namespace fathom::model::internal
