#pragma once
#include <optional>

#include <Eigen/Core>

namespace fathom::filter::internal {

/// The banded equations of a smoothing spline (Reinsch 1967 for order 2; de Hoog and Hutchinson 1986):
/// docs/filters.md eqs. 13 to 15. Bands are rows: row k holds the k-th diagonal below the main one.
class SplineSystem {
 public:
  SplineSystem(const Eigen::VectorXd& t, const Eigen::VectorXd& y, const Eigen::VectorXd& weights, int order);

  struct Solution {
    Eigen::VectorXd g;      ///< at the samples
    Eigen::VectorXd gamma;  ///< of the B-splines of degree order - 1 that sum to g^(order)
    double freedom = 0, gcv = 0;
  };
  /// None where rounding made the equations singular.
  std::optional<Solution> solve(double smoothing) const;

  /// The smoothing at which penalty and data weigh the same; a scale to search on.
  double scale() const;

  /// g^(order) at t, in the interval that begins at sample i.
  double highest(const Eigen::VectorXd& gamma, Eigen::Index i, double t) const;

 private:
  double b_spline(Eigen::Index j, Eigen::Index interval, double t) const;
  void add_gram(Eigen::Index interval);

  Eigen::Index order_, n_, rows_;  // rows_ = n_ - order_: of the divided differences
  double factorial_;
  const Eigen::VectorXd &t_, &y_, &weights_;
  Eigen::MatrixXd Q_;      // a column per divided difference: its order + 1 coefficients
  Eigen::MatrixXd R_, K_;  // bands of the Gram matrix of B-splines, and of Q' W^-1 Q
};

}  // namespace fathom::filter::internal
