#pragma once
#include <filesystem>

#include "studies/host.hpp"
#include "studies/study.hpp"

namespace fathom::studies {

/// The rows auv.*: a student AUV in a pool, commanded by wrenches.
void study_pool_auv(Study& study, const std::filesystem::path& data, const Host& host);
/// The rows rov.*: a BlueROV2 Heavy in a tank, steered by a pilot.
void study_tank_rov(Study& study, const std::filesystem::path& data, const Host& host);

}  // namespace fathom::studies
