#pragma once
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "fathom/identify/tank/missing_dof.hpp"
#include "fathom/identify/tank/tank.hpp"
#include "fathom/model/robot.hpp"

#include "cli/output.hpp"

namespace fathom::cli {

/// Drag of an axis that was not tested.
struct SupposedAxis {
  int axis = 0;
  identify::SupposedDrag supposed;
};

/// What `fathom identify --what towing` found.
struct TowingResult {
  std::string command, source;
  identify::TowingCampaign campaign;
  identify::IdentifiedTowing found;
  std::vector<SupposedAxis> supposed = {};
  std::optional<model::Robot> after = {};
};
nlohmann::ordered_json summary_of(const TowingResult& result);
std::string text_of(const TowingResult& result);
/// Returns the names, that of the summary among them.
std::vector<std::string> write_files(const TowingResult& result, OutputFolder& out);

/// What `fathom identify --what decay` found.
struct DecayResult {
  std::string command, source;
  identify::DecayCampaign campaign;
  identify::IdentifiedDecay found;
  std::optional<model::Robot> after = {};
};
nlohmann::ordered_json summary_of(const DecayResult& result);
std::string text_of(const DecayResult& result);
std::vector<std::string> write_files(const DecayResult& result, OutputFolder& out);

/// c1, c2 with one sigma each, widened so that 1.96 of it are the 95 % interval.
identify::AxisDrag drag_of(const identify::DragFit& fit);

}  // namespace fathom::cli
