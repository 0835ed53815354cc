// Loads a robot and prints what the library computed, at full precision. The accessors below are inline:
// compiled here, they read members that the library wrote, so they show whether both sides lay out their
// classes alike.
#include <cstdio>

#include <fathom/base/error.hpp>
#include <fathom/dynamics/regressor.hpp>
#include <fathom/dynamics/vehicle.hpp>
#include <fathom/model_file/robot_file.hpp>
#include <fathom/simulate/ode.hpp>

double own_algebra();  // of the user

namespace {

template <class Derived>
void print(const char* name, const Eigen::MatrixBase<Derived>& m) {
  std::printf("%s", name);
  for (Eigen::Index i = 0; i < m.rows(); ++i)
    for (Eigen::Index j = 0; j < m.cols(); ++j) std::printf(" %.17g", m(i, j));
  std::printf("\n");
}

void print_robot(const fathom::model::Robot& robot) {
  std::printf("robot %s\nmass %.17g\n", robot.name().c_str(), robot.hull().mass.value);
  print("centre_of_buoyancy", robot.hull().centre_of_buoyancy.value);
  print("added_mass", robot.hull().added_mass.value);
  for (const auto& element : robot.damping()) {
    print("linear", element.linear.value);
    for (const auto& Q : element.quadratic.value.by_speed) print("quadratic", Q);
  }
  for (const auto& thruster : robot.thrusters()) print("thruster", thruster.position_b.value);
}

void print_vehicle(const fathom::dynamics::Vehicle& vehicle) {
  print("M", vehicle.M());
  print("M_inverse", vehicle.M_inverse());
  print("hydrostatic", vehicle.hydrostatic());
  print("allocation", vehicle.allocation());
  for (const auto& drag : vehicle.drag()) print("drag", drag.quadratic_diagonal);
}

/// Matrices of the heap, allocated in the library and freed here.
void print_returned(const fathom::model::Robot& robot) {
  print("allocation", fathom::model::allocation_matrix(robot));
  fathom::dynamics::Motion motion;
  motion.nu_r_b << 0.5, -0.25, 0.125, 0.0625, -0.5, 0.25;
  print("regressor", fathom::dynamics::regressor(fathom::model::structure_by_name("vehicle-24"), motion));
}

int run(const char* file) {
  using namespace fathom;
  const model::Robot robot = model::read_robot(file);
  const dynamics::Vehicle vehicle(robot);
  print_robot(robot);
  print_vehicle(vehicle);
  print_returned(robot);
  std::printf("own %.6g\n", own_algebra());

  dynamics::State state;
  state.q_nb = quaternion_from_euler(Vec3(0.1, -0.2, 0.3));
  state.nu_b << 0.5, -0.25, 0.125, 0.0625, -0.5, 0.25;
  Vec6 tau;
  tau << 8, -4, 2, 1, -0.5, 0.25;
  dynamics::ForwardJacobian jacobian;
  print("nu_dot", dynamics::forward_dynamics(vehicle, state, tau, {}, &jacobian));
  print("by_attitude", jacobian.by_attitude);
  print("by_twist", jacobian.by_twist);
  print("stepped", simulate::rk4_step(vehicle, state, tau, 0.01).nu_b);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    return run(argv[1]);
  } catch (const fathom::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
