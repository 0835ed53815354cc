#pragma once
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "fathom/identify/thruster.hpp"

#include "cli/output.hpp"

namespace fathom::cli {

/// What `fathom identify --what thruster` found.
struct ThrusterResult {
  std::string name, command;
  std::vector<std::string> columns;  ///< which of the table were taken
  identify::IdentifiedThruster found;
};
nlohmann::ordered_json summary_of(const ThrusterResult& result);
std::string text_of(const ThrusterResult& result);
/// Map and report. Returns the names, that of the summary among them.
std::vector<std::string> write_files(const ThrusterResult& result, OutputFolder& out);

}  // namespace fathom::cli
