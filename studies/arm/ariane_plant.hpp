#pragma once
#include <cstdint>
#include <string>

#include "fathom/excite/arm/series.hpp"
#include "fathom/identify/arm/arm_run.hpp"
#include "fathom/model/arm.hpp"

namespace fathom::studies {

/// Ariane's arm with joint 4 blocked at zero, as in the experiments of Leborne et al. 2018: its gripper is part
/// of the forearm.
model::Arm ariane_with_blocked_wrist(const model::Arm& ariane);
/// The same arm as it was built: masses, motors and their friction up to 10 and 20 % off.
model::Arm ariane_as_built(const model::Arm& arm, std::uint64_t seed);

/// What a run leaves behind: at 10 Hz, the shafts' angles from their counters and the currents. And what nobody
/// would measure.
struct ArianeRecord {
  identify::ArmRun run;
  double worst_tracking = 0;  ///< rad of a shaft
  int saturated = 0;          ///< steps of a loop at its limit of current
};

/// `path`, a period of it with `margin` s before and after, tracked by cascaded loops on an arm with backlash,
/// flexible screws, Stribeck friction, ripple and noise of current, and counters of 24 increments.
ArianeRecord run_ariane(const model::Arm& built, const excite::ArmPath& path, double margin, std::uint64_t seed,
                        const std::string& name);

}  // namespace fathom::studies
