#pragma once
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/geometry/pose.hpp"

namespace fathom::assembly {

/// Where body b sits in the frame of body a once a connector of each is mated with the other's,
/// docs/assemblies.md eq. 1: same place, x axes opposed, z axes alike; `turn` [rad] turns b about the x axis of
/// a's connector.
Pose mated_pose(const Pose& connector_a, const Pose& connector_b, double turn);

/// How far two bodies are from sitting as in `pose_ab`.
struct Misfit {
  double distance = 0;  ///< m
  double angle = 0;     ///< rad
};
/// `actual` and `wanted`: of body b in body a, told apart at `connector_b`, a place on b.
Misfit misfit(const Pose& actual, const Pose& wanted, const Pose& connector_b);

/// Two connectors on their way to each other.
struct Meeting {
  Misfit misfit;
  double speed = 0;      ///< m/s, of one connector seen from the other
  double turn_rate = 0;  ///< rad/s, of one body seen from the other
};
Meeting meeting(const dynamics::State& a, const Pose& connector_a, const dynamics::State& b,
                const Pose& connector_b, double turn);

/// What a latch catches.
struct Latch {
  double distance = 0.03;   ///< m, the funnel of a small docking port
  double angle = 0.1745;    ///< rad, 10 degrees
  double speed = 0.2;       ///< m/s
  double turn_rate = 0.35;  ///< rad/s, 20 degrees a second
  bool catches(const Meeting& meeting) const;
};

}  // namespace fathom::assembly
