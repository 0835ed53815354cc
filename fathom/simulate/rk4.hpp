#pragma once
#include "fathom/dynamics/vehicle.hpp"

namespace fathom::simulate {

/// One classical Runge-Kutta step of docs/model.md eqs. 1 and 14 with the wrench held over the step. The
/// current is given at the start of the step and changes by its acceleration. The quaternion is integrated in
/// R^4 and normalised once, after the step, so the order stays four.
dynamics::State rk4_step(const dynamics::Vehicle& vehicle, const dynamics::State& state, const Vec6& tau_b,
                         double dt, const model::Current& current = {});

}  // namespace fathom::simulate
