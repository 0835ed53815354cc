#include "fathom/assembly/cluster.hpp"

#include <gtest/gtest.h>

#include "fathom/assembly/test/clusters.hpp"
#include "fathom/assembly/udwadia_kalaba.hpp"
#include "fathom/base/error.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/geometry/test/random_geometry.hpp"

namespace fathom::assembly::cluster_test {
namespace {

using test::Docked;
using test::random_docked;

struct Solved {
  std::vector<Vec6> alone, together, loads;
};

Solved solve(const Docked& docked, const Cluster& cluster) {
  Solved solved{docked.alone(), docked.alone(), std::vector<Vec6>(docked.links.size())};
  cluster.make_rigid(solved.together);
  auto workspace = cluster.workspace();
  cluster.loads(solved.alone, solved.together, workspace, solved.loads);
  return solved;
}

/// The multipliers of a link, which are in the world's axes, in its own frame.
Vec6 in_own_frame(const Docked& docked, std::size_t link, const Eigen::VectorXd& multipliers) {
  const Link& l = docked.links[link];
  const Mat3 R_fn = (docked.states[l.a].q_nb * l.frame_a.q_pc).toRotationMatrix().transpose();
  const Vec6 world = multipliers.segment<6>(static_cast<Eigen::Index>(6 * link));
  Vec6 own;
  own << R_fn * world.head<3>(), R_fn * world.tail<3>();
  return own;
}

double size_of(const std::vector<Vec6>& list) {
  double size = 0;
  for (const Vec6& v : list) size = std::max(size, v.norm());
  return size;
}

// Nielsen 2019, eq. 3.55: the dense pseudo-inverse knows nothing of trees and sums.
TEST(Cluster, IsUdwadiaAndKalaba) {
  RandomStream random(1, "uk");
  for (int repeat = 0; repeat < 60; ++repeat) {
    const std::size_t bodies = 1 + static_cast<std::size_t>(random.uniform(0, 7));
    const std::size_t loops =
        bodies > 1 && repeat % 2 == 0 ? static_cast<std::size_t>(random.uniform(1, 4)) : 0;
    const Docked docked = random_docked(bodies, loops, random);
    const Cluster cluster = docked.cluster();
    EXPECT_EQ(cluster.loops(), loops);
    const Solved fast = solve(docked, cluster);
    const ConstraintRows rows = rigid_rows(docked.states, docked.links);
    const ConstrainedMotion dense = udwadia_kalaba(docked.inertias(), fast.alone, rows);
    const double scale = 1e-9 * (1 + size_of(fast.alone));
    for (std::size_t i = 0; i < bodies; ++i)
      EXPECT_LT((fast.together[i] - dense.nu_dot[i]).norm(), scale) << "body " << i << " of " << bodies;
    const double load_scale = 1e-7 * (1 + size_of(fast.loads));
    for (std::size_t k = 0; k < docked.links.size(); ++k)
      EXPECT_LT((fast.loads[k] - in_own_frame(docked, k, dense.multipliers)).norm(), load_scale)
          << "link " << k << " of " << docked.links.size() << ", " << loops << " loops";
  }
}

TEST(Cluster, ConstraintForcesDoNoWork) {
  RandomStream random(2, "work");
  for (int repeat = 0; repeat < 40; ++repeat) {
    const Docked docked = random_docked(6, repeat % 3 == 0 ? 2 : 0, random);
    const Solved solved = solve(docked, docked.cluster());
    double power = 0, size = 0;
    for (std::size_t i = 0; i < docked.vehicles.size(); ++i) {
      const Vec6 force = docked.vehicles[i].M() * (solved.together[i] - solved.alone[i]);
      power += force.dot(docked.states[i].nu_b);
      size += force.norm() * docked.states[i].nu_b.norm();
    }
    EXPECT_LT(std::abs(power), 1e-12 * size);
  }
}

/// Newton and Euler for one module: what it needs beyond its own wrench comes through its couplings.
void expect_balance(const Docked& docked, const Solved& solved, double relative) {
  std::vector<Vec6> got(docked.vehicles.size(), Vec6::Zero());
  for (std::size_t k = 0; k < docked.links.size(); ++k) {
    const Link& link = docked.links[k];
    const Pose frame_b = docked.poses[link.b].inverse() * docked.poses[link.a] * link.frame_a;
    const auto act = [&](std::size_t body, const Pose& frame, double sign) {
      const Vec3 force = sign * (frame.q_pc * solved.loads[k].head<3>());
      const Vec3 moment = sign * (frame.q_pc * solved.loads[k].tail<3>());
      got[body].head<3>() += force;
      got[body].tail<3>() += moment + frame.p_pc_p.cross(force);
    };
    act(link.a, link.frame_a, 1);
    act(link.b, frame_b, -1);
  }
  double worst = 0, size = size_of(solved.loads);
  for (std::size_t i = 0; i < docked.vehicles.size(); ++i) {
    const Vec6 needed = dynamics::inverse_dynamics(docked.vehicles[i], docked.states[i], solved.together[i]) -
                        docked.wrenches[i];
    worst = std::max(worst, (needed - got[i]).norm());
    size = std::max(size, needed.norm());
  }
  EXPECT_LT(worst, relative * size);
}

TEST(Cluster, LoadsBalanceEveryModule) {
  RandomStream random(3, "balance");
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Docked docked = random_docked(9, static_cast<std::size_t>(repeat % 4), random);
    expect_balance(docked, solve(docked, docked.cluster()), 1e-11);
  }
}

TEST(Cluster, LoadsOfATreeOf256WithARing) {
  RandomStream random(4, "256");
  Docked docked = random_docked(256, 1, random);
  const Cluster cluster = docked.cluster();
  expect_balance(docked, solve(docked, cluster), 1e-10);
  EXPECT_TRUE(cluster.is_in_loop(docked.links.size() - 1));
}

TEST(Cluster, ARingIsAChainWithOneCouplingMore) {
  RandomStream random(5, "ring");
  Docked ring = random_docked(4, 0, random);
  ring.links.clear();
  for (std::size_t i = 0; i < 4; ++i) ring.links.push_back({i, (i + 1) % 4, fathom::test::random_pose(random)});
  Docked chain = ring;
  chain.links.pop_back();
  const Cluster ring_cluster = ring.cluster(), chain_cluster = chain.cluster();
  const Solved in_ring = solve(ring, ring_cluster), in_chain = solve(chain, chain_cluster);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_LT((in_ring.together[i] - in_chain.together[i]).norm(), 1e-12 * size_of(in_chain.together));
  double ring_sum = 0, chain_sum = 0;
  for (const Vec6& load : in_ring.loads) ring_sum += load.squaredNorm();
  for (const Vec6& load : in_chain.loads) chain_sum += load.squaredNorm();
  EXPECT_LT(ring_sum, chain_sum);
  EXPECT_GT(in_ring.loads[3].norm(), 0);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_TRUE(ring_cluster.is_in_loop(k));
  for (std::size_t k = 0; k < 3; ++k) EXPECT_FALSE(chain_cluster.is_in_loop(k));
}

/// No load that the ring's couplings add among themselves makes the sum of squares less.
TEST(Cluster, LoadsInALoopAreTheLeast) {
  RandomStream random(6, "least");
  const Docked docked = random_docked(5, 2, random);
  const Solved solved = solve(docked, docked.cluster());
  const ConstraintRows rows = rigid_rows(docked.states, docked.links);
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(Eigen::MatrixXd(rows.Phi.transpose()));
  const Eigen::MatrixXd idle = lu.kernel();  // multipliers without any effect
  ASSERT_EQ(idle.cols(), 12);
  for (Eigen::Index j = 0; j < idle.cols(); ++j) {
    double product = 0, size = 0;
    for (std::size_t k = 0; k < docked.links.size(); ++k) {
      const Vec6 own = in_own_frame(docked, k, idle.col(j));
      product += own.dot(solved.loads[k]);
      size += own.norm() * solved.loads[k].norm();
    }
    EXPECT_LT(std::abs(product), 1e-9 * size);
  }
}

TEST(Cluster, ProjectionTakesDriftAwayAndKeepsMomentum) {
  RandomStream random(7, "project");
  for (int repeat = 0; repeat < 20; ++repeat) {
    Docked docked = random_docked(7, 1, random);
    const Cluster cluster = docked.cluster();
    const std::vector<dynamics::State> exact = docked.states;
    for (dynamics::State& state : docked.states) {
      state.p_nb_n += dynamics::test::random_vec3(random, 1e-6);
      state.q_nb = (state.q_nb * exp_rotation(dynamics::test::random_vec3(random, 1e-6))).normalized();
      state.nu_b += dynamics::test::random_vec6(random, 1e-6);
    }
    const Vec6 before = cluster.momentum(docked.velocities());
    EXPECT_GT(cluster.project(docked.states).distance, 1e-8);
    EXPECT_LT((cluster.momentum(docked.velocities()) - before).norm(), 1e-12 * before.norm());
    const Misfit left = cluster.project(docked.states);
    EXPECT_LT(left.distance, 1e-14);
    EXPECT_LT(left.angle, 1e-14);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      EXPECT_LT((docked.states[i].p_nb_n - exact[i].p_nb_n).norm(), 1e-4);
      const Vec6 own = twist_transform(docked.poses[i]) * docked.states[0].nu_b;
      EXPECT_LT((docked.states[i].nu_b - own).norm(), 1e-12 * (1 + own.norm()));
    }
  }
}

