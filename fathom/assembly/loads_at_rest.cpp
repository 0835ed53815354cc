#include "fathom/assembly/loads_at_rest.hpp"

#include <cmath>

#include "fathom/geometry/rotation.hpp"

namespace fathom::assembly {

Equilibrium equilibrium(const model::Robot& robot, const model::Environment& environment) {
  const model::Hull& hull = robot.hull();
  const Vec3 arm_b = hull.centre_of_mass.value - hull.centre_of_buoyancy.value;
  const double arm = arm_b.norm();
  Equilibrium out;
  out.stiffness = hull.volume.value * environment.density() * environment.gravity() * arm;
  constexpr double rounding = 1e-9;  // m
  if (arm < rounding) {
    out.any_attitude = true;
    return out;
  }
  const Vec3 down_b = arm_b / arm;
  // Of roll and pitch, down_b is [-sin pitch, sin roll cos pitch, cos roll cos pitch]; yaw says nothing.
  out.q_nb = quaternion_from_euler(
      {std::atan2(down_b.y(), down_b.z()), std::atan2(-down_b.x(), std::hypot(down_b.y(), down_b.z())), 0});
  out.tilt = std::atan2(std::hypot(down_b.x(), down_b.y()), down_b.z());
  return out;
}

LoadsAtRest::LoadsAtRest(const Assembly& assembly, std::size_t cluster, const model::Environment& environment)
    : cluster_(assembly.cluster(cluster, environment)) {
  for (const std::size_t module : assembly.clusters()[cluster])
    vehicles_.emplace_back(assembly.modules()[module].robot, environment);
}

LoadsAtRest::Answer LoadsAtRest::of_wrenches(std::span<const Vec6> wrenches_b) const {
  std::vector<Vec6> before;
  for (std::size_t i = 0; i < vehicles_.size(); ++i)
    before.emplace_back(vehicles_[i].M_inverse() * wrenches_b[i]);
  std::vector<Vec6> after = before;
  cluster_.make_rigid(after);
  Answer answer{std::vector<Vec6>(cluster_.links().size(), Vec6::Zero()), after.front()};
  Cluster::Workspace workspace = cluster_.workspace();
  cluster_.loads(before, after, workspace, answer.loads);
  return answer;
}

LoadsAtRest::Answer LoadsAtRest::of_weight(const Quat& q_nb) const {
  std::vector<Vec6> wrenches;
  for (std::size_t i = 0; i < vehicles_.size(); ++i)
    wrenches.emplace_back(-dynamics::restoring(vehicles_[i], q_nb * cluster_.pose(i).q_pc));
  return of_wrenches(wrenches);
}

}  // namespace fathom::assembly
