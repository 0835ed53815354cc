#include "studies/real/left_out.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/identify/vehicle/scored_velocities.hpp"

namespace fathom::studies {
namespace {

constexpr double least_share = 0.25;   // of the other runs' standard deviation: less is no motion or no command
constexpr double most_outside = 0.02;  // of the samples
constexpr double tolerated = 0.05;     // of half the range: the extremes of two runs differ by chance

Vec6 spread_of(const Mat6X& series) {
  const Vec6 mean = series.rowwise().mean();
  return (series.colwise() - mean).rowwise().squaredNorm().cwiseSqrt() /
         std::sqrt(static_cast<double>(series.cols()));
}

/// 1 for better, 0 for worse, half for a tie; `difference` is positive where the model is better.
double points(double difference, double sigma) {
  if (std::abs(difference) <= sigma) return 0.5;
  return difference > 0 ? 1 : 0;
}

/// Share of the samples beyond [least, most] of the same row.
double share_outside(const Eigen::Ref<const Eigen::RowVectorXd>& values, double least, double most) {
  const double margin = tolerated * 0.5 * (most - least);
  return static_cast<double>((values.array() > most + margin || values.array() < least - margin).count()) /
         static_cast<double>(values.size());
}

}  // namespace

LeftOutRuns::LeftOutRuns(std::vector<const identify::CommandedRun*> runs) : runs_(std::move(runs)) {
  for (const identify::CommandedRun* run : runs_)
    spread_.push_back({spread_of(run->commands), spread_of(run->nu_c)});
}

bool LeftOutRuns::counts(std::size_t k, int axis) const {
  for (std::size_t kind = 0; kind < 2; ++kind) {
    double square = 0;
    for (std::size_t other = 0; other < runs_.size(); ++other)
      if (other != k) square += spread_[other][kind][axis] * spread_[other][kind][axis];
    if (spread_[k][kind][axis] < least_share * std::sqrt(square / static_cast<double>(runs_.size() - 1)))
      return false;
  }
  return true;
}

bool LeftOutRuns::is_outside(std::size_t k) const {
  for (const auto series : {&identify::CommandedRun::commands, &identify::CommandedRun::nu_c})
    for (const int i : identify::scored_velocities) {
      double least = infinity, most = -infinity;
      for (std::size_t other = 0; other < runs_.size(); ++other) {
        if (other == k) continue;
        least = std::min(least, (runs_[other]->*series).row(i).minCoeff());
        most = std::max(most, (runs_[other]->*series).row(i).maxCoeff());
      }
      if (share_outside((runs_[k]->*series).row(i), least, most) > most_outside) return true;
    }
  return false;
}

void LeftOutRuns::add(std::size_t k, const RealScores& scores) {
  if (is_outside(k)) {
    ++outside_;
    return;
  }
  for (int axis = 0; axis < 3; ++axis) {
    if (!counts(k, axis)) continue;
    points_ += points(scores.gain(axis), scores.gain_sigma(axis)) +
               points(1 - scores.ratio(axis), scores.ratio_sigma(axis));
    comparisons_ += 2;
  }
}

void LeftOutRuns::tell(Study& study, const std::string& prefix) const {
  study.set(prefix + ".left_out.share", comparisons_ > 0 ? points_ / comparisons_ : 0,
            fmt::format("{:g} of {}", points_, comparisons_));
  study.set(prefix + ".left_out.outside", outside_, fmt::format("of {}", runs_.size()));
}

}  // namespace fathom::studies
