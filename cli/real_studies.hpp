#pragma once
#include <filesystem>

#include "fathom/base/crew.hpp"

#include "cli/progress.hpp"
#include "cli/study.hpp"

namespace fathom::cli {

/// The rows auv.*: a student AUV in a pool, commanded by wrenches.
void study_pool_auv(Study& study, const std::filesystem::path& data, Crew& crew, Progress& progress);
/// The rows rov.*: a BlueROV2 Heavy in a tank, steered by a pilot.
void study_tank_rov(Study& study, const std::filesystem::path& data);

}  // namespace fathom::cli
