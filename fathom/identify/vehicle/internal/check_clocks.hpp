#pragma once
#include <string>
#include <vector>

#include "fathom/identify/vehicle/internal/check_commands.hpp"
#include "fathom/identify/vehicle/internal/check_motion.hpp"

namespace fathom::identify::internal {

/// A channel's clock against the others: `late` in the middle of the log, growing by `rate`.
struct ClockSlip {
  double late = 0;  ///< s
  double rate = 0;  ///< s/s
};

/// The likeliest slips of a sensor's channel: a constant one, and one that grows where that is clearly better.
/// Empty where the best constant slip is too small to matter and nothing grows.
std::vector<ClockSlip> clock_slips(const CheckMotion& motion, const std::string& channel);

/// Drift of the commands against the motion.
struct CommandDrift {
  double late = 0, rate = 0;  ///< as ClockSlip has them
  double gain = 0;            ///< what it takes off the misfit; 0 where there is none
};
CommandDrift drift_of_commands(const CheckMotion& motion);

std::vector<ClockSlip> command_clock_slips(const CheckMotion& motion, const CommandFloor& floor,
                                           const CommandDrift& drift);

}  // namespace fathom::identify::internal
