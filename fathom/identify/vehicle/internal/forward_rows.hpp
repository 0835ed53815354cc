#pragma once
#include <vector>

#include "fathom/identify/vehicle/regression.hpp"
#include "fathom/solve/conic.hpp"

namespace fathom::identify::internal {

/// Returns M^-1 of the free velocities. Throws InputError where M is singular.
Eigen::MatrixXd inverse_mass(const Regression& regression, const Eigen::VectorXd& theta);

/// Returns h * tau of all samples (rows x samples) at another delay than that of the rows: of them, the wrench
/// alone depends on it.
Eigen::MatrixXd blurred_wrench(const Regression& regression, double delay);

/// Rows of docs/identification.md eq. 37, linearised at theta, a block of samples at a time. Keeps a reference
/// to the regression.
class ForwardRows {
 public:
  ForwardRows(const Regression& regression, const Eigen::VectorXd& theta);

  /// Sets `left` (rows x samples of the block) to the acceleration that the model has beyond the measured one.
  /// `tau` (rows x all samples), if any, stands in the place of the block's wrench.
  void residual(const RowBlock& block, const Eigen::MatrixXd* tau, Eigen::MatrixXd& left) const;
  /// Sets `A` (rows x (samples * unknowns), the samples of one unknown side by side) to the slope of the
  /// residual by theta, with opposite sign. It is taken at the model's own acceleration, which theta moves.
  void slopes(const RowBlock& block, const Eigen::MatrixXd& left, Eigen::MatrixXd& A) const;
  const Eigen::VectorXd& theta() const { return theta_; }

 private:
  const Regression& regression_;
  Eigen::VectorXd theta_;
  Eigen::MatrixXd M_inverse_;
  struct Inertial {
    Eigen::Index column;
    Eigen::MatrixXd by_acceleration;  // M^-1 times what each velocity's acceleration adds to this column of Y
  };
  std::vector<Inertial> inertial_;
};

/// One linearisation among several that share a pass over the rows.
struct ForwardLane {
  ForwardRows rows;
  const Eigen::MatrixXd* tau = nullptr;  ///< as ForwardRows::residual() takes it
};
/// What a pass finds of a lane.
struct ForwardSums {
  Eigen::VectorXd sigma;            ///< rms of the acceleration that is left, of each row [m/s^2, rad/s^2]
  solve::ConicObjective objective;  ///< the sum of squares of rows over their sigma
};
std::vector<ForwardSums> forward_sums(const Regression& regression, const Nuisance& at,
                                      const std::vector<ForwardLane>& lanes);
/// Returns sigma alone.
std::vector<Eigen::VectorXd> forward_sigmas(const Regression& regression, const Nuisance& at,
                                            const std::vector<ForwardLane>& lanes);

/// Calls take(block, A, left) with the rows of each block, over `sigma`: A is (rows * samples) x unknowns,
/// sample after sample.
template <class Take>
void pass_forward(const Regression& regression, const Nuisance& at, const ForwardLane& lane,
                  const Eigen::VectorXd& sigma, const Take& take) {
  Eigen::MatrixXd left, A;
  regression.pass(at, [&](const RowBlock& block) {
    lane.rows.residual(block, lane.tau, left);
    lane.rows.slopes(block, left, A);
    A.array().colwise() /= sigma.array();
    left.array().colwise() /= sigma.array();
    take(block, Eigen::Map<const Eigen::MatrixXd>(A.data(), block.Y.rows(), block.Y.cols()),
         Eigen::Map<const Eigen::VectorXd>(left.data(), left.size()));
  });
}

/// By eq. 10.
Eigen::MatrixXd forward_covariance(const Regression& regression, const Nuisance& at, const ForwardLane& lane,
                                   const Eigen::VectorXd& sigma);

}  // namespace fathom::identify::internal
