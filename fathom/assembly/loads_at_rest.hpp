#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "fathom/assembly/assembly.hpp"
#include "fathom/assembly/cluster.hpp"
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/model/environment.hpp"

namespace fathom::assembly {

/// How a robot lies in the water when nothing pushes it: its centre of buoyancy right above its centre of mass
/// (docs/assemblies.md eq. 11). What weight and buoyancy leave of each other is taken as held at the centre of
/// mass.
struct Equilibrium {
  Quat q_nb = Quat::Identity();  ///< turned from level the shortest way; without heading
  double tilt = 0;               ///< rad, between the robot's z axis and down
  double stiffness = 0;          ///< N m a radian: what rights it
  bool any_attitude = false;     ///< the centres coincide: it stays as it is put
};
Equilibrium equilibrium(const model::Robot& robot, const model::Environment& environment);

/// What the couplings of a cluster carry at the moment in which it starts from rest. There is no drag and no
/// Coriolis' term then, so that loads of several causes add up.
class LoadsAtRest {
 public:
  LoadsAtRest(const Assembly& assembly, std::size_t cluster, const model::Environment& environment);

  struct Answer {
    std::vector<Vec6> loads;             ///< by coupling of the cluster, as Cluster::loads has them
    Vec6 acceleration_b = Vec6::Zero();  ///< of the first module, in its own axes
  };
  /// Of wrenches on the modules, each in its own axes; without weight and buoyancy.
  Answer of_wrenches(std::span<const Vec6> wrenches_b) const;
  /// Of weight and buoyancy, with the first module in this attitude.
  Answer of_weight(const Quat& q_nb) const;

  const Cluster& cluster() const { return cluster_; }

 private:
  Cluster cluster_;
  std::vector<dynamics::Vehicle> vehicles_;
};

}  // namespace fathom::assembly
