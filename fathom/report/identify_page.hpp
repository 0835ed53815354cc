#pragma once
#include <span>
#include <string>
#include <vector>

#include "fathom/identify/vehicle/identify.hpp"
#include "fathom/report/page.hpp"

namespace fathom::report {

/// What a page about an identification is made of.
struct IdentifyPage {
  const model::Robot* robot;  ///< as it was before
  const model::ParameterVector* before;
  const identify::Identified* found;
  std::span<const identify::Recording> recordings;
  std::string about_estimator = {};  ///< where values are not those of the fit
  std::string footer = {};
};

/// The page that `fathom identify` writes: the parameters with their intervals, why this structure, and the
/// evidence.
Page identify_page(const IdentifyPage& page);
/// The items alone, for a page that holds more.
std::vector<Item> identify_items(const IdentifyPage& page);

}  // namespace fathom::report
