#pragma once
#include <string>
#include <vector>

#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"
#include "fathom/model/structure.hpp"
#include "fathom/solve/conic.hpp"

namespace fathom::consistency {

struct ConstraintOptions {
  /// M - M_rb >= 0 where the dry body is known: mass, inertia and centre of mass of the robot. Otherwise M > 0.
  bool dry_body = true;
  bool dissipation = true;  ///< D_lin + D_lin' >= 0 and each Q_j + Q_j' >= 0, on the free velocities
  /// Diagonal terms of inertia and damping are not negative even where the matrices above are left out.
  bool signs = true;
  struct Bound {
    std::string parameter;
    double min, max;  ///< infinite: none
  };
  std::vector<Bound> bounds;
  double least = 1e-6;  ///< matrices stay this share of their scale inside, so that M has an inverse
};

/// What nature allows of the parameters of a structure, as inequalities with names for people, such as
/// "added mass (M - M_rb)", "linear damping", "quadratic damping |v|", "d11 >= 0". Rows and columns that the
/// structure does not have are left out; entries of M that it does not have are those of the robot. Throws
/// InputError for bounds on parameters that are not there. docs/consistency.md.
///
/// Matrices fall apart into the blocks that their entries join, named after their velocities ("linear damping
/// of sway and yaw"); a block of one is a scalar inequality. Both are free of units, divided by the scales of
/// eq. 5 there; bounds are in the units of their parameter. Off-diagonal damping in a row without a diagonal
/// term is held by nothing, because no inequality with an inside could hold it.
solve::ConicSet constraints(const model::Structure& structure, const model::Robot& robot,
                            const model::Environment& environment, const ConstraintOptions& options = {});

}  // namespace fathom::consistency
