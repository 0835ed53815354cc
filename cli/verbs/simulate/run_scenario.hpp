#pragma once
#include <string>

#include <nlohmann/json.hpp>

#include "fathom/loop/scenario.hpp"
#include "fathom/loop/statistics.hpp"

#include "cli/output.hpp"

namespace fathom::cli {

/// What came of running a scenario.
struct ScenarioRun {
  bool failed = false;  ///< the motion of a vehicle ran away
  std::string failed_vehicle;
  double simulated = 0, wall_seconds = 0;  ///< s
  std::vector<loop::VehicleStatistics> vehicles;
  std::vector<loop::CouplingStatistics> couplings;
  std::vector<loop::ClusterStatistics> clusters;
  std::vector<loop::Event> events;
  nlohmann::ordered_json summary;
  std::string text;  ///< for people
};

/// Runs it with a progress bar; log and report go into `out`, which is not yet committed. The summary is the
/// verb's to complete and write.
ScenarioRun run_scenario(const loop::Scenario& scenario, std::uint64_t seed, const std::string& command,
                         OutputFolder& out);

}  // namespace fathom::cli
