#pragma once
#include "fathom/assembly/assembly.hpp"
#include "fathom/assembly/cluster_survey.hpp"
#include "fathom/report/page.hpp"

namespace fathom::report::internal {

/// A cluster at rest in the water, its couplings marked, with an arrow for the force on the first module of
/// each, case by case.
Scene assembly_scene(const assembly::Assembly& assembly, const assembly::ClusterSurvey& survey);

/// "12.3 N, 0.4 N m": how large a load is.
std::string load_text(const Vec6& load);

/// Nothing, where a number is no more than rounding [N, N m].
double without_rounding(double value);

}  // namespace fathom::report::internal
