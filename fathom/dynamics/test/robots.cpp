#include "fathom/dynamics/test/robots.hpp"

#include <algorithm>

#include "fathom/base/search_path.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::dynamics::test {
namespace {

template <int n>
Eigen::Matrix<double, n, n> random_matrix(RandomStream& random) {
  Eigen::Matrix<double, n, n> m;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) m(i, j) = random.uniform(-1, 1);
  return m;
}

/// Positive definite, with entries in the units of a vehicle: rotations have arms of about 0.4 m.
Mat6 random_definite(RandomStream& random, double size) {
  const Mat6 a = random_matrix<6>(random);
  Vec6 arm;
  arm << 1, 1, 1, 0.4, 0.4, 0.4;
  return size * (arm.asDiagonal() * (a * a.transpose() + 0.3 * Mat6::Identity()) * arm.asDiagonal());
}

/// D + D' definite, D itself not symmetric.
Mat6 random_dissipative(RandomStream& random, double size) {
  const Mat6 a = random_matrix<6>(random);
  return random_definite(random, size) + 0.3 * size * (a - a.transpose());
}

/// The inertia of a cloud of point masses obeys the triangle inequality by construction.
Mat3 random_inertia(RandomStream& random, double mass) {
  Mat3 inertia = Mat3::Zero();
  for (int k = 0; k < 8; ++k) {
    const Mat3 S = skew(random_vec3(random, 0.3));
    inertia -= mass / 8 * S * S;
  }
  return inertia;
}

model::DragElement random_drag(RandomStream& random, const std::string& name, bool displaced) {
  model::DragElement element;
  element.name = name;
  element.linear.value = random_dissipative(random, 10);
  for (Mat6& Q : element.quadratic.value.by_speed) Q = random_dissipative(random, 20);
  if (displaced) {
    element.position_b.value = random_vec3(random, 0.5);
    element.attitude_rpy.value = random_vec3(random, 3);
  }
  return element;
}

}  // namespace

Vec3 random_vec3(RandomStream& random, double size) {
  return Vec3{random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

Vec6 random_vec6(RandomStream& random, double size) {
  Vec6 v;
  v << random_vec3(random, size), random_vec3(random, size);
  return v;
}

const model::Robot& robot_named(const std::string& name) {
  for (const NamedRobot& robot : all_robots())
    if (robot.robot.name() == name) return robot.robot;
  throw std::runtime_error("no robot " + name);
}

State random_state(RandomStream& random, double speed) {
  State state;
  // Braces: the draws are made in this order by every compiler.
  state.q_nb = Quat{random.normal(), random.normal(), random.normal(), random.normal()}.normalized();
  state.p_nb_n = random_vec3(random, 5);
  state.nu_b = random_vec6(random, speed);
  return state;
}

model::Robot without_displaced_quadratic_drag(const model::Robot& robot) {
  model::RobotSpec spec = robot.spec();
  for (model::DragElement& element : spec.damping)
    if (!element.at_origin()) element.quadratic = {};
  return model::Robot::make(spec);
}

std::vector<State> test_states(RandomStream& random) {
  std::vector<State> states(1);  // at rest, level
  states.push_back(random_state(random, 0));
  states.push_back(random_state(random, 1e-8));
  for (int k = 0; k < 20; ++k) states.push_back(random_state(random, 2));
  return states;
}

std::string case_name(const testing::TestParamInfo<NamedRobot>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

model::Robot random_robot(std::uint64_t seed) {
  RandomStream random(seed, "random robot");
  model::RobotSpec spec;
  spec.name = "random-" + std::to_string(seed);
  spec.hull.mass.value = random.uniform(5, 50);
  spec.hull.inertia.value = random_inertia(random, spec.hull.mass.value);
  spec.hull.centre_of_mass.value = random_vec3(random, 0.3);  // the body origin is not the centre of mass
  spec.hull.volume.value = spec.hull.mass.value / 1000 * random.uniform(0.9, 1.1);
  spec.hull.centre_of_buoyancy.value = random_vec3(random, 0.3);
  spec.hull.added_mass.value = random_definite(random, 10);
  spec.damping.push_back(random_drag(random, "origin", false));
  spec.damping.push_back(random_drag(random, "second at origin", false));
  spec.damping.push_back(random_drag(random, "displaced", true));
  for (int k = 0; k < 8; ++k) {
    model::Thruster thruster;
    thruster.name = "t" + std::to_string(k);
    thruster.position_b.value = random_vec3(random, 0.5);
    thruster.direction_b.value = random_vec3(random, 1);
    spec.thrusters.push_back(thruster);
  }
  return model::Robot::make(spec);
}

model::Robot without_drag_and_weight(const model::Robot& robot, const model::Environment& environment) {
  model::RobotSpec spec = robot.spec();
  spec.damping.clear();
  spec.hull.size.reset();
  spec.hull.volume.value = spec.hull.mass.value / environment.density();
  spec.hull.centre_of_buoyancy.value = spec.hull.centre_of_mass.value;
  return model::Robot::make(spec);
}

const std::vector<NamedRobot>& all_robots() {
  static const std::vector<NamedRobot> robots = [] {
    std::vector<NamedRobot> list;
    for (const auto& file : list_files({FATHOM_ROBOTS_DIR}))
      list.push_back({file.stem().string(), model::read_robot(file)});
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const model::Robot robot = random_robot(seed);
      list.push_back({robot.name(), robot});
    }
    return list;
  }();
  return robots;
}

}  // namespace fathom::dynamics::test
