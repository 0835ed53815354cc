#pragma once
#include <span>
#include <string>
#include <vector>

#include "fathom/assembly/assembly.hpp"
#include "fathom/assembly/cluster_survey.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/report/page.hpp"

namespace fathom::report {

/// What a page about an assembly is made of.
struct AssemblyPage {
  const assembly::Assembly* assembly;
  std::span<const assembly::ClusterSurvey> clusters;
  model::Environment environment = model::Environment();
  std::vector<FileLink> files = {};  ///< the merged robots
  std::string footer = {};
};

/// The page that `fathom assemble` writes: for each cluster how it lies in the water, what its couplings carry,
/// the merged robot and what its thrusters can do; then modules and couplings.
Page assembly_page(const AssemblyPage& page);

}  // namespace fathom::report
