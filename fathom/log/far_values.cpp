#include "fathom/log/far_values.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>

namespace fathom::log {
namespace {

constexpr std::size_t most_far = 4;  // of one side
constexpr std::size_t fewest_values = 20;
constexpr double reach_of_equals = 1e4;
constexpr double least_range = 1e-9;  // less is rounding of what is equal

/// Keeps the outermost, and one more: the first of all others.
template <class Before>
void keep(std::vector<FarValues::Far>& outermost, const FarValues::Far& one, const Before& before) {
  if (outermost.size() > most_far && !before(one.value, outermost.back().value)) return;
  const auto place = std::upper_bound(outermost.begin(), outermost.end(), one,
                                      [&](const auto& a, const auto& b) { return before(a.value, b.value); });
  outermost.insert(place, one);
  if (outermost.size() > most_far + 1) outermost.pop_back();
}

}  // namespace

std::string FarValues::Found::others(const std::string& unit) const {
  return fmt::format("while all others lie between {:.4g} and {:.4g}{}{}", least, largest,
                     unit.empty() ? "" : " ", unit);
}

void FarValues::add(double value, int line, double t) {
  if (std::isnan(value)) return;
  ++count_;
  keep(low_, {value, line, t}, std::less<double>());
  keep(high_, {value, line, t}, std::greater<double>());
}

FarValues::Found FarValues::found(double reach) const {
  if (count_ < fewest_values) return {};
  std::size_t low = most_far, high = most_far;  // so many are far
  Found found{{}, low_[low].value, high_[high].value};
  const auto near = [&] {
    const double range = found.largest - found.least;
    return range > least_range
               ? reach * range
               : reach_of_equals * std::max({1.0, std::abs(found.least), std::abs(found.largest)});
  };
  while (true) {
    if (low > 0 && found.least - low_[low - 1].value <= near())
      found.least = low_[--low].value;
    else if (high > 0 && high_[high - 1].value - found.largest <= near())
      found.largest = high_[--high].value;
    else
      break;
  }
  found.far.assign(low_.begin(), low_.begin() + static_cast<std::ptrdiff_t>(low));
  found.far.insert(found.far.end(), high_.begin(), high_.begin() + static_cast<std::ptrdiff_t>(high));
  std::stable_sort(found.far.begin(), found.far.end(),
                   [](const Far& a, const Far& b) { return std::pair(a.line, a.t) < std::pair(b.line, b.t); });
  return found;
}

}  // namespace fathom::log
