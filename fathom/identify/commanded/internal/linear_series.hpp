#pragma once
#include <span>

#include <Eigen/Core>

namespace fathom::identify::internal {

/// Columns at times `t`, which increase, by straight lines at times t0, t0 + dt, ...: before the first and
/// after the last time their values hold.
Eigen::MatrixXd straight_between(std::span<const double> t, const Eigen::Ref<const Eigen::MatrixXd>& columns,
                                 double t0, double dt, Eigen::Index count);

}  // namespace fathom::identify::internal
