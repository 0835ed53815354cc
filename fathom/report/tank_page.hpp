#pragma once
#include <string>
#include <vector>

#include "fathom/identify/tank/tank.hpp"
#include "fathom/report/page.hpp"

namespace fathom::report {

/// What a page about a towing campaign is made of.
struct TowingPage {
  const identify::TowingCampaign* campaign;
  const identify::IdentifiedTowing* found;
  std::string footer = {};
};
/// Force over speed with the band and the runs that were left out, the laws of both directions, every run, and
/// how the steady part of some was found.
Page towing_page(const TowingPage& page);

struct DecayPage {
  const identify::DecayCampaign* campaign;
  const identify::IdentifiedDecay* found;
  std::string footer = {};
};
/// Every run measured and fitted, what is left, and the numbers.
Page decay_page(const DecayPage& page);

}  // namespace fathom::report
