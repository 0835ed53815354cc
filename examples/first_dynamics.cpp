// Loads a robot, pushes it ahead in sea water and prints how it accelerates and which regressor row says so.
#include <cstdio>

#include "fathom/dynamics/regressor.hpp"
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/model/robot_parameters.hpp"
#include "fathom/model_file/robot_file.hpp"

using namespace fathom;

int main() {
  const model::Robot robot = model::read_robot("data/robots/bluerov2-heavy.yaml");
  const model::Environment sea(model::sea_water);
  const dynamics::Vehicle vehicle(robot, sea);

  dynamics::State state;
  state.nu_b[0] = 0.3;  // surging at 0.3 m/s
  const Vec6 tau = 20 * Vec6::Unit(0);
  const Vec6 nu_dot = dynamics::forward_dynamics(vehicle, state, tau);
  std::printf("surge acceleration %.4f m/s^2\n", nu_dot[0]);

  // The same motion seen as tau = Y theta: what identification works with.
  const model::Structure structure = model::structure_by_name("vehicle-24");
  const model::RobotParameters known = model::parameters_of(robot, sea, structure);
  const Eigen::MatrixXd Y = dynamics::regressor(structure, dynamics::motion_of(state, nu_dot, sea));
  const Eigen::VectorXd wrench = Y * known.parameters.values();
  std::printf("surge force from the regressor %.4f N\n", wrench[0]);
  return std::abs(wrench[0] - tau[0]) < 1e-9 ? 0 : 1;
}
