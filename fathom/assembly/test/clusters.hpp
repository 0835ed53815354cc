#pragma once
#include <vector>

#include "fathom/assembly/cluster.hpp"
#include "fathom/base/random.hpp"
#include "fathom/dynamics/vehicle.hpp"

namespace fathom::assembly::test {

/// Vehicles that couplings hold, somewhere under way, each under a wrench of its own.
struct Docked {
  std::vector<dynamics::Vehicle> vehicles;
  std::vector<Pose> poses;  ///< in the frame of the first
  std::vector<Link> links;
  std::vector<dynamics::State> states;
  std::vector<Vec6> wrenches;

  std::vector<Mat6> inertias() const;
  Cluster cluster() const { return Cluster(inertias(), poses, links); }
  /// Accelerations that each would have alone.
  std::vector<Vec6> alone() const;
  std::vector<Vec6> velocities() const;
};

/// A random tree of `bodies` of all robots, with `loops` couplings more. Every second body is turned by
/// quarters against its neighbour, the others anyhow.
Docked random_docked(std::size_t bodies, std::size_t loops, RandomStream& random);

/// Sets states so that all move as one.
void move_as_one(Docked& docked, const dynamics::State& first);

}  // namespace fathom::assembly::test
