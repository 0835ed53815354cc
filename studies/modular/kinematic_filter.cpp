#include "studies/modular/kinematic_filter.hpp"

#include <cmath>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::studies {
namespace {

const Vec3 first_rate_sigma(2, 2, 2);  // m/s, m/s, rad/s: nothing is known of them at the start

void check(const Vec3& values, const char* key) {
  if (!(values.minCoeff() > 0 && values.allFinite()))
    reject(fmt::format("kinematic.{}", key),
           fmt::format("= {} {} {}, must be > 0", values[0], values[1], values[2]));
}

}  // namespace

KinematicFilter::KinematicFilter(const Vec3& marker_pose, const Options& options) : options_(options) {
  check(options.acceleration, "acceleration");
  check(options.sigma, "sigma");
  x_.head<3>() = marker_pose;
  const Eigen::Vector2d arm = (marker(x_, options.lever_b) - marker_pose).head<2>();
  x_.head<2>() -= arm;
  Mat3 turn = Mat3::Identity();  // the arm's direction is known as well as the heading
  turn.block<2, 1>(0, 2) << arm[1], -arm[0];
  P_.topLeftCorner<3, 3>() = turn * options.sigma.cwiseAbs2().asDiagonal() * turn.transpose();
  P_.bottomRightCorner<3, 3>() = first_rate_sigma.cwiseAbs2().asDiagonal();
}

void KinematicFilter::predict(double dt) {
  Mat6 F = Mat6::Identity(), Q = Mat6::Zero();
  F.topRightCorner<3, 3>().diagonal().setConstant(dt);
  const Vec3 q = options_.acceleration.cwiseAbs2();
  Q.topLeftCorner<3, 3>().diagonal() = dt * dt * dt / 3 * q;
  Q.topRightCorner<3, 3>().diagonal() = Q.bottomLeftCorner<3, 3>().diagonal() = dt * dt / 2 * q;
  Q.bottomRightCorner<3, 3>().diagonal() = dt * q;
  x_ = F * x_;
  P_ = F * P_ * F.transpose() + Q;
}

double KinematicFilter::correct(const Vec3& marker_pose) {
  Eigen::Matrix<double, 3, 6> H;
  Vec3 innovation = marker_pose - marker(x_, options_.lever_b, &H);
  innovation[2] = wrap_angle(innovation[2]);
  const Mat3 R = options_.sigma.cwiseAbs2().asDiagonal();
  const Mat3 S = H * P_ * H.transpose() + R;
  const Eigen::LLT<Mat3> factored(S);
  const Eigen::Matrix<double, 6, 3> K = factored.solve(H * P_).transpose();
  x_ += K * innovation;
  const Mat6 left = Mat6::Identity() - K * H;
  P_ = left * P_ * left.transpose() + K * R * K.transpose();
  return innovation.dot(factored.solve(innovation));
}

Vec3 KinematicFilter::twist_b() const {
  const double c = std::cos(x_[2]), s = std::sin(x_[2]);
  return {c * x_[3] + s * x_[4], -s * x_[3] + c * x_[4], x_[5]};
}

Vec3 KinematicFilter::marker(const Vec6& x, const Eigen::Vector2d& lever_b,
                             Eigen::Matrix<double, 3, 6>* jacobian) {
  const double c = std::cos(x[2]), s = std::sin(x[2]);
  const Eigen::Vector2d arm(c * lever_b[0] - s * lever_b[1], s * lever_b[0] + c * lever_b[1]);
  if (jacobian) {
    jacobian->setZero();
    jacobian->leftCols<3>().setIdentity();
    (*jacobian)(0, 2) = -arm[1];
    (*jacobian)(1, 2) = arm[0];
  }
  return {x[0] + arm[0], x[1] + arm[1], x[2]};
}

}  // namespace fathom::studies
