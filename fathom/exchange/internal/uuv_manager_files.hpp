#pragma once
#include <string>
#include <vector>

#include "fathom/exchange/export.hpp"
#include "fathom/exchange/internal/uuv_conversion.hpp"

namespace fathom::exchange::internal {

/// thruster_manager.yaml of UUV Simulator's thruster manager, in the namespace `space`.
std::string manager_yaml(const model::Robot& robot, const std::string& space,
                         const std::vector<UuvConversion>& conversions, double density,
                         std::vector<Loss>& losses);

/// TAM.yaml: B with tau = B f in axes forward, port, up, row by row.
std::string tam_yaml(const model::Robot& robot);

}  // namespace fathom::exchange::internal
