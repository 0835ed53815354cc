#pragma once
#include <vector>

#include "fathom/identify/vehicle/regression.hpp"
#include "fathom/solve/least_squares.hpp"

namespace fathom::identify::internal {

/// Returns M^-1 of the free velocities. Throws InputError where M is singular.
Eigen::MatrixXd inverse_mass(const Regression& regression, const Eigen::VectorXd& theta);

/// Returns h * tau of all samples (rows x samples) at another delay than that of the rows: of them, the wrench
/// alone depends on it.
Eigen::MatrixXd blurred_wrench(const Regression& regression, double delay);

/// Rows of docs/identification.md eq. 37, linearised at theta. Keeps references to its arguments.
class ForwardRows {
 public:
  /// `tau`, if any, stands in the place of the wrench of `at`.
  ForwardRows(const Regression& regression, const Nuisance& at, const Eigen::VectorXd& theta,
              const Eigen::MatrixXd* tau = nullptr);

  /// rms of the acceleration that is left, of each row [m/s^2, rad/s^2].
  const Eigen::VectorXd& sigma() const { return sigma_; }
  solve::Rows sums() const;
  /// By eq. 10.
  Eigen::MatrixXd covariance() const;

  /// take(sample, A, left): rows over their sigma, and what theta leaves of them; the right side is A theta +
  /// left.
  template <class Take>
  void pass(const Take& take) const {
    each([&](Eigen::Index sample, const Eigen::MatrixXd& Y, const Eigen::VectorXd& left) {
      // At the model's own acceleration: that is what theta moves.
      take(sample,
           Eigen::MatrixXd(sigma_.cwiseInverse().asDiagonal() * (M_inverse_ * (Y + inertial_part(left)))),
           Eigen::VectorXd(left.cwiseQuotient(sigma_)));
    });
  }

 private:
  /// take(sample, Y, left): of each sample, and the acceleration that the model has beyond the measured one.
  template <class Take>
  void each(const Take& take) const {
    const Eigen::Index rows = regression_.rows();
    regression_.pass(at_, [&](const RowBlock& block) {
      for (Eigen::Index k = 0; k * rows < block.tau.size(); ++k) {
        const Eigen::MatrixXd Y = block.Y.middleRows(k * rows, rows);
        const Eigen::Index sample = block.first_sample + k;
        Eigen::VectorXd tau = block.tau.segment(k * rows, rows);
        if (tau_) tau = tau_->col(sample);
        take(sample, Y, Eigen::VectorXd(M_inverse_ * (tau - Y * theta_)));
      }
    });
  }
  /// The columns of Y that an acceleration of the free velocities adds.
  Eigen::MatrixXd inertial_part(const Eigen::VectorXd& acceleration) const;

  const Regression& regression_;
  const Nuisance& at_;
  const Eigen::VectorXd& theta_;
  const Eigen::MatrixXd* tau_;
  std::vector<Eigen::MatrixXd> unit_parts_;  // of an acceleration of one, each velocity by itself
  Eigen::MatrixXd M_inverse_;
  Eigen::VectorXd sigma_;
};

}  // namespace fathom::identify::internal
