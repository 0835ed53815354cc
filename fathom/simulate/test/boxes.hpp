#pragma once
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/simulate/contact.hpp"

namespace fathom::simulate::test {

using dynamics::State;
using dynamics::Vehicle;

/// A box of 0.4 x 0.3 x 0.2 m that weighs `mass` and displaces 12 litres.
inline model::Robot box(double mass, const Vec3& centre = Vec3::Zero(), double drag = 0) {
  model::RobotSpec spec;
  spec.name = "box";
  spec.hull.mass.value = mass;
  spec.hull.volume.value = 0.012;
  spec.hull.inertia.value = Vec3(0.13, 0.2, 0.25).asDiagonal();
  spec.hull.centre_of_mass.value = spec.hull.centre_of_buoyancy.value = centre;
  spec.hull.added_mass.value.topLeftCorner<3, 3>() = Vec3(5, 7, 12).asDiagonal();
  spec.hull.added_mass.value.bottomRightCorner<3, 3>() = 0.1 * Mat3::Identity();
  spec.hull.size.emplace().value = {0.4, 0.3, 0.2};
  model::DragElement element;
  element.name = "hull";
  element.linear.value = drag * Mat6::Identity();
  spec.damping.push_back(element);
  return model::Robot::make_unchecked(spec);
}

inline Tank pool() { return {{-3, -2, 0}, {3, 2, 4}}; }

/// Classical Runge-Kutta with the wrench asked for at each stage, as a simulator does.
State step(const Vehicle& vehicle, const Contact& contact, const State& state, double h);

/// The restitution that a damping of Hunt and Crossley gives at this speed; docs/water.md eq. 17.
double restitution_of_damping(double damping, double speed);

}  // namespace fathom::simulate::test
