#pragma once
#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "fathom/identify/commanded/vehicle_score.hpp"

#include "studies/host.hpp"
#include "studies/study.hpp"

namespace fathom::studies {

/// The rows auv.*: a student AUV in a pool, commanded by wrenches.
void study_pool_auv(Study& study, const std::filesystem::path& data, const Host& host);
/// The rows rov.*: a BlueROV2 Heavy in a tank, steered by a pilot.
void study_tank_rov(Study& study, const std::filesystem::path& data, const Host& host);

using RealScores = identify::ComparedScores;

/// Fills in PREFIX.surge.r2, .gain, .error and .ratio, and so on for sway, heave and yaw. The baselines'
/// numbers stand beside ours; `briefly`, where there are no rows of r2 and error, all of them beside gain and
/// ratio.
void tell_scores(Study& study, const std::string& prefix, const RealScores& scores, bool briefly = false);

/// Fills in a parameter, and its least and largest value over training sets.
void tell_parameter(Study& study, const std::string& key, const identify::VehicleFit& all,
                    const std::vector<identify::VehicleFit>& others,
                    const std::function<double(const identify::VehicleFit&)>& parameter);

/// Keys of surge, sway and heave.
inline constexpr std::array<const char*, 3> translations = {"surge", "sway", "heave"};

}  // namespace fathom::studies
