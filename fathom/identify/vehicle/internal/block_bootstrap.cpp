#include "fathom/identify/vehicle/internal/block_bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify::internal {
namespace {

using Eigen::Index;

constexpr double shortest_block = 5;  // s
constexpr double times_memory = 4;    // integral times in a block
constexpr double fade_time = 0.5;     // s

}  // namespace

BlockBootstrap::BlockBootstrap(const std::vector<WrenchResiduals>& residuals, double dt, model::Dof dof) {
  Index longest = 0;
  double memory = 1;
  for (const WrenchResiduals& of : residuals) {
    if (!(std::abs(of.dt - dt) <= 1e-9 * dt))
      reject("residuals", fmt::format("have a step of {} s, the recording {} s", of.dt, dt),
             "smooth both to the same clock");
    for (auto first = std::find(of.usable.begin(), of.usable.end(), 1); first != of.usable.end();) {
      const auto end = std::find(first, of.usable.end(), 0);
      const Mat6X& run = runs_.emplace_back(of.wrench_b.middleCols(first - of.usable.begin(), end - first));
      if (run.cols() > longest) {
        longest = run.cols();
        memory = 1;
        for (const int row : model::free_indices(dof))
          memory = std::max(memory, solve::integral_time(run.row(row).transpose()));
      }
      first = std::find(end, of.usable.end(), 1);
    }
  }
  if (runs_.empty()) return;
  const auto wanted = static_cast<Index>(std::ceil(std::max(shortest_block / dt, times_memory * memory)));
  block_ = std::min(longest, wanted);
  fade_ = std::min(static_cast<Index>(fade_time / dt), block_ / 4);
  weight_.setOnes(block_);
  for (Index k = 0; k < fade_; ++k) {
    const double in = (static_cast<double>(k) + 0.5) / static_cast<double>(fade_);
    weight_[k] = weight_[block_ - 1 - k] = std::sin(std::numbers::pi / 2 * in);
  }
  double samples = 0;
  for (const Mat6X& run : runs_) samples += static_cast<double>(run.cols());
  effective_ = samples / memory;
  std::erase_if(runs_, [this](const Mat6X& run) { return run.cols() < block_; });
}

Mat6X BlockBootstrap::pick(RandomStream& random, Index samples) const {
  Index places = 0;
  for (const Mat6X& run : runs_) places += run.cols() - samples + 1;
  auto place = static_cast<Index>(random.uniform() * static_cast<double>(places));
  for (const Mat6X& run : runs_) {
    const Index here = run.cols() - samples + 1;
    if (place < here) return run.middleCols(place, samples);
    place -= here;
  }
  return runs_.back().leftCols(samples);
}

Mat6X BlockBootstrap::draw(Index samples, RandomStream& random) const {
  Mat6X series = Mat6X::Zero(6, samples);
  if (runs_.empty()) return series;
  // The first block begins somewhere before the series, or all joints would stand at the same times.
  const Index stride = block_ - fade_;
  Index at = -static_cast<Index>(random.uniform() * static_cast<double>(stride)) - fade_;
  for (; at < samples; at += stride) {
    const Mat6X block = pick(random, block_);
    for (Index k = std::max<Index>(0, -at); k < block_ && at + k < samples; ++k)
      series.col(at + k) += weight_[k] * block.col(k);
  }
  return series;
}

}  // namespace fathom::identify::internal
