#pragma once
#include <string>
#include <vector>

#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"
#include "fathom/model/structure.hpp"

namespace fathom::model {

/// A robot's numbers in the words of a structure.
struct RobotParameters {
  /// The covariance follows from the robot's sigmas to first order; a parameter to which no value with a sigma
  /// contributes has infinite variance.
  ParameterVector parameters;
  /// What the robot has and the structure cannot hold, by name: off-diagonal terms, displaced quadratic drag
  /// ... Empty where Y theta reproduces the robot's dynamics.
  std::vector<std::string> left_out;
};

RobotParameters parameters_of(const Robot& robot, const Environment& environment, const Structure& structure);

/// The robot with these parameters in it. The dry body is taken as known: added mass, damping, volume and
/// centre of buoyancy take up the difference. Each value that changes gets `source` and the sigma of its
/// parameter. Throws InputError if the result is not physical, or if m_ij and m_ji stand apart and differ.
Robot with_parameters(const Robot& robot, const Environment& environment, const Structure& structure,
                      const ParameterVector& parameters, const std::string& source);

}  // namespace fathom::model
