#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/error.hpp"
#include "fathom/model/parameters.hpp"

namespace fathom::model {

/// What an estimate said of the robot that carries it: parameters of the whole vehicle, such as m11 = mass plus
/// added mass, with their full covariance. The robot's own values and sigmas cannot hold that: the parts of a
/// total may be unknown where the total is well known, and a sigma has no correlation.
struct IdentifiedParameters {
  std::string structure;       ///< a name of structure.hpp, or any other, for people
  double density = 0;          ///< kg/m^3, of the water of the estimate
  double gravity = 0;          ///< m/s^2
  ParameterVector parameters;  ///< infinite variance, without covariances, for what the data did not show
  std::string source;
  /// From a command to the force that moves the vehicle: what the thrusters' own transients leave of it.
  struct Delay {
    double value = 0, sigma = 0;  ///< s
  };
  std::optional<Delay> delay = {};
};

/// Everything wrong with it: names that are unknown, used twice or not of the structure, numbers that are not
/// finite, a covariance that is not positive semi-definite. Keys are the paths of the robot file.
Findings check_identified(const IdentifiedParameters& identified);

}  // namespace fathom::model
