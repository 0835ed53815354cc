#pragma once
#include <functional>
#include <vector>

#include "fathom/excite/path_limits.hpp"
#include "fathom/trajectory/bezier.hpp"

namespace fathom::excite {

/// Samples of a path on a grid: every `interval` [s]. Rows are whole blocks; the last ones repeat the last
/// sample, with mask 0.
struct Grid {
  Eigen::ArrayXd t, mask;
  Samples samples;
};
enum class GridEnd {
  regular,   ///< the last sample at or before the end, as those of Sampling
  included,  ///< the end is one more, however near to the one before: for checks
};
/// `at` gives value, rate and acceleration of x y z roll pitch yaw.
Grid sample_path(const Problem& problem, const std::function<trajectory::Bezier::Sample(double)>& at,
                 double interval, GridEnd end = GridEnd::regular);

/// Grids that limits are checked on are this much finer than the samples.
inline constexpr int dense = 10;

/// Nearest approach to each box limit of each segment: pose, speed, acceleration by coordinate.
std::vector<Margin> box_margins(const Problem& problem, const Grid& grid);
/// Nearest approach to thruster, view and tether limits; `limits` are those of the problem.
std::vector<Margin> path_margins(const PathLimits& limits, Grid grid);
/// That of a path, on the dense grid.
std::vector<Margin> path_margins(const Problem& problem, const PathLimits& limits,
                                 const trajectory::Bezier& path);
std::vector<Margin> path_margins(const Problem& problem, const trajectory::Bezier& path);

}  // namespace fathom::excite
