#include <algorithm>
#include <cmath>

#include "fathom/solve/internal/check.hpp"
#include "fathom/solve/internal/iterate.hpp"

namespace fathom::solve {
namespace {

constexpr double mu_last = 1e-6;           // over the mean square of target - start
constexpr double centering = 0.1;          // mu over the mean of slack times dual
constexpr double largest_residual = 1e-6;  // likewise, over the root mean square

}  // namespace

/// The steps of `minimize` with the exact Hessian, the identity, and one length for x and the duals: the
/// residual of a convex quadratic program then falls by that share, and no search along the step is needed. A
/// target so far away that numbers overflow gives a point inside, no more.
Eigen::VectorXd InteriorPoint::project(const Eigen::VectorXd& target, const Eigen::VectorXd& start) {
  internal::Iterate& at = *work_;
  internal::check_point("target", target, at.x.size());
  at.place(start);
  const double square = (target - start).squaredNorm() / std::max(1.0, static_cast<double>(start.size()));
  if (square == 0) return start;
  at.bfgs.start(0);
  at.H.clear();
  at.center_duals(square);
  constexpr double to_boundary = 0.99;
  const double sides = std::max(1.0, at.sides.closed().sum());
  constexpr int most_iterations = 100;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    at.gradient = at.x - target;
    at.update_residual();
    const double mean = (at.s * at.z).sum() / sides;
    if (mean <= 2 * mu_last * square && at.stationarity() <= largest_residual * std::sqrt(square)) break;
    const double mu = std::max(mu_last * square, centering * mean);
    at.solve_step(mu, at.bfgs);
    if (!at.dx.allFinite() || !at.dz.allFinite()) break;
    double share = std::min(at.primal_share(to_boundary), at.dual_share(to_boundary));
    do {
      at.x_try = at.x + share * at.dx;
      share /= 2;
    } while (!at.try_inside());  // but for rounding, the first is
    at.accept(mu, 2 * share);
  }
  return at.x;
}

}  // namespace fathom::solve
