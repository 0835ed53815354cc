#include "fathom/control/command_series.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"

namespace fathom::control {

CommandSeries::CommandSeries(std::vector<double> times, std::vector<double> values, std::size_t width,
                             Between between)
    : times_(std::move(times)), values_(std::move(values)), width_(width), between_(between) {
  if (times_.empty()) reject("commands", "has no row, at least one is needed");
  if (values_.size() != times_.size() * width_)
    reject("commands",
           fmt::format("has {} values for {} times, expected {} each", values_.size(), times_.size(), width_));
  for (std::size_t k = 0; k < times_.size(); ++k) {
    if (!std::isfinite(times_[k])) reject("commands", fmt::format("[{}] has a time that is not finite", k));
    if (k > 0 && times_[k] <= times_[k - 1])
      reject("commands",
             fmt::format("[{}] is at {} s, after {} s: times must increase", k, times_[k], times_[k - 1]));
  }
  for (std::size_t k = 0; k < values_.size(); ++k)
    if (!std::isfinite(values_[k]))
      reject("commands", fmt::format("[{}] has a value that is not finite", k / width_));
}

void CommandSeries::at(double t, std::span<double> out) const {
  const auto after = std::upper_bound(times_.begin(), times_.end(), t);
  if (after == times_.begin()) {
    std::fill(out.begin(), out.end(), 0.0);
    return;
  }
  const auto k = static_cast<std::size_t>(after - times_.begin()) - 1;
  const double* const row = values_.data() + k * width_;
  const bool blend = between_ == Between::linear && k + 1 < times_.size();
  const double s = blend ? (t - times_[k]) / (times_[k + 1] - times_[k]) : 0;
  for (std::size_t i = 0; i < width_; ++i) out[i] = blend ? row[i] + s * (row[i + width_] - row[i]) : row[i];
}

}  // namespace fathom::control
