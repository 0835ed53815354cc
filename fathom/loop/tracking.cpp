#include "fathom/loop/internal/tracking.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/geometry/rotation.hpp"

namespace fathom::loop::internal {

void TrackingSum::add(const trajectory::Reference& reference, const dynamics::State& state) {
  const double position = (reference.p_nb_n - state.p_nb_n).norm();
  const double attitude = log_rotation(state.q_nb.conjugate() * reference.q_nb).norm();
  ++count_;
  position_sum_ += position * position;
  attitude_sum_ += attitude * attitude;
  position_max_ = std::max(position_max_, position);
  attitude_max_ = std::max(attitude_max_, attitude);
}

std::optional<Tracking> TrackingSum::result() const {
  if (count_ == 0) return std::nullopt;
  const auto n = static_cast<double>(count_);
  return Tracking{std::sqrt(position_sum_ / n), position_max_, std::sqrt(attitude_sum_ / n), attitude_max_};
}

}  // namespace fathom::loop::internal
