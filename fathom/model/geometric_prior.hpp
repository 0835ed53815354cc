#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/error.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/model/hull_shape.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::model {

/// Does water stay outside the shape, or go through it?
enum class HullKind { closed, open_frame };

/// What is known of a vehicle that has never been in water. What is given keeps its source and sigma.
struct HullDescription {
  std::string name, title, notes;
  HullKind kind = HullKind::closed;
  HullShape hull;
  Value<double> mass;                             ///< kg, dry
  std::optional<Value<double>> volume;            ///< m^3; absent: neutral in the water of the prior
  std::optional<Value<Mat3>> inertia;             ///< kg m^2, about the centre of mass, body axes
  std::optional<Value<Vec3>> centre_of_mass;      ///< m, in b; absent: the middle of the shape
  std::optional<Value<Vec3>> centre_of_buoyancy;  ///< m, in b; absent: a little above that
  std::vector<Thruster> thrusters;
  std::vector<Sensor> sensors;
  std::optional<CommandPath> command_path = std::nullopt;
};

/// A robot from the shape of its hull, with the sigmas that such guesses deserve: docs/prior.md. Throws
/// InputError: a mass or dimension that is not positive, a volume that does not fit.
Robot geometric_prior(const HullDescription& description, const Environment& environment);

/// What is odd about the description: a closed hull that displaces far less than its shape holds.
Findings warnings_about(const HullDescription& description, const Environment& environment);

}  // namespace fathom::model
