#pragma once
#include <string>
#include <vector>

#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"
#include "fathom/model/structure.hpp"

namespace fathom::model {

/// A robot's numbers in the words of a structure.
struct RobotParameters {
  /// The covariance is that of the robot's `identified` for what that holds in this environment, as long as the
  /// robot still has the identified value. The rest follows from the sigmas of the robot's values, to first
  /// order and without covariance to the former: a parameter that depends on a number without sigma, or of
  /// which the robot says nothing, is unknown (infinite variance, no covariance); a sigma of 0 is exact. Where
  /// a drag element stands is exact unless it has a sigma, because it says to which point the coefficients
  /// refer.
  ParameterVector parameters;
  /// What the robot has and the structure cannot hold, by name: off-diagonal terms, displaced quadratic drag
  /// ... Empty where Y theta reproduces the robot's dynamics.
  std::vector<std::string> left_out;
};

RobotParameters parameters_of(const Robot& robot, const Environment& environment, const Structure& structure);

/// The robot with these parameters in it. The dry body is taken as known: added mass, damping, volume and
/// centre of buoyancy take up the difference. Each value that changes gets `source` and the sigma of its
/// parameter (that of the total, as if the dry body were exact), infinite where unknown; `identified` takes the
/// parameters with their covariance, in the place of any earlier estimate, so that parameters_of gives them
/// back. (W and B apart come back if W is that of the dry mass; otherwise only W - B is kept.) Throws
/// InputError if the result is not physical, if the covariance is not positive semi-definite, or if m_ij and
/// m_ji stand apart and differ.
Robot with_parameters(const Robot& robot, const Environment& environment, const Structure& structure,
                      const ParameterVector& parameters, const std::string& source);
/// The same without the checks of the robot: for draws from an estimate's distribution.
Robot with_parameters_unchecked(const Robot& robot, const Environment& environment, const Structure& structure,
                                const ParameterVector& parameters, const std::string& source);

/// An identified parameter whose value is no longer the robot's own, because someone changed the robot: its
/// covariance is not used.
struct StaleParameter {
  std::size_t index;  ///< in `identified`
  double now;         ///< the robot's own value
};
std::vector<StaleParameter> stale_parameters(const Robot& robot);

}  // namespace fathom::model
