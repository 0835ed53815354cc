#pragma once
#include "fathom/exchange/import.hpp"

namespace fathom::exchange::internal {

/// Gives every value without a source the place that it was read from: file, line and tag.
void name_sources(Imported& imported);

}  // namespace fathom::exchange::internal
