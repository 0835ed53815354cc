#include "fathom/identify/vehicle/internal/held_out.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace fathom::identify::internal {
namespace {

using Eigen::Index;

constexpr Index window_overlap = 8;   // samples, of a blur each: two windows of h
constexpr Index shortest_block = 20;  // samples
constexpr Index most_folds = 10;      // of time

/// Cuts samples first to end into as many blocks as are at least so long.
void cut_into_blocks(HeldOut& plan, std::size_t first, std::size_t end, Index length) {
  const std::size_t count = std::max<std::size_t>(1, (end - first) / static_cast<std::size_t>(length));
  for (std::size_t k = first; k < end; ++k)
    plan.samples[k].block = plan.blocks + (k - first) * count / (end - first);
  plan.blocks += count;
}

/// Samples: two residual correlation times, of those rows that predictions are judged by, a free run and its
/// margin, or the least.
Index block_length(const Regression& regression, const Fit& fit, double window) {
  double memory = 0;  // samples
  for (std::size_t row = 0; row < fit.whiteness.size(); ++row)
    if (const int i = regression.free()[row]; i != 3 && i != 4)
      memory = std::max(memory, fit.whiteness[row].integral_time);
  return static_cast<Index>(std::max({static_cast<double>(shortest_block), std::ceil(2 * memory),
                                      std::ceil((window + 1) / regression.sample_interval())}));
}

/// Where folds begin, and the end: each log, or stretches of time.
std::vector<std::size_t> fold_borders(HeldOut& plan, Index length) {
  const std::size_t all = plan.samples.size();
  std::vector<std::size_t> begins;
  for (std::size_t k = 0; k < all; ++k)
    if (k == 0 || plan.samples[k].recording != plan.samples[k - 1].recording) begins.push_back(k);
  begins.push_back(all);
  plan.whole_logs = begins.size() > 3;
  if (plan.whole_logs) return begins;
  const auto folds =
      static_cast<std::size_t>(std::clamp<Index>(static_cast<Index>(all) / length, 1, most_folds));
  begins.clear();
  for (std::size_t k = 0; k <= folds; ++k) begins.push_back(k * all / folds);
  return begins;
}

}  // namespace

HeldOut held_out(const Regression& regression, const Fit& fit, const EstimatorChoiceOptions& how) {
  HeldOut plan;
  for (std::size_t k = 0; k < fit.residuals.t.size(); ++k)
    plan.samples.push_back({fit.residuals.recording[k], 0, 0, 1, fit.residuals.t[k]});
  const Index length = block_length(regression, fit, how.window);
  const std::vector<std::size_t> begins = fold_borders(plan, length);
  plan.folds = begins.size() - 1;
  for (std::size_t fold = 0; fold < plan.folds; ++fold) {
    const std::size_t first = begins[fold], end = begins[fold + 1];
    for (std::size_t k = first; k < end; ++k) {
      plan.samples[k].fold = fold;
      if (!plan.whole_logs)
        plan.samples[k].part = k < first + window_overlap ? 0 : k + window_overlap >= end ? 2 : 1;
    }
    cut_into_blocks(plan, first, end, length);
  }
  if (plan.blocks < static_cast<std::size_t>(std::max(0, how.least_blocks)))
    plan.why_not = fmt::format(
        "the logs have {} blocks of {:.3g} s, two residual correlation times, for the {} that a comparison "
        "takes",
        plan.blocks, static_cast<double>(length) * regression.sample_interval(), how.least_blocks);
  return plan;
}

void Normal::add(const Normal& other) {
  G += other.G;
  b += other.b;
  c += other.c;
}

FoldSums::FoldSums(const HeldOut& plan, Index unknowns)
    : plan_(plan), parts_(plan.folds * 3, Normal(unknowns)), n_(unknowns) {}

Normal FoldSums::without(std::size_t held_out) const {
  Normal sum(n_);
  for (std::size_t fold = 0; fold < plan_.folds; ++fold) {
    if (fold == held_out) continue;
    sum.add(parts_[fold * 3 + 1]);
    if (fold != held_out + 1) sum.add(parts_[fold * 3]);
    if (fold + 1 != held_out) sum.add(parts_[fold * 3 + 2]);
  }
  return sum;
}

Normal FoldSums::all() const {
  Normal sum(n_);
  for (const Normal& part : parts_) sum.add(part);
  return sum;
}

}  // namespace fathom::identify::internal
