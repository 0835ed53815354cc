#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fathom/identify/vehicle/sensor_check.hpp"

namespace fathom::identify::internal {

/// First, middle and last of many times that grow; its memory does not.
class SampleTimes {
 public:
  explicit SampleTimes(std::string channel) : channel_(std::move(channel)) {}
  SampleTimes(std::string channel, std::span<const double> times);

  void add(double t);
  const std::string& channel() const { return channel_; }
  std::size_t count() const { return count_; }
  double first() const { return kept_.front(); }
  /// Of the middle sample, about: half of them are before it.
  double middle() const { return kept_[kept_.size() / 2]; }
  double last() const { return last_; }

 private:
  std::string channel_;
  std::vector<double> kept_;  // every stride_-th
  std::size_t count_ = 0, stride_ = 1;
  double last_ = 0;
};

struct CheckPart {
  double from = 0, until = 0;  ///< s
};

/// The part of a log that is compared: at most 600 s about the time that is in the middle of most sensors, so
/// that a stamp far from all others does not move it. None without samples.
std::optional<CheckPart> checked_part(std::span<const SampleTimes> sensors);

/// Sensors with a stamp so far before or after all their others that it is wrong.
std::vector<Contradiction> outlying_stamps(std::span<const SampleTimes> sensors);

}  // namespace fathom::identify::internal
