#pragma once
#include <cstdint>

#include "fathom/identify/arm/arm_fit.hpp"

namespace fathom::identify::test {

/// Three joints in air, not in one plane. `built` as it stands on the bench, else as drawn: other masses,
/// centres and inertias, no friction. With drives: gears whose motors have inertia and friction.
model::Arm bench_arm(bool built, bool with_motors = false);

/// The same three links in sealed hulls under water, without motors: volumes, added mass and drag on the
/// diagonals at the links' origins; built, another third of buoyancy and about twice the drag of the drawing.
model::Arm bench_arm_in_water(bool built);

struct Bench {
  double noise = 0.05;     ///< N m, of efforts, with a memory of five samples
  double count = 2e-5;     ///< rad, of positions
  double stiffness = 2e4;  ///< N m/rad, between the joint and the motor that is counted
  double stribeck = 0.02;  ///< N m more of dry friction near rest; no column has it
  double rate_hz = 100, seconds = 15;
  bool by_current = false;
  // In water; of these only the first has columns.
  bool in_water = false;
  double drag_exponent = 2;  ///< of the quadratic drag, the same at 0.5 m/s or rad/s
  double lag = 0;            ///< s, of the measured effort
  // Friction that no column has, beside `stribeck`.
  double stribeck_speed = 0.05;  ///< rad/s, at which the peak near rest has fallen
  double load_friction = 0;      ///< share of the torque of the links, against the motion
  double ripple = 0;             ///< share of the dry friction, over the joint's angle
};
/// Efforts by the recursion of inverse dynamics and a friction curve of its own, not by a regressor; positions
/// counted on the motor's side of a flexible joint. `motion` picks the trajectory, `seed` the noise.
ArmRun bench_run(const model::Arm& arm, std::uint64_t motion, std::uint64_t seed, const Bench& bench = {});

/// How it is fitted: friction and an offset at each joint, on a base whose z is up.
ArmFitOptions bench_options(ArmFitOptions::Estimator estimator,
                            dynamics::Medium medium = dynamics::Medium::air);

}  // namespace fathom::identify::test
