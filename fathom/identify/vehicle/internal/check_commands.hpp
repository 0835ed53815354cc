#pragma once
#include <array>
#include <optional>
#include <vector>

#include "fathom/identify/vehicle/internal/check_motion.hpp"

namespace fathom::identify::internal {

/// What the motion's side of the equation has on the clock, whatever the commands are: by axis a rough model of
/// the water's forces, and the twist rate last.
struct CommandColumns {
  std::array<Eigen::MatrixXd, 6> columns;  ///< empty where no sensor shows the axis
  std::array<double, 6> noise{};           ///< of the twist rate
};
CommandColumns command_columns(const CheckMotion& motion);

/// Least squares of the twist rate of each axis on the commands and on a rough model of the water's forces.
/// Sums are kept, so that other allocations of the same commands cost nothing.
class CommandFit {
 public:
  /// Of commands that act `delay` seconds later. `motion` must have commands.
  CommandFit(const CheckMotion& motion, double delay) : CommandFit(motion, command_columns(motion), delay) {}
  CommandFit(const CheckMotion& motion, const CommandColumns& columns, double delay);

  bool knows(int axis) const { return axes_[static_cast<std::size_t>(axis)].count > 0; }
  /// Squares that are left, over the squares of the motion, where each axis has its own free factor above zero
  /// on what `to_rate` makes of the commands.
  double left_over(int axis, const Eigen::MatrixXd& to_rate) const;
  /// The same with a free factor for each input: what no matrix can do better.
  double left_over_freely(int axis) const;
  /// Squares of the motion over their number, plus noise: what left_over() is relative to.
  double noise_share(int axis) const { return axes_[static_cast<std::size_t>(axis)].noise_share; }
  /// The free factor of left_over(), and its standard deviation by the residuals, as if they were white.
  struct Factor {
    double value = 0, sigma = 0;
  };
  Factor factor(int axis, const Eigen::MatrixXd& to_rate) const;

 private:
  struct Axis {
    Eigen::MatrixXd sums;  ///< of products: inputs, other columns, the motion last
    double count = 0, noise_share = 0;
  };
  Eigen::Index inputs_ = 0;
  std::array<Axis, 6> axes_;
};

/// Delays from command to motion that are looked at [s]. Nothing moves before it is commanded.
struct DelayRange {
  double first = 0, last = 0;
};
DelayRange likely_delays(const CheckCommands& commands);

/// The best that any delay and any matrix do: what a repair can reach, by axis.
struct CommandFloor {
  std::array<double, 6> left_over{};
  double delay = 0;  ///< s, at which the sum of all axes is least
  double too_early =
      0;  ///< s by which `delay` is before the likely range, where the log shows it clearly; else 0
  /// s by which turns follow the commands later than linear motion does; 0 where the log does not show both
  /// well.
  double apart = 0;
};
CommandFloor command_floor(const CheckMotion& motion);

/// Mean squares that are left, relative to noise and model error, by windows of that many times: each with its
/// own factors, so that a clock that drifts does not spoil them.
Eigen::VectorXd command_costs_by_window(const CheckMotion& motion, const CommandColumns& columns, double delay,
                                        Eigen::Index window);

/// How well commands and motion agree: linear axes, then turning axes, where the log shows them, with the delay
/// within the likely range that suits best.
std::vector<PairMisfit> command_misfit(const CheckMotion& motion, const CommandFloor& floor);
/// The same of one fit and another matrix.
std::vector<PairMisfit> command_misfit(const CheckMotion& motion, const CommandFloor& floor,
                                       const CommandFit& fit, const Eigen::MatrixXd& to_rate);

}  // namespace fathom::identify::internal
