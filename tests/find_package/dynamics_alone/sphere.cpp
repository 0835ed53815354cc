// A neutrally buoyant sphere at rest, pushed by 6 N: its acceleration is that of one and a half times its mass.
#include <cstdio>

#include <fathom/dynamics/vehicle.hpp>

int main() {
  using namespace fathom;
  constexpr double mass = 4;  // kg
  model::RobotSpec spec;
  spec.name = "sphere";
  spec.hull.mass.value = mass;
  spec.hull.inertia.value = 0.1 * Mat3::Identity();
  spec.hull.centre_of_mass.value.setZero();
  spec.hull.volume.value = mass / 1000;
  spec.hull.centre_of_buoyancy.value.setZero();
  spec.hull.added_mass.value.setZero();
  spec.hull.added_mass.value.topLeftCorner<3, 3>() = 0.5 * mass * Mat3::Identity();
  const dynamics::Vehicle vehicle(model::Robot::make_unchecked(spec), model::Environment(1000));
  std::printf("%.17g\n", dynamics::forward_dynamics(vehicle, {}, 6 * Vec6::Unit(0))[0]);
}
