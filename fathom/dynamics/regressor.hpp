#pragma once
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/model/structure.hpp"

namespace fathom::dynamics {

/// Current::convective_n is left out: it acts on the displaced mass alone, which is no parameter of its own.
Motion motion_of(const State& state, const Vec6& nu_dot_b, const model::Environment& environment,
                 const Current& current = {});

/// Y with tau = Y theta, tau the rows of the structure's free velocities and theta its parameters in order;
/// docs/model.md eqs. 16 to 18. `Y` must be (number of free velocities) x (number of terms). Does not allocate.
void regressor(const model::Structure& structure, const Motion& motion, Eigen::Ref<Eigen::MatrixXd> Y);
Eigen::MatrixXd regressor(const model::Structure& structure, const Motion& motion);

/// d nu_dot / d theta = -M^-1 Y at the motion that forward_dynamics gives; docs/model.md eq. 21. 6 x terms.
Eigen::MatrixXd forward_dynamics_by_parameters(const Vehicle& vehicle, const State& state, const Vec6& tau_b,
                                               const model::Structure& structure, const Current& current = {});

}  // namespace fathom::dynamics