/// Linear momentum and angular momentum about the world's origin, of one body with its water (Kirchhoff's
/// impulse).
Vec6 impulse_n(const dynamics::Vehicle& vehicle, const dynamics::State& state, const Vec6& nu_b) {
  const Vec6 own = vehicle.M() * nu_b;
  Vec6 impulse;
  impulse.head<3>() = state.q_nb * own.head<3>();
  impulse.tail<3>() = state.q_nb * own.tail<3>() + state.p_nb_n.cross(impulse.head<3>());
  return impulse;
}

TEST(Cluster, ImpactKeepsTheKirchhoffImpulseAndTellsTheEnergy) {
  RandomStream random(8, "impact");
  for (int repeat = 0; repeat < 30; ++repeat) {
    const Docked docked = random_docked(5, static_cast<std::size_t>(repeat % 2), random);
    const Cluster cluster = docked.cluster();
    std::vector<Vec6> before, after;
    for (std::size_t i = 0; i < 5; ++i) before.push_back(dynamics::test::random_vec6(random));
    after = before;
    cluster.make_rigid(after);
    Vec6 sum_before = Vec6::Zero(), sum_after = Vec6::Zero();
    double lost = 0, kinetic = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      sum_before += impulse_n(docked.vehicles[i], docked.states[i], before[i]);
      sum_after += impulse_n(docked.vehicles[i], docked.states[i], after[i]);
      lost += dynamics::kinetic_energy(docked.vehicles[i], before[i]) -
              dynamics::kinetic_energy(docked.vehicles[i], after[i]);
      kinetic += dynamics::kinetic_energy(docked.vehicles[i], before[i]);
    }
    EXPECT_LT((sum_after - sum_before).norm(), 1e-12 * sum_before.norm());
    EXPECT_NEAR(cluster.energy_between(before, after), lost, 1e-12 * kinetic);
    EXPECT_GT(lost, 0);
  }
}

