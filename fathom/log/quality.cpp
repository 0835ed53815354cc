#include "fathom/log/quality.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/median.hpp"

namespace fathom::log {
namespace {

constexpr int bits_left_out = 40;  // of 52: a bin is 2^-12 wide
constexpr double least_saturation = 0.01;
constexpr std::size_t least_run = 3;

/// The middle of sorted values with counts; the upper of two, as base/median.hpp has it. There must be one.
double weighted_median(const std::vector<std::pair<double, std::size_t>>& sorted) {
  std::size_t all = 0;
  for (const auto& entry : sorted) all += entry.second;
  std::size_t below = 0;
  for (const auto& entry : sorted) {
    below += entry.second;
    if (below > all / 2) return entry.first;
  }
  return sorted.back().first;
}

}  // namespace

double ColumnQuality::saturation(std::size_t rows) const {
  if (few_values || present(rows) == 0) return 0;
  const auto share = [&](std::size_t count, std::size_t longest) {
    const double part = static_cast<double>(count) / static_cast<double>(present(rows));
    return longest >= least_run && part >= least_saturation ? part : 0.0;
  };
  return std::max(share(at_least, longest_low), share(at_largest, longest_high));
}

QualityCounter::QualityCounter(const ChannelInfo& info, const QualityOptions& options) : options_(options) {
  if (!(options.gap_factor >= 1) || std::isinf(options.gap_factor))
    reject("gap_factor", fmt::format("= {}, must be >= 1 and finite", options.gap_factor),
           "1.5 sees a single lost sample");
  for (const Column& column : info.columns) counted_.columns.push_back({.name = column.name});
  runs_.resize(info.columns.size());
  last_.resize(info.columns.size());
}

void QualityCounter::note_value(ColumnQuality& column, Run& run, double value) {
  const bool known = (run.different > 0 && value == run.first) || (run.different > 1 && value == run.second);
  if (known) return;
  if (run.different == 2) column.few_values = false;
  if (run.different == 1) run.second = value;
  if (run.different == 0) run.first = value;
  run.different = std::min<std::size_t>(run.different + 1, 2);
}

/// An end that moves starts the counts of those that stand at it anew.
void QualityCounter::add_value(ColumnQuality& column, Run& run, double value) const {
  if (column.few_values) note_value(column, run, value);
  if (column.present(counted_.rows) == 0) column.least = column.largest = value;
  if (value < column.least) {
    column.least = value;
    column.at_least = column.longest_low = run.low = 0;
  }
  if (value > column.largest) {
    column.largest = value;
    column.at_largest = column.longest_high = run.high = 0;
  }
  const auto count = [](bool at_end, std::size_t& number, std::size_t& length, std::size_t& longest) {
    number += at_end ? 1 : 0;
    length = at_end ? length + 1 : 0;
    longest = std::max(longest, length);
  };
  count(value == column.least, column.at_least, run.low, column.longest_low);
  count(value == column.largest, column.at_largest, run.high, column.longest_high);
}

void QualityCounter::add(double t, std::span<const double> values) {
  if (counted_.rows > 0) {
    const double step = t - last_t_;
    if (step > 0) {
      Bin& bin = steps_[static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(step) >> bits_left_out)];
      ++bin.count;
      bin.sum += step;
      counted_.forward_time += step;
      counted_.longest_step = std::max(counted_.longest_step, step);
    }
    counted_.repeated_times += step == 0 ? 1 : 0;
    counted_.clock_steps_back += step < 0 ? 1 : 0;
    const std::size_t bytes = values.size_bytes();
    if (bytes > 0 && std::memcmp(values.data(), last_.data(), bytes) == 0) ++counted_.repeated_rows;
  } else {
    first_t_ = t;
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (std::isnan(values[k])) {
      ++counted_.columns[k].missing;
      ++counted_.missing_values;
    } else {
      add_value(counted_.columns[k], runs_[k], values[k]);
    }
  }
  std::copy(values.begin(), values.end(), last_.begin());
  last_t_ = t;
  ++counted_.rows;
}

void QualityCounter::count_steps(Quality& quality) const {
  if (steps_.empty()) return;
  std::vector<std::pair<double, std::size_t>> steps;
  for (const auto& entry : steps_) steps.emplace_back(entry.second.mean(), entry.second.count);
  quality.median_step = weighted_median(steps);
  const double limit = options_.gap_factor * quality.median_step;
  for (const auto& [step, count] : steps) quality.gaps += step > limit ? count : 0;
  for (auto& entry : steps) entry.first = std::abs(entry.first - quality.median_step);
  std::sort(steps.begin(), steps.end());
  quality.jitter = sigmas_of_mad * weighted_median(steps);
}

Quality QualityCounter::quality() const {
  Quality quality = counted_;
  quality.first_time = first_t_;
  quality.duration = counted_.rows > 0 ? last_t_ - first_t_ : 0;
  count_steps(quality);
  return quality;
}

Quality quality_of(const Channel& channel, const QualityOptions& options) {
  QualityCounter counter(channel.info, options);
  for (std::size_t k = 0; k < channel.size(); ++k) counter.add(channel.t[k], channel.row(k));
  Quality quality = counter.quality();
  quality.dropped_lines = channel.dropped_lines;
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
