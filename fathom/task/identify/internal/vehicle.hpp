#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fathom/identify/vehicle/command_path_fit.hpp"
#include "fathom/identify/vehicle/estimator_choice.hpp"
#include "fathom/identify/vehicle/forward_fit.hpp"
#include "fathom/identify/vehicle/output_error.hpp"
#include "fathom/task/identify/vehicle.hpp"

namespace fathom::task::internal {

/// All that the chain of an identification leaves.
struct VehicleFit {
  model::Robot robot;  ///< as it was before
  model::Environment environment;
  std::vector<identify::Recording> recordings;
  std::string estimator;
  identify::FitOptions fit = {};
  consistency::ConstraintOptions constraints = {};
  identify::Identified found = {};
  identify::CommandPathFit command_path = {};
  std::optional<identify::ForwardFit> forward = {};
  std::optional<identify::OutputError> refined = {};
  double dry_body_share = 1;  ///< of the robot file's, that the written robot has
  std::optional<identify::EstimatorChoice> choice = {};
  /// With a choice: the consistent estimate in the structure of `found`, whose inertia is reported.
  std::optional<model::ParameterVector> consistent = {};
  std::vector<std::string> too_short = {};  ///< logs that the residual statistics leave out
};

IdentifyVehicleSummary summary_of(const VehicleFit& at, const IdentifyVehicleOptions& options);
/// Names of the parameters in which another estimate and the fit differ by more than their sigmas explain.
std::vector<std::string> inconsistent(const VehicleFit& at);
std::vector<std::string> warnings_of(const VehicleFit& at);

}  // namespace fathom::task::internal
