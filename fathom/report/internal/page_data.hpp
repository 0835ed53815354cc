#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "fathom/report/page.hpp"

namespace fathom::report::internal {

/// How many samples of something are on the page.
struct Shown {
  std::string name;
  std::size_t shown = 0, of = 0;
};

/// What the script draws: the plots and scenes of the page, their numbers thinned and packed.
struct PageData {
  std::string json;
  /// One list for each plot and scene, in order: what was thinned or left out.
  std::vector<std::vector<Shown>> thinned;
};

PageData page_data(const Page& page);

}  // namespace fathom::report::internal
