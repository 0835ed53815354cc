#pragma once
#include "studies/modular/sphere_pair.hpp"

namespace fathom::studies {

/// Eqs. 4.9 and 4.10 of Nielsen 2019 with the coupled spheres themselves as the predictor: theta, and a first
/// roll and rate for each run, whose simulated rolls are nearest to the measured ones.
struct SphereFit {
  SphereTheta theta;
  std::vector<double> mse;  ///< rad^2, of each run
  bool converged = false;
};
SphereFit fit_spheres(const SpherePair& spheres, const std::vector<identify::DecayRun>& runs,
                      const SphereTheta& start);
/// With theta held: only where each run begins is fitted. For runs that were not fitted.
SphereFit judge_spheres(const SpherePair& spheres, const std::vector<identify::DecayRun>& runs,
                        const SphereTheta& theta);

/// Rolls of A at the times of a run, which are even; `steps` of Runge and Kutta between two.
Eigen::VectorXd swing_spheres(const SpherePair& spheres, const SphereTheta& theta, const Eigen::VectorXd& t,
                              double roll, double rate, int steps = 1);

}  // namespace fathom::studies
