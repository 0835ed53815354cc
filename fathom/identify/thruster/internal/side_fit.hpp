#pragma once
#include <Eigen/Core>

#include "fathom/identify/thruster/static_thrust.hpp"

namespace fathom::identify::internal {

/// Where an edge is looked for: from low to high on a grid, which then shrinks about the best.
struct EdgeSearch {
  double low = 0, high = 0;
  int grid = 91, rounds = 4;
};

/// Everywhere that leaves enough of the side to fit.
EdgeSearch whole_side(double reach);

/// As fit_side, without its checks. `reach` is that of the law, which may lie beyond the points.
SideLaw fit_side(const Eigen::VectorXd& u, const Eigen::VectorXd& forces, int degree, double reach,
                 const EdgeSearch& search);

/// 95 % band of a fitted law at its points: the moving-block bootstrap of what it leaves beyond its edge, and,
/// in quadrature, what it leaves more than single points scatter about any smooth law.
void side_band(SideChoice& choice, const StaticThrustOptions& options, std::uint64_t seed);

}  // namespace fathom::identify::internal
