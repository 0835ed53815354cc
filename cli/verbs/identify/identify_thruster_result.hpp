#pragma once
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "fathom/identify/thruster/step_law_choice.hpp"

#include "cli/output.hpp"

namespace fathom::cli {

/// What `fathom identify --what thruster` found.
struct ThrusterResult {
  std::string name, command;
  std::vector<std::string> columns;  ///< which of the table were taken
  identify::IdentifiedThruster found;
  std::vector<identify::StepRun> runs = {};           ///< in time
  std::optional<identify::StepLawChoice> steps = {};  ///< of these
};
nlohmann::ordered_json summary_of(const ThrusterResult& result);
std::string text_of(const ThrusterResult& result);
// Of the runs in time; the map goes with the law.
nlohmann::ordered_json steps_json(const std::optional<identify::StepLawChoice>& choice);
std::string steps_text(const identify::StepLawChoice& choice, const std::string& name);
std::string steps_yaml(const ThrusterResult& result);
/// Map and report. Returns the names, that of the summary among them.
std::vector<std::string> write_files(const ThrusterResult& result, OutputFolder& out);

}  // namespace fathom::cli
