#pragma once
#include "fathom/assembly/assembly.hpp"
#include "fathom/assembly/internal/placement.hpp"
#include "fathom/base/error.hpp"

namespace fathom::assembly::internal {

/// More are a slip: a cluster of this many takes minutes to simulate one.
inline constexpr std::size_t most_modules = 4096, most_couplings = 4 * most_modules;

/// Everything wrong with an assembly apart from where its modules sit: counts, names, numbers, ends of
/// couplings that do not exist or are used twice. Keys are modules[3], couplings[2].name, tolerance.
Findings check_spec(const AssemblySpec& spec);

/// Modules in one place: same pose, or the middle of one within the box of the other. Only of modules that are
/// placed with respect to each other.
Findings check_room(const AssemblySpec& spec, const Placement& placement);

/// Modules that do not hang on the first one, where `one_cluster` says that all do.
Findings check_one_cluster(const AssemblySpec& spec, const Placement& placement);

}  // namespace fathom::assembly::internal
