#pragma once
#include <string>
#include <vector>

#include "fathom/identify/thruster/step_law_choice.hpp"
#include "fathom/report/page.hpp"

namespace fathom::report {

/// What a page about a thruster's bollard test is made of.
struct ThrusterPage {
  std::string name;
  const identify::IdentifiedThruster* found;
  std::vector<std::string> columns = {};  ///< which of the table were taken, and their units
  std::string footer = {};
  const identify::StepLawChoice* steps = nullptr;  ///< of the runs, where there are any
  std::vector<identify::StepRun> runs = {};
};

/// The page that `fathom identify --what thruster` writes: curves with bands and points, why these laws, what
/// a table says of a voltage it lacks, thrust lost to inflow, and runs in time.
Page thruster_page(const ThrusterPage& page);

}  // namespace fathom::report
