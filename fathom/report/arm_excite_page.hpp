#pragma once
#include <string>
#include <vector>

#include "fathom/excite/arm/accuracy.hpp"
#include "fathom/report/page.hpp"

namespace fathom::report {

/// What a page about an arm's designed motion is made of.
struct ArmExcitePage {
  const excite::ArmProblem* problem;
  const excite::ArmDesign* design;
  const excite::Prediction* shown;
  double random_condition = 0;  ///< the best of some random motions
  std::string footer = {};
};

/// The page that `fathom excite` writes of an arm: what the motion promises, the motion over a period with its
/// limits, how near it comes to each, how it was found.
Page arm_excite_page(const ArmExcitePage& page);

}  // namespace fathom::report
