// Any bytes as a campaign in the tank: it loads, whole, or is rejected with an InputError.
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include "fathom/base/error.hpp"
#include "fathom/identify/tank/tank_campaign.hpp"

#include "fuzz/verdict.hpp"

namespace {

using namespace fathom;
using fuzz::check_messages;
using fuzz::fail;

void check_campaign(const identify::TowingCampaign& campaign) {
  if (campaign.runs.empty() || campaign.cells.empty() || campaign.cells.size() != campaign.cell_columns.size())
    fail("no runs, no cells or not as many columns", campaign.name);
  if (campaign.axis < 0 || campaign.axis > 5) fail("no axis", campaign.name);
  for (const identify::LoadCell& cell : campaign.cells)
    if (!(std::abs(cell.angle) < std::numbers::pi / 2 && cell.gain > 0 && cell.angle_sigma >= 0 &&
          cell.gain_sigma >= 0))
      fail("a cell that cannot be", cell.name);
  if (campaign.bracket && !(campaign.bracket->c.minCoeff() >= 0 && campaign.bracket->c.allFinite()))
    fail("a bracket that pushes", campaign.name);
}

void check_campaign(const identify::DecayCampaign& campaign) {
  if (campaign.runs.empty() || campaign.axis < 3 || campaign.axis > 5)
    fail("no runs or no axis", campaign.name);
  if (campaign.known && !(campaign.known->value > 0 && campaign.known->sigma >= 0))
    fail("a known number that cannot be", campaign.name);
}

template <class Parse>
void check_text(const Parse& parse) {
  try {
    check_campaign(parse());
  } catch (const InputError& error) {
    check_messages(error);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_text([&] { return identify::parse_towing_campaign(text, "fuzz.yaml"); });
  check_text([&] { return identify::parse_decay_campaign(text, "fuzz.yaml"); });
  return 0;
}
