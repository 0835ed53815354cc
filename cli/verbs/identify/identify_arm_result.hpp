#pragma once
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "fathom/identify/arm/arm_fit.hpp"
#include "fathom/identify/arm/drive_gain.hpp"

#include "cli/output.hpp"

namespace fathom::cli {

/// A run beside what the fit says of it.
struct ScoredRun {
  identify::ArmRun run;
  bool seen = false;                                     ///< the fit learnt from it
  std::vector<identify::Metrics> scores = {}, own = {};  ///< by joint; of the fit, and of the arm's own values
};

/// What `fathom identify --what arm` found.
struct ArmResult {
  std::string command, estimator;
  std::vector<std::string> notes = {};          ///< of reading the arm's file
  std::vector<identify::DriveGain> gains = {};  ///< that the controller told
  std::vector<ScoredRun> runs = {};
  std::optional<identify::ArmFit> fit = {};
  std::optional<model::Arm> after = {};  ///< of a consistent estimate
};
nlohmann::ordered_json summary_of(const ArmResult& result);
std::string text_of(const ArmResult& result);
/// Returns the names, that of the summary among them.
std::vector<std::string> write_files(const ArmResult& result, OutputFolder& out);

}  // namespace fathom::cli
