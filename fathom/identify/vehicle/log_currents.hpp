#pragma once
#include <vector>

#include "fathom/identify/vehicle/current_fit.hpp"
#include "fathom/identify/vehicle/identify.hpp"

namespace fathom::identify {

/// Takes the current of each recording out of its velocities, where the currents of several recordings differ:
/// their motion is then relative to the water (docs/identification.md eq. 51). Recordings of one current, and a
/// single one, stay as they are: identify() estimates that current with the parameters.
///
/// @return The current of each recording, with its covariance; empty where nothing was taken out.
std::vector<CurrentFit> take_out_currents(std::vector<Recording>& recordings, const model::Robot& robot,
                                          const model::Environment& environment,
                                          const IdentifyOptions& options);

}  // namespace fathom::identify
