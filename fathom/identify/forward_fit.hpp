#pragma once
#include "fathom/identify/identify.hpp"
#include "fathom/solve/conic.hpp"

namespace fathom::identify {

/// Parameters that explain the acceleration by the commands, where fit() explains the wrench by the motion.
struct ForwardFit {
  Eigen::VectorXd theta;
  Eigen::MatrixXd covariance;   ///< serial correlation included
  Eigen::VectorXd unexplained;  ///< of each row: rms of the acceleration that is left [m/s^2, rad/s^2]
  int rounds = 0;
  bool settled = false;
};

/// Gauss and Newton's steps for h * nu_dot = M^-1 h * (tau - N(nu) theta), each a least-squares problem under
/// `conditions`; docs/identification.md eq. 37. What disturbs the vehicle is in the acceleration: a wrench that
/// is regressed on it makes masses too small, by the share of the acceleration that commands do not explain.
/// Throws InputError where the solver finds no estimate or M is singular.
ForwardFit forward_fit(const Regression& regression, const Supposition& at, const solve::ConicSet& conditions,
                       const Eigen::VectorXd& start);

/// Puts the forward estimate, with the delay of the least unexplained acceleration, in the place of the fitted
/// one. The delay's sigma is then at least the difference of the two.
ForwardFit take_forward(const std::vector<Recording>& recordings, const model::Robot& robot,
                        const model::Environment& environment, const IdentifyOptions& options,
                        Identified& found);

}  // namespace fathom::identify
