#include "fathom/report/internal/decimate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace fathom::report::internal {
namespace {

std::vector<std::size_t> all_indices(std::size_t size) {
  std::vector<std::size_t> indices(size);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

/// Which samples of a stretch stand for it.
struct Stretch {
  std::optional<std::size_t> least, greatest, gap;

  void add_to(std::vector<std::size_t>& kept) const {
    for (const auto& index : {least, greatest, gap})
      if (index) kept.push_back(*index);
  }
};

}  // namespace

std::vector<std::size_t> decimate(std::span<const double> y, std::size_t most) { return decimate(y, y, most); }

std::vector<std::size_t> decimate(std::span<const double> low, std::span<const double> high, std::size_t most) {
  most = std::max<std::size_t>(most, 8);
  const std::size_t size = low.size();
  if (size <= most) return all_indices(size);

  const auto is_gap = [&](std::size_t i) { return !std::isfinite(low[i]) || !std::isfinite(high[i]); };
  bool any_gap = false;
  for (std::size_t i = 0; i < size && !any_gap; ++i) any_gap = is_gap(i);
  const std::size_t stretches = (most - 2) / (any_gap ? 3 : 2);

  std::vector<std::size_t> kept{0, size - 1};
  for (std::size_t k = 0; k < stretches; ++k) {
    Stretch stretch;
    for (std::size_t i = size * k / stretches; i < size * (k + 1) / stretches; ++i) {
      if (is_gap(i)) {
        if (!stretch.gap) stretch.gap = i;
        continue;
      }
      if (!stretch.least || low[i] < low[*stretch.least]) stretch.least = i;
      if (!stretch.greatest || high[i] > high[*stretch.greatest]) stretch.greatest = i;
    }
    stretch.add_to(kept);
  }
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  return kept;
}

std::vector<std::size_t> decimate_evenly(std::size_t size, std::size_t most) {
  most = std::max<std::size_t>(most, 2);
  if (size <= most) return all_indices(size);
  std::vector<std::size_t> kept(most);
  for (std::size_t k = 0; k < most; ++k) kept[k] = (size - 1) * k / (most - 1);
  return kept;
}

}  // namespace fathom::report::internal
