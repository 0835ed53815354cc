#pragma once
#include "fathom/filter/clock_alignment.hpp"

namespace fathom::filter::internal {

/// The even clock on which two channels are compared.
struct EvenClock {
  double t0 = 0, dt = 0;  ///< s
  Eigen::Index size = 0;

  double t(Eigen::Index k) const { return t0 + dt * static_cast<double>(k); }
};

/// s between samples, the median.
double usual_step(const MotionSeries& series);

/// The motion on the grid, through a Gaussian window of `blur` seconds, by straight lines fitted to the samples
/// about each point: docs/filters.md eq. 21. Uneven times move nothing. Columns are NaN in gaps.
Eigen::MatrixXd sample_motion(const MotionSeries& series, const EvenClock& grid, double blur);

}  // namespace fathom::filter::internal
