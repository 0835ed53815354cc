#pragma once
#include <string>

#include "fathom/report/internal/bars.hpp"
#include "fathom/report/page.hpp"

namespace fathom::report::internal {

/// A linear scale from a tick at or below the least of all boxes to one at or above the most.
BarScale box_scale(const Boxes& boxes);

/// The legend and the groups; no script is needed.
std::string boxes_html(const Boxes& boxes);

}  // namespace fathom::report::internal
