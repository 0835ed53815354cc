#pragma once
#include <span>
#include <vector>

namespace fathom::loop::internal {

/// Commands on their way to the thrusters: what is given at t acts from t + delay on, exactly, also where the
/// delay is no multiple of the step. Before the first arrives, the thrusters are told `neutral`. Only the
/// constructor allocates.
class CommandDelay {
 public:
  /// Commands are given every `step` seconds; delay >= 0.
  CommandDelay(std::span<const double> neutral, double delay, double step);

  /// The commands of the step that begins now.
  void give(std::span<const double> commands);
  /// What acts from the beginning of this step, and from `switch_after()` seconds into it.
  std::span<const double> first() const { return row(switch_after_ > 0 ? whole_steps_ + 1 : whole_steps_); }
  std::span<const double> then() const { return row(whole_steps_); }
  /// s; 0 where the delay is a whole number of steps, and then both are the same.
  double switch_after() const { return switch_after_; }

 private:
  std::span<const double> row(std::size_t steps_ago) const;

  std::size_t width_, whole_steps_ = 0, rows_, newest_ = 0;
  double switch_after_ = 0;
  std::vector<double> ring_;  // rows_ times width_
};

}  // namespace fathom::loop::internal
