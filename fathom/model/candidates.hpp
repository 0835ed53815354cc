#pragma once
#include <string_view>
#include <vector>

#include "fathom/model/robot.hpp"
#include "fathom/model/structure.hpp"

namespace fathom::model {

/// Structures among which data can decide, from few terms to many in 4-DoF and again in 6-DoF:
///  linear      vehicle-23 of Panetsos: linear damping alone, 4-DoF
///  diagonal    M as the robot's planes allow, diagonal linear and quadratic damping, W-B, 4-DoF
///  quadratic   linear, with diagonal quadratic damping
///  cross       quadratic, with what quadratic drag becomes if its centre is not the body origin and top and
///              bottom differ: |u|, |w| on surge and heave, |v|, |r| on sway and yaw
///  6dof        M and linear damping as the planes allow, diagonal quadratic damping, W-B, first moments
///  6dof-cross  6dof, with |u| on surge and pitch, |v| on sway, roll and yaw, |w| on heave and pitch
///  6dof-oblique  6dof-cross, with drag by the speed of the other axes, as flow at an angle has it: |u| on
///  sway,
///              heave and yaw, |v| on surge and heave, |w| on surge and sway, |r| on surge, sway and heave
/// Each speed's cross terms are whole blocks of rows and columns, as far as the planes of the hull join them,
/// so that Q_j + Q_j' >= 0 has an inside (docs/consistency.md).
std::vector<std::string_view> candidate_names();

/// The candidate of that name for a robot, or the named vector of structure_by_name. Throws InputError with the
/// nearest name.
Structure candidate(std::string_view name, const Robot& robot);

/// All candidates. Where planes leave no cross terms, two have the same terms: the second is left out.
std::vector<Structure> candidate_structures(const Robot& robot);

/// The planes of `stated` that no term of the structure can break. A robot that states more rejects an estimate
/// with such a term: linear has d12, which port and starboard alike forbid.
Symmetry symmetry_of(const Structure& structure, const Symmetry& stated);

}  // namespace fathom::model
