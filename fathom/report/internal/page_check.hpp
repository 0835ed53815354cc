#pragma once
#include "fathom/report/page.hpp"

namespace fathom::report::internal {

/// Returns whether the page shows the item.
bool is_on_page(const Item& item);

/// Throws InputError with everything that cannot be shown.
void check(const Page& page);

}  // namespace fathom::report::internal
