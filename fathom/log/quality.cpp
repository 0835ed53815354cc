#include "fathom/log/quality.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/median.hpp"

namespace fathom::log {

Quality quality_of(const Channel& channel, const QualityOptions& options) {
  if (!(options.gap_factor >= 1) || std::isinf(options.gap_factor))
    refuse("gap_factor", fmt::format("= {}, must be >= 1 and finite", options.gap_factor),
           "1.5 sees a single lost sample");
  Quality quality;
  quality.rows = channel.size();
  quality.dropped_lines = channel.dropped_lines;
  for (const double value : channel.values) quality.missing_values += std::isnan(value) ? 1 : 0;

  std::vector<double> forward;
  for (std::size_t k = 1; k < channel.size(); ++k) {
    const double step = channel.t[k] - channel.t[k - 1];
    if (step > 0) forward.push_back(step);
    quality.repeated_times += step == 0 ? 1 : 0;
    quality.clock_steps_back += step < 0 ? 1 : 0;
    const std::size_t bytes = channel.width() * sizeof(double);
    if (bytes > 0 && std::memcmp(channel.row(k).data(), channel.row(k - 1).data(), bytes) == 0)
      ++quality.repeated_rows;
  }
  if (forward.empty()) return quality;
  quality.longest_step = *std::max_element(forward.begin(), forward.end());
  quality.median_step = median(forward);
  const double limit = options.gap_factor * quality.median_step;
  quality.gaps = static_cast<std::size_t>(
      std::count_if(forward.begin(), forward.end(), [&](double step) { return step > limit; }));
  return quality;
}

std::string Quality::text() const {
  std::string text = fmt::format("{} rows", rows);
  if (median_step > 0) text += fmt::format(", median step {:.6g} s", median_step);
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) text += fmt::format(", {} {}", count, what);
  };
  add(gaps, "gaps");
  if (gaps > 0) text += fmt::format(" (longest {:.6g} s)", longest_step);
  add(repeated_times, "repeated times");
  add(repeated_rows, "repeated rows");
  add(clock_steps_back, "clock steps back");
  add(missing_values, "missing values");
  add(dropped_lines, "dropped lines");
  return text;
}

}  // namespace fathom::log
