#pragma once
#include <string>
#include <vector>

#include "fathom/assembly/assembly.hpp"
#include "fathom/base/error.hpp"

namespace fathom::assembly::internal {

/// Of one kind: a slip that is everywhere is then told often enough.
inline constexpr std::size_t most_findings = 20;

/// Where the modules of a sound specification (spec_check.hpp) sit.
struct Placement {
  std::vector<Pose> poses;                         // by module
  std::vector<std::vector<std::size_t>> clusters;  // modules, in the order of the file
  std::vector<std::size_t> cluster_of;             // by module
  std::vector<bool> is_placed;                     // by cluster: in the assembly's frame, not in one of its own
  Findings findings;                               // couplings that do not close
};

/// From one module to the next along the couplings, breadth first: each is looked at once or twice.
Placement place(const AssemblySpec& spec);

/// The connector of an end of a coupling.
inline const model::Connector& connector_at(const AssemblySpec& spec, const End& end) {
  return spec.modules[end.module].connectors[end.connector];
}
/// `A.starboard`
std::string end_name(const AssemblySpec& spec, const End& end);
/// `12.0 mm and 3.00 degrees`
std::string gap_text(const Misfit& gap);

}  // namespace fathom::assembly::internal
