#pragma once
#include <vector>

#include "fathom/exchange/export.hpp"

namespace fathom::exchange::internal {

/// What no other program's model holds: sensors with their errors, sigmas, the covariance of an estimate.
void add_common_losses(const model::Robot& robot, std::vector<Loss>& losses);

/// Of a format whose thrusters take newton and give them at once: maps, inflow, transients.
void add_thruster_losses(const model::Robot& robot, std::vector<Loss>& losses);

/// All that thrusters have besides places and directions: limits, maps, transients. `format` is who lacks it.
void lose_how_thrusters_act(const model::Robot& robot, std::string_view format, std::vector<Loss>& losses);

/// What a law is called in a robot file: polynomial_pair, propeller, ...
std::string_view law_name(const model::ThrusterMap& map);
std::string_view law_name(const model::Transient& transient);

}  // namespace fathom::exchange::internal
