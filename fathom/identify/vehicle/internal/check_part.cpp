#include "fathom/identify/vehicle/internal/check_part.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace fathom::identify::internal {
namespace {

constexpr double longest_checked = 600;  // s of a log
constexpr std::size_t most_kept = 4096;
constexpr std::size_t fewest_samples = 20;
/// One half of the samples in a span that is longer than that of the other half by this has a stamp that is
/// wrong.
constexpr double uneven = 100;

}  // namespace

SampleTimes::SampleTimes(std::string channel, std::span<const double> times) : SampleTimes(std::move(channel)) {
  for (const double t : times) add(t);
}

void SampleTimes::add(double t) {
  if (count_++ % stride_ == 0) kept_.push_back(t);
  last_ = t;
  if (kept_.size() < most_kept) return;
  for (std::size_t k = 1; 2 * k < kept_.size(); ++k) kept_[k] = kept_[2 * k];
  kept_.resize(kept_.size() / 2);
  stride_ *= 2;
}

std::optional<CheckPart> checked_part(std::span<const SampleTimes> sensors) {
  std::vector<double> middles;
  for (const SampleTimes& times : sensors)
    if (times.count() > 1) middles.push_back(times.middle());
  if (middles.empty()) return std::nullopt;
  const auto middle = middles.begin() + static_cast<std::ptrdiff_t>((middles.size() - 1) / 2);
  std::nth_element(middles.begin(), middle, middles.end());
  CheckPart part{*middle, *middle};
  for (const SampleTimes& times : sensors) {
    if (times.count() < 2) continue;
    part.from = std::min(part.from, std::max(times.first(), *middle - longest_checked / 2));
    part.until = std::max(part.until, std::min(times.last(), *middle + longest_checked / 2));
  }
  return part;
}

std::vector<Contradiction> outlying_stamps(std::span<const SampleTimes> sensors) {
  std::vector<Contradiction> found;
  for (const SampleTimes& times : sensors) {
    if (times.count() < fewest_samples) continue;
    const double before = times.middle() - times.first(), after = times.last() - times.middle();
    if (std::max(before, after) < longest_checked || std::max(before, after) < uneven * std::min(before, after))
      continue;
    const bool at_begin = before > after;
    Contradiction out{.channels = {times.channel()}};
    out.message = fmt::format(
        "{}: its {} stamp is {:.4g} s, but half of its {} samples are within {:.4g} s of the {} one, at "
        "{:.10g} s",
        times.channel(), at_begin ? "first" : "last", at_begin ? times.first() : times.last(), times.count(),
        std::min(before, after), at_begin ? "last" : "first", at_begin ? times.last() : times.first());
    out.remedy = "a stamp that stands for a missing one? Take these rows out of the file";
    found.push_back(std::move(out));
  }
  return found;
}

}  // namespace fathom::identify::internal
