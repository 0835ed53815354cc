#pragma once
#include "fathom/geometry/types.hpp"

namespace fathom::studies {

/// The kinematic filter of Nielsen 2019, eqs. 6.8 to 6.14: planar pose and its rate from a marker's pose, one
/// sample after another, for use while the vehicle swims. Two misprints of the thesis are corrected: 6.10 is S
/// = H P H' + R (printed H P H + R), 6.11 is K = P H' S^-1 (printed H' P S^-1); and I2 of 6.14 becomes I3, for
/// the heading is measured too. The thesis does not give Q; here it is that of white acceleration. The marker's
/// lever arm (6.5 to 6.7) makes the measurement a function of the heading, hence an extended filter. For a
/// whole log filter::smooth() is better: it looks ahead.
class KinematicFilter {
 public:
  struct Options {
    Vec3 acceleration = Vec3(0.5, 0.5, 0.5);  ///< m/s^2 sqrt(s) twice, rad/s^2 sqrt(s): densities, of x y yaw
    Vec3 sigma = Vec3(0.005, 0.005, 0.01);    ///< m, m, rad of one sample
    Eigen::Vector2d lever_b = Eigen::Vector2d::Zero();  ///< m, of the marker
  };

  /// Begins at rest at a measured pose [x y yaw] of the marker. Throws InputError at what is not positive.
  KinematicFilter(const Vec3& marker_pose, const Options& options);

  /// eq. 6.8 with F of 6.14.
  void predict(double dt);
  /// eqs. 6.9 to 6.13 with a marker's pose; returns the normalised innovation squared, chi-square of 3.
  double correct(const Vec3& marker_pose);

  /// [x y yaw] in n and its rate; the yaw is not wrapped.
  const Vec6& state() const { return x_; }
  const Mat6& covariance() const { return P_; }
  Vec3 pose() const { return x_.head<3>(); }
  /// [u v r] in b.
  Vec3 twist_b() const;

  /// The marker's pose of a state, eq. 6.5, and its derivative.
  static Vec3 marker(const Vec6& x, const Eigen::Vector2d& lever_b,
                     Eigen::Matrix<double, 3, 6>* jacobian = nullptr);

 private:
  Options options_;
  Vec6 x_ = Vec6::Zero();
  Mat6 P_ = Mat6::Zero();
};

}  // namespace fathom::studies
