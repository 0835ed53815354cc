#include "studies/modular/coupled_robots.hpp"

#include "fathom/geometry/rotation.hpp"

namespace fathom::studies {
namespace {

std::vector<simulate::Plant> plants_of(const std::vector<CoupledRobots::Member>& members,
                                       const model::Environment& environment, model::Dof dof) {
  std::vector<simulate::Plant> plants;
  for (const CoupledRobots::Member& member : members)
    plants.emplace_back(member.robot, dof, simulate::Plant::Surroundings{environment, {}});
  return plants;
}

simulate::CoupledPlants couple(const std::vector<CoupledRobots::Member>& members,
                               const std::vector<simulate::Plant>& plants, model::Dof dof) {
  std::vector<Mat6> M;
  std::vector<Pose> poses;
  std::vector<assembly::Link> links;
  std::vector<const simulate::Plant*> pointers;
  for (std::size_t k = 0; k < plants.size(); ++k) {
    M.push_back(plants[k].vehicle().M());
    poses.push_back(members[k].pose);
    pointers.push_back(&plants[k]);
    if (k > 0) links.push_back({k - 1, k, Pose()});
  }
  return {pointers, assembly::Cluster(std::move(M), std::move(poses), std::move(links), dof)};
}

}  // namespace

CoupledRobots::CoupledRobots(const std::vector<Member>& members, const model::Environment& environment,
                             model::Dof dof)
    : plants_(plants_of(members, environment, dof)),
      coupled_(couple(members, plants_, dof)),
      integrator_(coupled_.size()) {
  begin(at_rest_under_water());
}

void CoupledRobots::begin(const dynamics::State& first) {
  x_.resize(coupled_.size());
  t_ = 0;
  const Pose pose_n{first.q_nb, first.p_nb_n};
  for (std::size_t k = 0; k < size(); ++k) {
    const Pose own = coupled_.cluster().pose(k), placed = pose_n * own;
    const dynamics::State state{placed.q_pc, placed.p_pc_p, twist_transform(own) * first.nu_b};
    x_.segment(coupled_.begin(k), coupled_.size(k)) = plants_[k].initial(state);
  }
}

void CoupledRobots::step(double dt) {
  integrator_.step(coupled_, t_, dt, x_);
  t_ += dt;
}

dynamics::State CoupledRobots::state(std::size_t k) const {
  return plants_[k].vehicle_state(x_.segment(coupled_.begin(k), coupled_.size(k)));
}

double CoupledRobots::roll(std::size_t k) const { return euler_from_quaternion(state(k).q_nb)[0]; }

dynamics::State at_rest_under_water(const Quat& q_nb) { return {q_nb, Vec3(0, 0, 10), Vec6::Zero()}; }

model::Robot with_damping(const model::Robot& robot, const Vec6& linear, const Vec6& quadratic) {
  model::RobotSpec spec = robot.spec();
  model::DragElement& drag = spec.damping.front();
  drag.linear.value = linear.asDiagonal();
  for (std::size_t j = 0; j < 6; ++j) {
    const auto at = static_cast<Eigen::Index>(j);
    drag.quadratic.value.by_speed[j].setZero();
    drag.quadratic.value.by_speed[j](at, at) = quadratic[at];
  }
  return model::Robot::make(std::move(spec));
}

}  // namespace fathom::studies
