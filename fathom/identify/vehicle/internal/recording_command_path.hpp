#pragma once
#include <array>
#include <memory>

#include "fathom/identify/commanded/pilot_mixer.hpp"
#include "fathom/identify/vehicle/internal/recording_commands.hpp"

namespace fathom::identify::internal {

/// The six columns of a wrench, or of a pilot's axes.
class SixColumns {
 public:
  SixColumns(const Rows& rows, const std::array<Column, 6>& columns);

  /// What the present row has; zero, and not known, where a number is missing.
  void take(const Rows& rows);
  const Vec6& values() const { return values_; }
  bool is_known() const { return is_known_; }
  /// After the last row. Throws InputError for a column without any number.
  void finish(const Rows& rows) const;

 private:
  std::array<std::size_t, 6> columns_{}, numbers_{};
  Vec6 values_ = Vec6::Zero();
  bool is_known_ = false;
};

/// X Y Z K M N. Without steering the wrench acts as logged, until the next; with it, through the thrusters of
/// the robot: docs/identification.md eqs. 27 and 28.
std::unique_ptr<Input> logged_wrench(const Rows& rows);
std::unique_ptr<Input> commanded_wrench(const Rows& rows, const model::Robot& robot,
                                        const model::Environment& environment, double voltage);
/// surge sway heave roll pitch yaw, -1 to 1: eq. 29. `finish` throws InputError for sticks beyond that.
std::unique_ptr<Input> pilot_axes(const Rows& rows, const model::Robot& robot,
                                  const model::Environment& environment, double voltage);

}  // namespace fathom::identify::internal
