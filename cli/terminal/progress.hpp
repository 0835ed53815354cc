#pragma once
#include <chrono>
#include <string>
#include <string_view>

#include "fathom/base/remaining_time.hpp"

namespace fathom::cli {

/// Progress on standard error: a bar with the time left on a terminal, a line every ten seconds elsewhere.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Share of the work done, 0 to 1, and what else is worth seeing ("best 12.3"). Cheap enough to call in every
  /// step.
  void at(double share, std::string_view news = {});

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point start_, last_;
  RemainingTime remaining_;
};

}  // namespace fathom::cli
