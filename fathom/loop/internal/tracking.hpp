#pragma once
#include <optional>

#include "fathom/dynamics/vehicle.hpp"
#include "fathom/loop/statistics.hpp"
#include "fathom/trajectory/reference.hpp"

namespace fathom::loop::internal {

/// How far what moves is from where it should be, summed up instant by instant.
class TrackingSum {
 public:
  void add(const trajectory::Reference& reference, const dynamics::State& state);
  /// Nothing where nothing was added.
  std::optional<Tracking> result() const;

 private:
  long count_ = 0;
  double position_sum_ = 0, attitude_sum_ = 0, position_max_ = 0, attitude_max_ = 0;
};

}  // namespace fathom::loop::internal
