#pragma once
#include <string>
#include <vector>

#include "fathom/identify/vehicle/identify.hpp"

#include "cli/verb.hpp"
#include "cli/verbs/recordings.hpp"

namespace fathom::cli {

/// What `fathom identify --what vehicle` is told.
struct VehicleOptions {
  LogOptions logs;
  std::string structure = "auto", estimator = "consistent";
  double blur = identify::RegressionOptions().blur;
  double thrust_sigma = 0;
  std::string delay = "auto", current = "auto";
  bool no_dry_body = false;
  std::vector<std::string> bounds;
  bool output_error = false;
  double unseen_share = identify::IdentifyOptions().unseen_share;
  bool accept_bounds = false, accept_unseen = false;

  /// Throws InputError that names the option.
  void check() const;
  /// What was asked for, so that it can be asked for again.
  std::string command() const;
  identify::IdentifyOptions identify_options(const model::Robot& robot) const;
};
/// Apart from the logs.
void add_vehicle_options(CLI::App& app, VehicleOptions& options);
int identify_vehicle(const Verb& verb, const VehicleOptions& options);

}  // namespace fathom::cli
