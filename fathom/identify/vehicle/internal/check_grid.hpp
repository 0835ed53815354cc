#pragma once
#include <string>
#include <vector>

#include "fathom/filter/track.hpp"
#include "fathom/geometry/types.hpp"

namespace fathom::identify::internal {

/// The even clock on which sensors are compared with each other.
struct CheckClock {
  double t0 = 0;
  Eigen::Index size = 0;
  static constexpr double dt = 0.1;  ///< s
  double t(Eigen::Index k) const { return t0 + dt * static_cast<double>(k); }
};

/// One sensor on the even clock; a column with NaN is no sample. Empty where the log has no such sensor.
struct CheckSeries {
  std::string channel;     ///< as the log names it
  Eigen::MatrixXd values;  ///< a column per time
  double noise = 0;        ///< standard deviation of one raw sample, from its second differences
  double rate_hz = 0;      ///< of the raw samples
  Vec3 lever_b = Vec3::Zero();

  bool known() const { return values.cols() > 0; }
};

/// Returns the usual step of the samples [s]; infinity where there are fewer than two.
double usual_step_of(const filter::Readings& readings);

/// Samples the readings on the clock by straight lines through a Gaussian window of `blur` seconds, so that
/// uneven times and gaps do not move the values. `is_attitude`: columns are quaternions, which keep their
/// signs.
CheckSeries on_clock(const std::string& channel, const filter::Readings& readings, const CheckClock& clock,
                     double blur, bool is_attitude);

/// Blurs each row by a Gaussian of `width` seconds; NaN where less than half of the window is known.
Eigen::MatrixXd blurred_rows(const Eigen::MatrixXd& rows, double width);

/// Returns the central difference of each row [1/s].
Eigen::MatrixXd slope_of_rows(const Eigen::MatrixXd& rows);

/// Returns the rows as they would be if the series were `late` seconds earlier, by straight lines; `late` may
/// grow by `rate` per second from the middle of the clock on.
Eigen::MatrixXd earlier_by(const Eigen::MatrixXd& rows, double late, double rate);

}  // namespace fathom::identify::internal
