#pragma once
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "fathom/identify/vehicle/command_path_fit.hpp"
#include "fathom/identify/vehicle/forward_fit.hpp"
#include "fathom/identify/vehicle/identify.hpp"
#include "fathom/identify/vehicle/output_error.hpp"

#include "cli/output.hpp"

namespace fathom::cli {

/// What `fathom identify` found.
struct IdentifyResult {
  model::Robot before, after;
  model::Environment environment;
  std::vector<identify::Recording> recordings;
  identify::Identified found;  ///< its parameters are those of `estimator`
  identify::FitOptions fit;
  std::string estimator;
  bool accept_bounds = false, accept_unseen = false;
  std::string command;
  std::optional<identify::OutputError> refined = {};
  identify::CommandPathFit command_path = {};
  std::optional<identify::ForwardFit> forward = {};

  bool good() const;
  /// What the robot file said of the parameters.
  model::ParameterVector parameters_before() const;
  std::vector<std::string> names() const;         ///< of the parameters
  std::vector<std::string> unseen() const;        ///< likewise, of those that the logs do not show
  std::vector<std::string> inconsistent() const;  ///< likewise, of those that another estimate moved too far
};

/// Where another estimator's values are kept, what the figures beside them are of; else empty.
std::string about_estimator(const IdentifyResult& result);

/// Where the delay is at an end of what it may be; else empty.
std::string delay_warning(const IdentifyResult& result);
/// Empty where there is nothing to warn of.
std::string command_path_warning(const IdentifyResult& result);
std::string tilt_warning(const IdentifyResult& result);

nlohmann::ordered_json summary_of(const IdentifyResult& result);
std::string text_of(const IdentifyResult& result);
/// Robot, residuals and report. Returns the names, that of the summary among them.
std::vector<std::string> write_files(const IdentifyResult& result, OutputFolder& out);

}  // namespace fathom::cli
