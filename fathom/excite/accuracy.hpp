#pragma once
#include <string>

#include <Eigen/Core>

#include "fathom/excite/prediction.hpp"
#include "fathom/excite/problem.hpp"
#include "fathom/excite/samples.hpp"
#include "fathom/geometry/types.hpp"

namespace fathom::excite {

/// The linear damping of the robot as the structure sees it: quadratic damping that the structure has no term
/// for acts as linear one, at the largest speeds that the limits allow (the describing function of |v| v for a
/// sinusoid). Zero in rows and columns of held velocities. docs/excitation.md eq. 11.
Mat6 linearised_damping(const Problem& problem);
/// The structure's parameters of the robot, with linearised_damping.
Eigen::VectorXd linearised_parameters(const Problem& problem);

/// The error in each parameter of the structure that counts as one: a diagonal entry of M relative to itself,
/// one of damping relative to the whole drag at the speed limit, an off-diagonal one relative to a fifth of the
/// diagonal ones' geometric mean. docs/excitation.md eq. 12.
Eigen::VectorXd parameter_scales(const Problem& problem);
/// 1 / sigma^2 of each free row of the equation of motion: noise of the wrench, and of the velocities through
/// all damping, linearised at the speed limits whether the structure has a term for it or not.
/// docs/excitation.md eq. 10.
Eigen::VectorXd row_weights(const Problem& problem);
/// 1 / sigma^2 of what is known beforehand.
Eigen::VectorXd prior_information(const Problem& problem);

/// What least squares on a motion would give; docs/excitation.md eqs. 13, 14 and 19.
struct ExpectedAccuracy {
  Eigen::VectorXd sigma;  ///< of each parameter, priors included
  double error = 0;       ///< root mean square of sigma over scale
  double condition = 0;   ///< of the stacked regressor, the paper's number; infinite above 1 / sqrt(eps)
  /// No motion with these sizes of columns has a smaller one: the largest column over the smallest. In 4-DoF it
  /// is 1 over the rms of the heave acceleration, whatever else moves.
  double floor = 0;
  std::string floor_high, floor_low;  ///< the parameters of these columns
};

/// `samples` hold the motion with the fillers' rows zero.
ExpectedAccuracy accuracy_of(const Problem& problem, const Samples& samples);

/// Returns the structure's linearised_parameters with the expected sigmas and parameter_scales.
Prediction prediction_of(const Problem& problem, const ExpectedAccuracy& accuracy);

}  // namespace fathom::excite
