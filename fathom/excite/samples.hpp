#pragma once
#include <Eigen/Core>

namespace fathom::excite {

/// A path at its samples, one row each: what is stated in the world, and what the body feels. Or, entry by
/// entry, the derivative of a number by all of these.
struct Samples {
  Eigen::ArrayXXd pose, rate, acceleration;  ///< n x 6: x y z roll pitch yaw
  Eigen::ArrayXXd nu, nu_dot;  ///< n x 6: body twist and its derivative; docs/excitation.md eqs. 7, 8
  Eigen::ArrayXXd down;        ///< n x 3: down_b
  /// The thrusters' wrench and what their errors make of it, groups of six columns each (ThrusterErrors); none
  /// where these do not count.
  Eigen::ArrayXXd wrench;

  explicit Samples(Eigen::Index n, Eigen::Index wrench_columns = 0)
      : pose(Eigen::ArrayXXd::Zero(n, 6)),
        rate(pose),
        acceleration(pose),
        nu(pose),
        nu_dot(pose),
        down(Eigen::ArrayXXd::Zero(n, 3)),
        wrench(Eigen::ArrayXXd::Zero(n, wrench_columns)) {}
  Eigen::Index size() const { return pose.rows(); }
  void set_zero() {
    for (Eigen::ArrayXXd* columns : {&pose, &rate, &acceleration, &nu, &nu_dot, &down, &wrench})
      columns->setZero();
  }
};

}  // namespace fathom::excite
