#pragma once
#include "fathom/solve/least_squares.hpp"

namespace fathom::solve::internal {

/// The factor of [A y] in parts: A = Q R, Q'y = [q; rho].
struct Triangle {
  Eigen::MatrixXd R;
  Eigen::VectorXd q;
  double rho = 0;
  double rss(const Eigen::VectorXd& x) const { return (R * x - q).squaredNorm() + rho * rho; }
};
/// Throws InputError where there are no rows, or squares overflow.
Triangle triangle(const Rows& rows);

/// What A is like: column norms, singular values, rank, rows; nothing of x.
LinearFit describe(const Triangle& of, Eigen::Index rows, double rank_tolerance);

/// (A'A)^-1, or where the rank is short its pseudo-inverse in scaled unknowns.
Eigen::MatrixXd inverse_gram(const Triangle& of, const LinearFit& described);

}  // namespace fathom::solve::internal
