#pragma once
#include "fathom/identify/vehicle/command_path_fit.hpp"
#include "fathom/identify/vehicle/identify.hpp"
#include "fathom/solve/conic.hpp"

namespace fathom::identify {

/// Parameters that explain the acceleration by the commands, where fit() explains the wrench by the motion.
struct ForwardFit {
  Eigen::VectorXd theta;
  Eigen::MatrixXd covariance;   ///< serial correlation included
  Eigen::VectorXd unexplained;  ///< of each row: rms of the acceleration that is left [m/s^2, rad/s^2]
  int rounds = 0;
  bool settled = false;
  /// Parameters in which take_forward() and the fit differ by more than their sigmas explain.
  std::vector<std::size_t> inconsistent = {};
};

/// Gauss and Newton's steps for h * nu_dot = M^-1 h * (tau - N(nu) theta), each a least-squares problem under
/// `constraints`; docs/identification.md eq. 37. What disturbs the vehicle is in the acceleration: a wrench
/// that is regressed on it makes masses too small, by the share of the acceleration that commands do not
/// explain. Throws InputError where the solver finds no estimate or M is singular.
ForwardFit forward_fit(const Regression& regression, const Nuisance& at, const solve::ConicSet& constraints,
                       const Eigen::VectorXd& start);

/// The same without its covariance; `tau` (rows x samples), if any, stands in the place of the wrench of `at`.
ForwardFit forward_estimate(const Regression& regression, const Nuisance& at,
                            const solve::ConicSet& constraints, const Eigen::VectorXd& start,
                            const Eigen::MatrixXd* tau = nullptr);

/// Forward estimates at several delays.
struct ForwardScan {
  struct At {
    double delay = 0;  ///< s
    ForwardFit fit;    ///< without a covariance
  };
  std::vector<At> tried;  ///< those that settled, by rising delay; docs/identification.md eq. 37
  std::size_t best = 0;   ///< with the least unexplained acceleration
};

/// Looks for the delay of the least unexplained acceleration: every 0.1 s up to `most_delay` of the regression,
/// then every 0.02 s beside the best one; where a delay is roughly known, `near`, every 0.02 s beside that
/// alone. All delays of a stage share each pass over the rows. Nothing is `tried` where no delay has an
/// estimate.
ForwardScan scan_delays(const Regression& regression, const Nuisance& at, const solve::ConicSet& constraints,
                        const Eigen::VectorXd& start, const std::optional<double>& near = {});

/// Puts the forward estimate, with the delay of the least unexplained acceleration, in the place of the fitted
/// one. The delay's sigma is then at least the difference of the two. The covariance has what one sigma of the
/// delay, and of a dead band that was looked for, moves the estimate by, and the difference to the fitted one
/// where sigmas do not explain it: what disturbs makes masses too small there, what the structure lacks makes
/// them too large here. `recordings` have the wrench of the dead band. Where a delay is roughly known,
/// `near_delay`, only delays near it are tried.
ForwardFit take_forward(const std::vector<Recording>& recordings, const model::Robot& robot,
                        const model::Environment& environment, const IdentifyOptions& options,
                        const CommandPathFit& command_path, Identified& found,
                        const std::optional<double>& near_delay = {});

}  // namespace fathom::identify
