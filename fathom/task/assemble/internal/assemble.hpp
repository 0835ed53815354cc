#pragma once
#include <cmath>

#include "fathom/report/page.hpp"
#include "fathom/task/assemble/assemble.hpp"

namespace fathom::task::internal {

/// Nothing, where a number is no more than rounding [N, N m].
inline double without_rounding(double value) { return std::abs(value) < 1e-7 ? 0 : value; }

/// Returns a cluster at rest in the water, its couplings marked, with an arrow for the force on the first
/// module of each, case by case.
report::Scene assembly_scene(const assembly::Assembly& assembly, const assembly::ClusterSurvey& survey);
/// Returns a vehicle with arms as lines from joint to joint to the last centre of mass.
report::Scene arms_scene(const model::VehicleWithArms& robot, const HeldArmsSummary& summary);

}  // namespace fathom::task::internal
