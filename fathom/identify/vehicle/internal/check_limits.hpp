#pragma once
#include <vector>

#include "fathom/identify/vehicle/sensor_check.hpp"

namespace fathom::identify::internal {

/// Values that no sensor under water shows, whatever else the log has: one that stands for a missing one,
/// attitudes in degrees called radians. Removes such values from the samples, so that the rest of the log can
/// be compared.
std::vector<Contradiction> beyond_limits(CheckedLog& log);

/// The same of speeds and rates, where no other sensor has told what is wrong with them.
std::vector<Contradiction> beyond_speeds(CheckedLog& log);

}  // namespace fathom::identify::internal
