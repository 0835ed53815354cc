#include "fathom/model/lump.hpp"

namespace fathom::model {

Lump seen_in(const Pose& pose, const Lump& lump) {
  const Mat3 R = pose.q_pc.toRotationMatrix();
  const Mat3 turned = R * lump.inertia * R.transpose();
  // Zeros are added so that none is negative: a file would not keep its sign.
  return {lump.mass, pose * lump.centre + Vec3::Zero(), 0.5 * (turned + turned.transpose()) + Mat3::Zero()};
}

Lump joined(const std::vector<Lump>& lumps) {
  if (lumps.size() == 1) return lumps.front();
  Lump all;
  for (const Lump& lump : lumps) {
    all.mass += lump.mass;
    all.centre += lump.mass * lump.centre;
  }
  if (!(all.mass > 0)) return {};
  all.centre /= all.mass;
  for (const Lump& lump : lumps) {
    const Vec3 arm = lump.centre - all.centre;
    all.inertia += lump.inertia + lump.mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
  }
  return all;
}

}  // namespace fathom::model
