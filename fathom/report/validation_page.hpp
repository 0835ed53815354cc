#pragma once
#include <span>
#include <string>

#include "fathom/base/constants.hpp"
#include "fathom/identify/vehicle/validation.hpp"
#include "fathom/report/page.hpp"

namespace fathom::report {

/// What a page about a validation is made of.
struct ValidationPage {
  std::string robot;
  const identify::Validation* validation;  ///< the one that counts
  const identify::Validation* other;       ///< with the other degrees of freedom
  const identify::DofComparison* comparison;
  std::span<const identify::Recording> recordings;
  double limit = nan;  ///< of R2, where there is one
  std::string footer = {};
};

/// The page that `fathom validate` writes: measured against predicted velocities over time with their bands
/// (Panetsos, Figs. 5, 7 and 8), box plots over logs (Fig. 6), tables.
Page validation_page(const ValidationPage& page);
/// The items alone, for a page that holds more.
std::vector<Item> validation_items(const ValidationPage& page);

}  // namespace fathom::report
