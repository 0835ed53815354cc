#pragma once
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/identify/vehicle/recording.hpp"

namespace fathom::identify::internal {

/// Measured roll and pitch of one instant, with the velocities and accelerations that go with them.
struct Tilt {
  double roll, pitch;  ///< rad
  Vec6 nu_b, nu_dot_b;
};
Tilt tilt_of(const Recording& recording, Eigen::Index k);

/// Wrench of the thrusters at both ends of a step and in its middle.
struct StepWrench {
  Vec6 begin, middle, end;
};

/// Returns the state a time `h` later of a vehicle that holds roll and pitch: its velocities and heading by the
/// model (Runge-Kutta 4), roll, pitch, their rates and accelerations as measured at both ends of the step.
dynamics::State tilted_step(const dynamics::Vehicle& vehicle, const model::Current& current,
                            const dynamics::State& state, const Tilt& from, const Tilt& to,
                            const StepWrench& tau_b, double h);

/// Returns the wrench that accelerates the velocities which the vehicle holds: M times their measured
/// accelerations.
Vec6 wrench_of_held(const dynamics::Vehicle& vehicle, const Vec6& nu_dot_b);

}  // namespace fathom::identify::internal
