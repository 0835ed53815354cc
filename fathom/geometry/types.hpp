#pragma once
#include <Eigen/Core>
#include <Eigen/Geometry>

namespace fathom {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Mat63 = Eigen::Matrix<double, 6, 3>;
using Mat6 = Eigen::Matrix<double, 6, 6>;
/// A twist [u v w p q r] or a wrench [X Y Z K M N]: linear part first.
using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6X = Eigen::Matrix<double, 6, Eigen::Dynamic>;
/// Unit quaternion, Hamilton. Eigen stores x y z w; files and arrays have w first.
using Quat = Eigen::Quaterniond;

/// A box along the axes of its frame, by two corners [m].
struct Box {
  Vec3 min = Vec3::Zero(), max = Vec3::Zero();
};

}  // namespace fathom
