#pragma once
#include <variant>
#include <vector>

#include "fathom/report/page.hpp"

namespace fathom::report::test {

/// The items of a page that are of one kind, in order.
template <class Kind>
std::vector<const Kind*> all(const Page& page) {
  std::vector<const Kind*> result;
  for (const Item& item : page.items)
    if (const auto* kind = std::get_if<Kind>(&item)) result.push_back(kind);
  return result;
}

}  // namespace fathom::report::test
