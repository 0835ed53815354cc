// Prints robots as files of Gazebo Sim, and the accelerations that the library gives them in still water, as
// JSON, for tests/oracle/check_export.py.
#include <cstdio>

#include <nlohmann/json.hpp>

#include "fathom/dynamics/test/robots.hpp"
#include "fathom/exchange/export.hpp"

namespace {

using namespace fathom;
using Json = nlohmann::json;
namespace test = dynamics::test;

Json json(const Eigen::Ref<const Eigen::VectorXd>& v) { return std::vector<double>(v.begin(), v.end()); }

Json sample(const dynamics::Vehicle& vehicle, bool at_rest, RandomStream& random) {
  dynamics::State state = test::random_state(random);
  if (at_rest) state.nu_b.setZero();
  const double weight = vehicle.M()(0, 0);
  Eigen::VectorXd forces(vehicle.allocation().cols());
  for (double& force : forces) force = weight * random.normal();
  const Vec6 tau = vehicle.allocation() * forces;
  return {{"q_nb_wxyz", {state.q_nb.w(), state.q_nb.x(), state.q_nb.y(), state.q_nb.z()}},
          {"nu_b", json(state.nu_b)},
          {"forces", json(forces)},
          {"nu_dot", json(dynamics::forward_dynamics(vehicle, state, tau))}};
}

Json samples(const dynamics::Vehicle& vehicle, bool at_rest, RandomStream& random) {
  Json list = Json::array();
  for (int k = 0; k < 5; ++k) list.push_back(sample(vehicle, at_rest, random));
  return list;
}

Json entry(const std::string& name, const model::Robot& robot, const model::Environment& environment) {
  const dynamics::Vehicle vehicle(robot, environment);
  RandomStream random(1, name);
  const exchange::Exported exported = exchange::export_robot(robot, exchange::Format::gz_sim, {environment});
  Json files = Json::object(), losses = Json::array();
  for (const exchange::ExportedFile& file : exported.files) files[file.name] = file.text;
  for (const exchange::Loss& loss : exported.losses) losses.push_back(loss.key);
  return {{"name", name},
          {"files", files},
          {"losses", losses},
          {"moving", samples(vehicle, false, random)},
          {"at_rest", samples(vehicle, true, random)}};
}

/// The same robot with every drag element at the origin, where all its couplings can be carried.
model::Robot drag_moved_to_the_origin(const model::Robot& robot) {
  model::RobotSpec spec = robot.spec();
  spec.identified.reset();
  for (model::DragElement& element : spec.damping) element.position_b = element.attitude_rpy = {};
  return model::Robot::make(std::move(spec));
}

}  // namespace

int main() {
  const model::Environment environment(1025);
  Json robots = Json::array();
  for (const auto& [name, robot] : test::all_robots()) {
    robots.push_back(entry(name, robot, environment));
    if (name.starts_with("random"))
      robots.push_back(entry(name + "-at-origin", drag_moved_to_the_origin(robot), environment));
  }
  std::puts(Json{{"robots", robots}}.dump().c_str());
}
