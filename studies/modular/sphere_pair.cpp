#include "studies/modular/sphere_pair.hpp"

#include <numbers>

#include "fathom/geometry/rotation.hpp"

namespace fathom::studies {

std::vector<CoupledRobots::Member> SpherePair::members(const SphereTheta& theta,
                                                       const model::Robot* rod_robot) const {
  const model::DragElement& drag = sphere.damping().front();
  Vec6 linear = drag.linear.value.diagonal(), quadratic;
  for (std::size_t j = 0; j < 6; ++j) {
    const auto at = static_cast<Eigen::Index>(j);
    quadratic[at] = drag.quadratic.value.by_speed[j](at, at);
  }
  linear.head<3>().setConstant(theta.D_l);
  quadratic.head<3>().setConstant(theta.D_q);
  const model::Robot A = with_damping(sphere, linear, quadratic);
  model::RobotSpec spec = A.spec();
  spec.hull.centre_of_buoyancy.value = Vec3(0, theta.r_y, theta.r_z);
  const Quat quarter = exp_rotation({std::numbers::pi / 2, 0, 0});
  std::vector<CoupledRobots::Member> row = {{A}};
  if (rod_robot) row.push_back({*rod_robot, {Quat::Identity(), Vec3(0, rod / 2, 0)}});
  row.push_back({model::Robot::make(std::move(spec)), {quarter, Vec3(0, rod, 0)}});
  return row;
}

model::Robot sphere_rod() {
  constexpr double mass = 0.5, length = SpherePair::rod, radius = 0.01, across = 1.1;
  constexpr double density = model::fresh_water, half = length / 2;
  constexpr double displaced = density * std::numbers::pi * radius * radius * length;
  constexpr double drag_per_length = density / 2 * across * 2 * radius;
  constexpr double turning = 2 * drag_per_length * half * half * half * half / 4;  // integral of r^2 |r|
  const double I = mass * length * length / 12, added = displaced * length * length / 12;
  model::RobotSpec spec;
  spec.name = "rod";
  spec.hull.mass.value = mass;
  spec.hull.inertia.value = Vec3(I, mass * radius * radius / 2, I).asDiagonal();
  spec.hull.volume.value = mass / density;
  spec.hull.added_mass.value = (Vec6() << displaced, 0, displaced, added, 0, added).finished().asDiagonal();
  spec.damping.emplace_back().name = "rod";
  const Vec6 quadratic =
      (Vec6() << drag_per_length * length, 0, drag_per_length * length, turning, 0, turning).finished();
  return with_damping(model::Robot::make_unchecked(std::move(spec)), Vec6::Zero(), quadratic);
}

double SpherePair::inertia() const {
  const model::Hull& hull = sphere.hull();
  return 2 * ((hull.mass.value + hull.added_mass.value(1, 1)) * rod * rod / 4 + hull.inertia.value(0, 0) +
              hull.added_mass.value(3, 3));
}

identify::DecayRates SpherePair::rates(const SphereTheta& theta) const {
  const model::DragElement& drag = sphere.damping().front();
  const double half = rod / 2, I = inertia();
  const double weight = sphere.hull().mass.value * model::Environment().gravity();
  // B's arm in A's axes: y of A is minus z of B, z of A is y of B.
  const Eigen::Vector2d arm(-theta.r_z, sphere.hull().centre_of_buoyancy.value.z() + theta.r_y);
  return {weight * arm.norm() / I, identify::equilibrium_of_arm(arm),
          2 * (half * half * theta.D_l + drag.linear.value(3, 3)) / I,
          2 * (half * half * half * theta.D_q + drag.quadratic.value.by_speed[3](3, 3)) / I};
}

SphereTheta SpherePair::theta(const identify::DecayRates& rates, Eigen::Matrix4d* slope) const {
  const model::DragElement& drag = sphere.damping().front();
  const double half = rod / 2, I = inertia();
  const double weight = sphere.hull().mass.value * model::Environment().gravity();
  const Eigen::Vector2d arm = identify::restoring_arm(I * rates.restoring, rates.equilibrium, weight);
  if (slope) {
    slope->setZero();
    (*slope)(0, 0) = arm[1] / rates.restoring;
    (*slope)(0, 1) = -arm[0];
    (*slope)(1, 0) = -arm[0] / rates.restoring;
    (*slope)(1, 1) = -arm[1];
    (*slope)(2, 3) = I / (2 * half * half * half);
    (*slope)(3, 2) = I / (2 * half * half);
  }
  return {arm[1] - sphere.hull().centre_of_buoyancy.value.z(), -arm[0],
          (I * rates.quadratic / 2 - drag.quadratic.value.by_speed[3](3, 3)) / (half * half * half),
          (I * rates.linear / 2 - drag.linear.value(3, 3)) / (half * half)};
}

}  // namespace fathom::studies
