#include "fathom/assembly/test/clusters.hpp"

#include <cmath>
#include <numbers>

#include "fathom/dynamics/test/robots.hpp"
#include "fathom/geometry/test/random_geometry.hpp"

namespace fathom::assembly::test {
namespace {

Quat random_quarters(RandomStream& random) {
  const auto quarters = [&] { return std::numbers::pi / 2 * std::floor(random.uniform(0, 4)); };
  return quaternion_from_euler({quarters(), quarters(), quarters()});
}

}  // namespace

std::vector<Mat6> Docked::inertias() const {
  std::vector<Mat6> M;
  for (const dynamics::Vehicle& vehicle : vehicles) M.push_back(vehicle.M());
  return M;
}

std::vector<Vec6> Docked::alone() const {
  std::vector<Vec6> nu_dot;
  for (std::size_t i = 0; i < vehicles.size(); ++i)
    nu_dot.push_back(dynamics::forward_dynamics(vehicles[i], states[i], wrenches[i]));
  return nu_dot;
}

std::vector<Vec6> Docked::velocities() const {
  std::vector<Vec6> nu;
  for (const dynamics::State& state : states) nu.push_back(state.nu_b);
  return nu;
}

void move_as_one(Docked& docked, const dynamics::State& first) {
  docked.states.clear();
  const Pose at{first.q_nb, first.p_nb_n};
  for (const Pose& pose : docked.poses) {
    const Pose own = at * pose;
    docked.states.push_back({own.q_pc.normalized(), own.p_pc_p, twist_transform(pose) * first.nu_b});
  }
}

Docked random_docked(std::size_t bodies, std::size_t loops, RandomStream& random) {
  const auto& robots = dynamics::test::all_robots();
  const auto any = [&](std::size_t n) {
    return static_cast<std::size_t>(random.uniform(0, static_cast<double>(n)));
  };
  Docked docked;
  for (std::size_t i = 0; i < bodies; ++i) {
    docked.vehicles.emplace_back(robots[any(robots.size())].robot);
    docked.wrenches.push_back(dynamics::test::random_vec6(random, docked.vehicles[i].M_rb()(0, 0)));
    if (i == 0) {
      docked.poses.emplace_back();
      continue;
    }
    const std::size_t parent = any(i);
    const Quat turn = i % 2 == 0 ? random_quarters(random) : fathom::test::random_attitude(random);
    docked.poses.push_back(docked.poses[parent] * Pose{turn, dynamics::test::random_vec3(random)});
    const Pose frame = fathom::test::random_pose(random);
    // Either of the two may be the first of the coupling.
    docked.links.push_back(random.uniform() < 0.5 ? Link{parent, i, frame} : Link{i, parent, frame});
  }
  for (std::size_t k = 0; k < loops; ++k) {
    const std::size_t a = any(bodies), b = (a + 1 + any(bodies - 1)) % bodies;
    docked.links.push_back({a, b, fathom::test::random_pose(random)});
  }
  move_as_one(docked, dynamics::test::random_state(random));
  return docked;
}

}  // namespace fathom::assembly::test
