#include "fathom/loop/internal/command_delay.hpp"

#include <algorithm>
#include <cmath>

namespace fathom::loop::internal {

CommandDelay::CommandDelay(std::span<const double> neutral, double delay, double step)
    : width_(neutral.size()) {
  const double steps = delay / step, nearest = std::round(steps);
  const bool is_whole = std::abs(steps - nearest) <= 1e-9 * (1 + nearest);  // 0.06 / 0.01 is not 6
  whole_steps_ = static_cast<std::size_t>(is_whole ? nearest : std::floor(steps));
  if (!is_whole) switch_after_ = delay - static_cast<double>(whole_steps_) * step;
  rows_ = whole_steps_ + 2;
  for (std::size_t k = 0; k < rows_; ++k) ring_.insert(ring_.end(), neutral.begin(), neutral.end());
}

void CommandDelay::give(std::span<const double> commands) {
  newest_ = (newest_ + 1) % rows_;
  std::copy(commands.begin(), commands.end(), ring_.begin() + static_cast<std::ptrdiff_t>(newest_ * width_));
}

std::span<const double> CommandDelay::row(std::size_t steps_ago) const {
  return std::span(ring_).subspan((newest_ + rows_ - steps_ago) % rows_ * width_, width_);
}

}  // namespace fathom::loop::internal
