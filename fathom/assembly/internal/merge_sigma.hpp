#pragma once
#include <span>
#include <string>
#include <vector>

#include "fathom/assembly/internal/merge_parts.hpp"

namespace fathom::assembly::internal {

/// Sigmas of the merged hull's values, to first order: numbers of one robot file err alike in all its modules,
/// and apart from each other and from other files (docs/assemblies.md eq. 10). Poses are exact.
void carry_hull_sigmas(std::span<const MergePart> parts, model::Hull& merged, std::vector<std::string>& losses);

}  // namespace fathom::assembly::internal
