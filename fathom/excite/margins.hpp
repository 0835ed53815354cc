#pragma once
#include <functional>
#include <vector>

#include "fathom/excite/path_limits.hpp"
#include "fathom/trajectory/bezier.hpp"

namespace fathom::excite {

/// Samples of a path on a grid: every `interval` [s], the end included. Rows are whole blocks; the last ones
/// repeat the end, with mask 0.
struct Grid {
  Eigen::ArrayXd t, mask;
  Samples samples;
};
/// `at` gives value, rate and acceleration of x y z roll pitch yaw.
Grid sample_path(const Problem& problem, const std::function<trajectory::Bezier::Sample(double)>& at,
                 double interval);

/// Grids that limits are checked on are this much finer than the samples.
inline constexpr int dense = 10;

/// Nearest approach to each box limit of each segment: pose, speed, acceleration by coordinate.
std::vector<Margin> box_margins(const Problem& problem, const Grid& grid);
/// Nearest approach of the path to thruster, view and tether limits, on the dense grid.
std::vector<Margin> path_margins(const Problem& problem, const trajectory::Bezier& path);

}  // namespace fathom::excite
