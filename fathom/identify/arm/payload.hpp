#pragma once
#include "fathom/identify/arm/arm_fit.hpp"

namespace fathom::identify {

/// What an arm carries at its last link, beside what a fit knows of it: the ten numbers of a body at that
/// link's origin (docs/arms.md eq. 10), weighted as the fit's joints are.
struct PayloadFit {
  std::size_t link = 0;
  Eigen::VectorXd value;  ///< m, m r, I about the link's origin
  /// Of the payload's run, as if the fit before were exact; and what the fit's own covariance adds: it is taken
  /// for that of its free estimate, also where bodies that exist hold that back. Gains are taken for exact.
  Eigen::MatrixXd run_covariance, fit_covariance;
  double effective_samples = 0, fit_effective_samples = 0;

  Eigen::MatrixXd covariance() const { return run_covariance + fit_covariance; }
  double half_width(std::size_t k) const;  ///< of the 95 % interval, degrees of freedom by Satterthwaite (1946)
};
PayloadFit fit_payload(const ArmFit& fit, const ArmRun& run);

Eigen::MatrixXd predict(const PayloadFit& payload, const ArmFit& fit, const ArmRun& run);
std::vector<Metrics> score(const PayloadFit& payload, const ArmFit& fit, const ArmRun& run);

}  // namespace fathom::identify
