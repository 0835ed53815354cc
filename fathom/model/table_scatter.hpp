#pragma once
#include <optional>

#include "fathom/model/thruster_map.hpp"

namespace fathom::model {

/// By how much the points of a table scatter about a smooth law a x + b x^2 + c x^3, x from the edge of the
/// dead band, each side and voltage by itself: one standard deviation as a share of the force. None where there
/// are too few points to tell.
std::optional<double> table_scatter(const ForceTable& table, double neutral);

}  // namespace fathom::model
