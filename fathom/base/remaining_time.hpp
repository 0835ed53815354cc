#pragma once
#include <optional>

namespace fathom {

/// Predicts the time that work still takes from the share of it that is done, at the mean rate since the first
/// report. What was done before that report took no time that was seen.
class RemainingTime {
 public:
  /// Returns the seconds left when `share` (0 to 1) is done at time `t` [s]. Nothing is known before the share
  /// has grown.
  std::optional<double> at(double share, double t) {
    if (!first_) first_ = Report{share, t};
    if (!(share > first_->share) || !(t > first_->t)) return std::nullopt;
    return (1 - share) * (t - first_->t) / (share - first_->share);
  }

 private:
  struct Report {
    double share, t;
  };
  std::optional<Report> first_;
};

}  // namespace fathom
