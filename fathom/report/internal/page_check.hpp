#pragma once
#include "fathom/report/page.hpp"

namespace fathom::report::internal {

/// Throws InputError with everything that cannot be shown.
void check(const Page& page);

}  // namespace fathom::report::internal