TEST(Cluster, FourDegreesOfFreedomStayUpright) {
  RandomStream random(9, "four");
  Docked docked = random_docked(3, 0, random);
  for (Pose& pose : docked.poses) pose.q_pc = exp_rotation({0, 0, pose.p_pc_p.x()});
  docked.vehicles.clear();
  for (int i = 0; i < 3; ++i)
    docked.vehicles.emplace_back(dynamics::test::random_robot(static_cast<std::uint64_t>(i + 1)),
                                 model::Environment(), model::Dof::four);
  dynamics::State first = dynamics::test::random_state(random);
  first.q_nb = exp_rotation({0, 0, 1});
  first.nu_b.segment<2>(3).setZero();
  test::move_as_one(docked, first);
  const Cluster cluster(docked.inertias(), docked.poses, docked.links, model::Dof::four);
  std::vector<Vec6> nu_dot = docked.alone();
  cluster.make_rigid(nu_dot);
  // Work that is done on the rows of free velocities is all that moves the whole: d'Alembert on each of them.
  Vec6 left = Vec6::Zero();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LT(nu_dot[i].segment<2>(3).norm(), 1e-14);
    const Vec6 force =
        dynamics::inverse_dynamics(docked.vehicles[i], docked.states[i], nu_dot[i]) - docked.wrenches[i];
    left += twist_transform(docked.poses[i]).transpose() * force;
    EXPECT_LT((nu_dot[i] - twist_transform(docked.poses[i]) * nu_dot[0]).norm(), 1e-10 * nu_dot[i].norm());
  }
  for (const int row : {0, 1, 2, 5}) EXPECT_NEAR(left[row], 0, 1e-9);
}

std::string rejection(const Docked& docked, model::Dof dof = model::Dof::six) {
  try {
    Cluster cluster(docked.inertias(), docked.poses, docked.links, dof);
  } catch (const InputError& error) {
    return error.findings().front().text();
  }
  return "";
}

TEST(Cluster, RefusesWhatIsNoCluster) {
  RandomStream random(10, "refuse");
  Docked docked = random_docked(3, 0, random);
  EXPECT_EQ(rejection(docked), "");
  EXPECT_NE(rejection(docked, model::Dof::four).find("degrees against the first"), std::string::npos);
  Docked loose = docked;
  loose.links.pop_back();
  EXPECT_NE(rejection(loose).find("is joined to the first by no link"), std::string::npos);
  Docked with_itself = docked;
  with_itself.links[0].b = with_itself.links[0].a;
  EXPECT_NE(rejection(with_itself).find("links[0] joins bodies"), std::string::npos);
  EXPECT_THROW(Cluster({}, {}, {}), InputError);
}

}  // namespace
}  // namespace fathom::assembly::cluster_test
