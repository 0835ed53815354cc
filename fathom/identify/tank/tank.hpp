#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fathom/identify/tank/steady_part.hpp"
#include "fathom/identify/tank/tank_campaign.hpp"

namespace fathom::identify {

/// What one towing run came to.
struct TowedRecord {
  std::string name;
  TowingRecord record;       ///< its force along the path, less its zero
  Eigen::Index at_rest = 0;  ///< samples before the run, of which the zero was taken
  SteadySearch steady;
  std::size_t dropped = 0;  ///< rows with a missing value
  TowedRun reduced = {};    ///< where there is a steady part
};

/// All that a towing campaign says.
struct IdentifiedTowing {
  std::vector<TowedRecord> records;
  std::optional<DragLaw> bracket = {};  ///< that was subtracted
  std::vector<TowedRecord> bracket_records = {};
  TowingFit fit = {};

  const TowedRecord& record_of(std::size_t run) const;  ///< by the index that `fit` has
};

/// Reads the tables, finds steady parts and zeros, and fits. Runs without a steady part are left out, with the
/// reason in their record. Throws InputError that lists everything wrong with all tables.
IdentifiedTowing identify_towing(const TowingCampaign& campaign);

struct IdentifiedDecay {
  std::vector<DecayRun> runs;
  DecayFit fit;
  std::optional<DecayCoefficients> coefficients = {};  ///< where inertia or restoring is known
};
/// The same for free decays. Refuses angles beyond two turns, and a fit that explains less than half of the
/// motion.
IdentifiedDecay identify_decay(const DecayCampaign& campaign);

}  // namespace fathom::identify
