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

/// Offsets of `channels` relative to `reference` by weighted least squares over the pairs that are known:
/// docs/filters.md eqs. 25 and 26. Fills channels, chi_square and loops.
void solve_graph(Alignment& alignment, const std::vector<std::string>& channels, const std::string& reference);

/// How much later `to` shows the motion that both show, at t0 and by drift: docs/filters.md eqs. 22 to 24.
PairOffset pair_offset(const MotionSeries& from, const MotionSeries& to, double t0,
                       const AlignmentOptions& options);

}  // namespace fathom::filter::internal
