#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "fathom/solve/conic.hpp"

namespace fathom::solve {

/// Marginal distributions of a Gaussian that is cut off at the borders of a conic set.
///
/// An estimate that a constraint holds has no symmetric interval: the part of its Gaussian beyond the border is
/// impossible. Draws (docs/identification.md, "Intervals") come from the Gaussian in the few directions in
/// which a border is near, by Gibbs sampling with exact truncated normals (Geweke 1991); all other directions
/// are integrated in closed form, so that a parameter that no border touches keeps its Gaussian quantiles.
class TruncatedGaussian {
 public:
  /// The mean must satisfy the set up to rounding; where it does not, or no border is near, nothing is cut off.
  /// Throws InputError where sizes do not fit or a number is not finite.
  TruncatedGaussian(const Eigen::VectorXd& mean, const Eigen::MatrixXd& covariance, const ConicSet& set,
                    std::uint64_t seed = 1);

  /// False where all quantiles are those of the plain Gaussian.
  bool is_truncated() const { return draws_.cols() > 0; }
  /// Returns the value of unknown k that a share p of its distribution is below, 0 < p < 1.
  double quantile(Eigen::Index k, double p) const;
  /// Share of the draws that matrix inequalities kept; 1 without any.
  double accepted() const { return accepted_; }
  /// True where a border is near, but the matrix inequalities kept too few draws for quantiles, so that those
  /// of the plain Gaussian are returned.
  bool has_too_few_draws() const { return has_too_few_draws_; }

 private:
  void sample(const ConicSet& set, std::uint64_t seed);

  Eigen::VectorXd mean_, sigma_;
  Eigen::MatrixXd root_;   ///< covariance = root root'
  Eigen::MatrixXd basis_;  ///< of the directions, in units of `root`, in which a border is near
  Eigen::MatrixXd along_;  ///< root times basis: how far a draw moves each unknown
  Eigen::VectorXd rest_;   ///< of each unknown: standard deviation of what the draws do not hold
  Eigen::MatrixXd draws_;  ///< a column each, in `basis`
  double accepted_ = 1;
  bool has_too_few_draws_ = false;
};

}  // namespace fathom::solve
