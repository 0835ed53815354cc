#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "fathom/identify/vehicle/recording.hpp"

namespace fathom::identify {

struct CommandPathOptions {
  double blur = 0.4;      ///< s, as RegressionOptions has it
  double most_delay = 1;  ///< s
  double block = 20;      ///< s, of the pieces that are drawn anew: longer than residuals remember
  int draws = 200;        ///< of the bootstrap
  std::uint64_t seed = 1;
};

/// One number of the command path, with what a bootstrap over pieces of the logs says of it.
struct CommandPathNumber {
  double value = 0, sigma = 0;
  double low = 0, high = 0;  ///< 95 % interval
};

/// What recordings say of how commands reach the water, of what the robot file leaves open.
struct CommandPathFit {
  std::optional<CommandPathNumber> dead_band;  ///< N
  std::optional<CommandPathNumber> gain;
  std::optional<CommandPathNumber> saturation;  ///< N; absent: not looked for, or not reached
  bool looked_for_saturation = false;
  double largest_force = 0;   ///< N, that the logs ask a thruster for beyond its dead band
  double lag = 0;             ///< s, that goes with them; `identify` finds its own
  double most_dead_band = 0;  ///< N, that was tried: beyond it nearly every command would be lost
  std::size_t blocks = 0;     ///< pieces of the logs that are drawn, each alone or with its neighbours

  bool found_any() const { return dead_band || gain || looked_for_saturation; }
  bool saturation_not_reached() const { return looked_for_saturation && !saturation; }
  /// The best dead band is the largest that was tried.
  bool at_limit() const { return dead_band && dead_band->value > 0.98 * most_dead_band; }
};

/// Looks for dead band, gain and saturation where the robot's command path does not hold them; empty without
/// such. docs/identification.md eqs. 27 to 32: the dead band and lag of the least unexplained acceleration,
/// over a grid, for wrenches show no scale of their own; the gain from masses that the robot file knows. A
/// saturation is found where at least 5 % of the samples ask some thruster for more, and where it explains the
/// acceleration better in nearly all draws of the bootstrap. Throws InputError: a dead band or saturation of
/// thrusters that lag, a gain without a mass of known sigma, logs too short.
CommandPathFit fit_command_path(std::span<const Recording> recordings, const model::Robot& robot,
                                const CommandPathOptions& options = {});

/// Recordings and robot with what was found in them.
void apply_command_path(const CommandPathFit& fit, const model::Robot& robot, std::span<Recording> recordings);
model::Robot robot_with_command_path(const model::Robot& robot, const CommandPathFit& fit,
                                     const std::string& source);

}  // namespace fathom::identify
