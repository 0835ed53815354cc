// Allocation over the thrusters of docked robots: what is demanded is given, within the limits, by priority,
// also with thrusters that fail, and by the least forces. Against other solvers:
// tests/oracle/check_allocation.py.
#include <algorithm>
#include <numbers>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/dynamics/allocation.hpp"
#include "fathom/dynamics/attainable.hpp"
#include "fathom/dynamics/thruster.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::dynamics::cluster_allocation_test {
namespace {

using model::ForceRange;

struct Layout {
  Mat6X B;
  std::vector<ForceRange> limits;
  /// By axis, of all thrusters at 40 N, signs as they help.
  Vec6 most() const { return 40 * B.cwiseAbs().rowwise().sum(); }
};

/// Modules in a grid about its middle, each by some quarters of a turn about z.
Layout docked(const std::string& name, const std::array<int, 3>& shape, const Vec3& pitch) {
  const model::Robot robot = model::read_robot(FATHOM_ROBOTS_DIR "/" + name + ".yaml");
  const auto n = static_cast<Eigen::Index>(robot.thrusters().size());
  Layout layout{Mat6X(6, n * shape[0] * shape[1] * shape[2]), {}};
  Eigen::Index column = 0;
  int module = 0;
  for (int i = 0; i < shape[0]; ++i)
    for (int j = 0; j < shape[1]; ++j)
      for (int k = 0; k < shape[2]; ++k, ++module) {
        const Vec3 cell = Vec3(i, j, k) - 0.5 * Vec3(shape[0] - 1, shape[1] - 1, shape[2] - 1);
        const Mat3 R =
            quaternion_from_euler({0, 0, std::numbers::pi / 2 * (module % 3 ? 0 : module)}).toRotationMatrix();
        for (const model::Thruster& thruster : robot.thrusters()) {
          const Vec3 e = R * thruster.axis_b(), r = R * thruster.position_b.value + cell.cwiseProduct(pitch);
          layout.B.col(column++) << e, r.cross(e);
          layout.limits.push_back(ThrusterModel(thruster, 1000).force_range());
        }
      }
  return layout;
}

const std::vector<Layout>& layouts() {
  static const std::vector<Layout> list = {docked("nielsen-bluerov", {1, 2, 1}, {0.5, 0.774, 0.3}),
                                           docked("bluerov2-heavy", {2, 2, 1}, {0.5, 0.6, 0.3}),
                                           docked("nielsen-bluerov", {64, 1, 1}, {0.5, 0.4, 0.3}),
                                           docked("nielsen-bluerov", {4, 4, 4}, {0.5, 0.4, 0.3})};
  return list;
}

Vec6 random_demand(const Layout& layout, double size, RandomStream& random) {
  Vec6 tau = layout.most();
  for (double& x : tau) x *= size * random.uniform(-1, 1);
  return tau;
}

void expect_within(const Layout& layout, const Allocation& a) {
  for (Eigen::Index i = 0; i < a.forces.size(); ++i) {
    EXPECT_GE(a.forces[i], layout.limits[static_cast<std::size_t>(i)].min);
    EXPECT_LE(a.forces[i], layout.limits[static_cast<std::size_t>(i)].max);
  }
}

/// What is given is the share of each group that was told, and no share is lost without need: where one is
/// below 1, the whole demand is not attainable.
void expect_shares(const Layout& layout, const Vec6& tau, const Allocation& a) {
  expect_within(layout, a);
  const AllocatorOptions options;
  Vec6 wanted = Vec6::Zero();
  for (std::size_t g = 0; g < options.groups.size(); ++g)
    for (const int axis : options.groups[g]) wanted[axis] = a.scales[g] * tau[axis];
  EXPECT_LT((a.achieved_b - wanted).norm(), 1e-11 * (1 + tau.norm()));
  EXPECT_EQ(a.saturated, !AttainableWrench(layout.B, layout.limits).contains(tau));
}

/// f is the least that gives its wrench if and only if some lambda has f_i = a_i' lambda between the limits,
/// a_i' lambda beyond f_i at them: the conditions of Karush, Kuhn and Tucker. True if it could be judged: the
/// forces between the limits must show lambda.
bool expect_least(const Layout& layout, const Allocation& a) {
  std::vector<Eigen::Index> free;
  for (Eigen::Index i = 0; i < a.forces.size(); ++i) {
    const ForceRange& limit = layout.limits[static_cast<std::size_t>(i)];
    if (a.forces[i] > limit.min && a.forces[i] < limit.max) free.push_back(i);
  }
  const Eigen::MatrixXd A = layout.B(Eigen::all, free).transpose();
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> solver(A);
  if (solver.rank() < 6) return false;
  const Vec6 lambda = solver.solve(a.forces(free));
  for (Eigen::Index i = 0; i < a.forces.size(); ++i) {
    const ForceRange& limit = layout.limits[static_cast<std::size_t>(i)];
    const double wanted = layout.B.col(i).dot(lambda);
    EXPECT_NEAR(std::clamp(wanted, limit.min, limit.max), a.forces[i], 1e-8) << i;
  }
  return true;
}

/// What has been seen of one layout's demands.
struct Seen {
  int judged = 0, at_limits = 0, saturated = 0;
  bool at_least(int times) const { return std::min({judged, at_limits, saturated}) >= times; }
};

bool is_at_a_limit(const Layout& layout, const Allocation& a) {
  for (Eigen::Index i = 0; i < a.forces.size(); ++i)
    if (a.forces[i] == layout.limits[static_cast<std::size_t>(i)].max) return true;
  return false;
}

/// Draws until each kind of case has come so often: one count for all kinds would let the easy ones stand in
/// for those with thrusters at their limits, which are where an allocator goes wrong.
TEST(ClusterAllocation, DemandsAreMetByTheLeastForcesAndCutByPriority) {
  constexpr int most_draws = 1000;
  const int wanted = 10;
  RandomStream random(1, "cluster");
  for (const Layout& layout : layouts()) {
    const Allocator allocator(layout.B, layout.limits);
    EXPECT_EQ(allocator.rank(), 6);  // one nielsen-bluerov alone has five
    Allocator::Workspace workspace = allocator.workspace();
    Seen seen;
    int draws = 0;
    for (; draws < most_draws && !seen.at_least(wanted); ++draws) {
      const Vec6 tau =
          random_demand(layout, std::array{0.1, 0.6, 0.9, 2.0}[static_cast<std::size_t>(draws % 4)], random);
      const Allocation& a = allocator.allocate(tau, workspace);
      expect_shares(layout, tau, a);
      seen.saturated += a.saturated;
      if (a.saturated) continue;
      const bool judged = expect_least(layout, a);
      seen.judged += judged;
      seen.at_limits += judged && is_at_a_limit(layout, a);
    }
    EXPECT_TRUE(seen.at_least(wanted)) << seen.judged << " judged, " << seen.at_limits << " at limits, "
                                       << seen.saturated << " saturated of " << draws;
  }
}

TEST(ClusterAllocation, RollAndPitchComeBeforeWhatElseIsTold) {
  for (const Layout& layout : layouts()) {
    const Allocator allocator(layout.B, layout.limits);
    const auto ranges = AttainableWrench(layout.B, layout.limits).axis_ranges();
    Vec6 tau = 10 * layout.most();
    tau[3] = 0.99 * ranges[3].max;
    tau[4] = 0;
    const Allocation a = allocator.allocate(tau);
    expect_within(layout, a);
    EXPECT_NEAR(a.scales[0], 1, 1e-12);
    EXPECT_NEAR(a.achieved_b[3], tau[3], 1e-9 * tau[3]);
    EXPECT_NEAR(a.achieved_b[4], 0, 1e-9 * tau[3]);
    EXPECT_LT(a.scales[1], 0.2);
  }
}

TEST(ClusterAllocation, TheOthersDoWhatOneThatFailsCannot) {
  RandomStream random(1, "failed");
  for (const Layout& sound : layouts()) {
    Layout layout = sound;
    Allocator allocator(layout.B, layout.limits);
    const auto n = static_cast<std::uint64_t>(allocator.thrusters());
    for (int k = 0; k < 6; ++k) {
      const auto dead = static_cast<int>(random.next() % n);
      allocator.fail(dead);
      layout.limits[static_cast<std::size_t>(dead)] = {0, 0};
      if (allocator.rank() < 6) break;
      const Vec6 tau = random_demand(layout, 0.05, random);
      const Allocation a = allocator.allocate(tau);
      expect_within(layout, a);
      EXPECT_EQ(a.forces[dead], 0);
      if (a.saturated) {
        EXPECT_FALSE(AttainableWrench(layout.B, layout.limits).contains(tau));
        continue;
      }
      EXPECT_LT((a.achieved_b - tau).norm(), 1e-11 * (1 + tau.norm()));
      expect_least(layout, a);
    }
    // A stuck one pushes on; the others cancel it.
    allocator = Allocator(sound.B, sound.limits);
    allocator.set_limits(0, 20, 20);
    const Allocation still = allocator.allocate(Vec6::Zero());
    EXPECT_EQ(still.forces[0], 20);
    EXPECT_LT(still.achieved_b.norm(), 1e-10);
    EXPECT_FALSE(still.saturated);
  }
}

TEST(ClusterAllocation, TheSameDemandGivesTheSameBitsWhateverCameBefore) {
  RandomStream random(1, "bits");
  for (const Layout& layout : layouts()) {
    const Allocator allocator(layout.B, layout.limits);
    Allocator::Workspace used = allocator.workspace();
    for (int k = 0; k < 12; ++k) {
      const Vec6 tau =
          random_demand(layout, std::array{0.1, 0.8, 2.0}[static_cast<std::size_t>(k % 3)], random);
      Allocator::Workspace fresh = allocator.workspace();
      EXPECT_EQ(allocator.allocate(tau, used).forces, allocator.allocate(tau, fresh).forces);
    }
  }
}

}  // namespace
}  // namespace fathom::dynamics::cluster_allocation_test
