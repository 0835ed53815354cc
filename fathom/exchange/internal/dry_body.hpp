#pragma once
#include <cmath>
#include <vector>

#include <Eigen/Eigenvalues>

#include "fathom/geometry/types.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::exchange::internal {

/// The spectral radius of M_rb^-1 M_a: the largest ratio of added to dry inertia over all directions. It
/// decides whether a simulator that takes added mass from the acceleration of the step before is stable.
inline double added_to_dry(const model::Hull& hull) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> ratios(
      hull.added_mass.value, model::rigid_body_inertia(hull), Eigen::EigenvaluesOnly);
  return ratios.eigenvalues().cwiseAbs().maxCoeff();
}

/// A box of exactly the volume that the hull displaces, with its sides in proportion where they are known.
inline Vec3 box_of_volume(const model::Hull& hull) {
  if (!hull.size) return Vec3::Constant(std::cbrt(hull.volume.value));
  const Vec3 size = hull.size->value;
  Vec3 box = size * std::cbrt(hull.volume.value / size.prod());
  box.z() = hull.volume.value / (box.x() * box.y());  // what rounding left
  return box;
}

/// A rigid body without water, in any axes.
struct DryBody {
  double mass = 0;
  Vec3 centre_of_mass = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();  ///< about the centre of mass
};

/// The one body that all parts make.
DryBody together(const std::vector<DryBody>& parts);
/// What is left of a body when parts are taken out: together() with them gives it back.
DryBody without(const DryBody& body, const std::vector<DryBody>& parts);
/// Can masses be spread so that they have this inertia: positive, and no principal moment above the sum of the
/// other two?
bool is_physical(const DryBody& body);

}  // namespace fathom::exchange::internal
