#pragma once
#include <functional>
#include <string>
#include <vector>

#include "fathom/identify/vehicle/internal/check_motion.hpp"

namespace fathom::identify::internal {

/// One slip that a user may have made, and how to take it back.
struct CheckRepair {
  std::string group;    ///< repairs of one group are the same slip
  std::string channel;  ///< that is repaired
  std::string text;     ///< what is wrong with it
  std::string remedy;   ///< the key to change
  bool may_be_mounting = false;
  std::function<void(CheckMotion&)> apply;
};

/// Units, signs, axes and orders of the sensors in `motion`.
std::vector<CheckRepair> repairs_of_values(const CheckMotion& motion);

/// Brings a channel `late` seconds forward, and `rate` seconds per second from the middle of the log on.
void shift_channel(CheckMotion& motion, const std::string& channel, double late, double rate);

}  // namespace fathom::identify::internal
