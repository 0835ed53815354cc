#pragma once
#include <string>
#include <vector>

#include "fathom/exchange/export.hpp"
#include "fathom/exchange/internal/dry_body.hpp"

namespace fathom::exchange::internal {

/// A thruster as Gazebo Sim has it: a link that spins on a joint of the hull.
struct Propeller {
  std::string link, joint;
  Vec3 position_flu = Vec3::Zero();
  Vec3 axis_flu = Vec3::UnitX();  ///< of the force on the vehicle for positive thrust
  model::ForceRange force;        ///< N
  bool has_range = false;
  double diameter = 0;            ///< m
  double thrust_coefficient = 0;  ///< T = coefficient rho D^4 |w| w
  DryBody body;                   ///< in the hull's axes
};

/// The hull and its propellers, which together have the robot's mass, centre of mass and inertia. In FLU.
struct HullAndPropellers {
  DryBody hull;
  std::vector<Propeller> propellers;
};

HullAndPropellers hull_and_propellers(const model::Robot& robot, const model::Environment& environment);

}  // namespace fathom::exchange::internal
