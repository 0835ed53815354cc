#pragma once
#include "fathom/geometry/types.hpp"

namespace fathom::dynamics::internal {

/// C(nu) nu for momentum M nu: the rate at which the body axes turn and carry momentum; docs/model.md eq. 9.
/// Holds for any origin and any symmetric M, rigid body and added mass alike (Kirchhoff).
Vec6 coriolis_force(const Vec6& momentum, const Vec6& nu_b);

/// The skew-symmetric C(nu) with C(nu) nu = coriolis_force(M nu, nu); docs/model.md eq. 8, Fossen 2011
/// eq. 6.43.
Mat6 coriolis_matrix(const Mat6& M, const Vec6& nu_b);

/// d/dnu of C(nu) nu.
Mat6 coriolis_jacobian(const Mat6& M, const Vec6& nu_b);

}  // namespace fathom::dynamics::internal
