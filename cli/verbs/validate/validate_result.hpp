#pragma once
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "fathom/identify/commanded/vehicle_score.hpp"
#include "fathom/identify/vehicle/validation.hpp"

#include "cli/output.hpp"

namespace fathom::cli {

/// What `fathom validate` found.
struct ValidateResult {
  model::Robot robot;
  std::vector<identify::Recording> recordings;
  identify::Validation chosen, other;  ///< 4- and 6-DoF, or the other way round
  identify::DofComparison comparison;
  identify::ValidationOptions options;
  std::optional<double> limit;
  std::uint64_t seed = 1;
  std::string command;
  /// Beside simple models, where logs to fit those to were given.
  std::optional<identify::ComparedScores> baselines = {};

  /// Of surge, sway, heave and yaw: the least median R2 over logs; NaN where none has one.
  double least_r2() const;
  bool below_limit() const { return limit && !(least_r2() >= *limit); }
  /// Logs of which no sample could be compared.
  std::vector<std::string> not_compared() const;
  /// Logs that the robot was identified from, by their names: on them a model looks better than it is.
  std::vector<std::string> seen_before() const;
  bool good() const { return !below_limit() && !chosen.diverged() && not_compared().empty(); }
};

nlohmann::ordered_json summary_of(const ValidateResult& result);
/// The tables for a terminal.
std::string text_of(const ValidateResult& result);
/// The velocities of each log and the report. Returns the names.
std::vector<std::string> write_files(const ValidateResult& result, OutputFolder& out);

}  // namespace fathom::cli
