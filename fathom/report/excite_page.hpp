#pragma once
#include <string>

#include "fathom/excite/assessment.hpp"
#include "fathom/excite/design.hpp"
#include "fathom/excite/problem.hpp"
#include "fathom/report/page.hpp"

namespace fathom::report {

/// What a page about a designed motion is made of.
struct ExcitePage {
  const excite::Problem* problem;
  const excite::Design* design;
  const excite::Assessment* assessment;
  std::string footer = {};
};

/// The page that `fathom excite` writes: what the motion promises, the motion, its limits, how it was found.
Page excite_page(const ExcitePage& page);

}  // namespace fathom::report
