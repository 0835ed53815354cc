#pragma once
#include <vector>

#include "fathom/exchange/export.hpp"

namespace fathom::exchange::internal {

/// What no other program's model holds: sensors with their errors, sigmas, the covariance of an estimate.
void add_common_losses(const model::Robot& robot, std::vector<Loss>& losses);

/// Of a format whose thrusters take newton and give them at once: maps, inflow, transients.
void add_thruster_losses(const model::Robot& robot, std::vector<Loss>& losses);

}  // namespace fathom::exchange::internal
