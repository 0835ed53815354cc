// Allocation against brute force: facets of the attainable set for the scales, all active sets for the least
// norm.
#include "fathom/dynamics/allocation.hpp"

#include <cmath>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"
#include "fathom/dynamics/test/layouts.hpp"
#include "fathom/dynamics/test/zonotope_oracle.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::dynamics::allocation_test {
namespace {

using model::ForceRange;
using test::cost;
using test::Layout;
using test::least_cost;
using test::random_layout;
using test::ZonotopeOracle;

Vec6 group_part(const std::vector<int>& group, const Vec6& tau) {
  Vec6 part = Vec6::Zero();
  for (const int axis : group) part[axis] = tau[axis];
  return part;
}

Eigen::MatrixXd span_of(const Mat6X& B) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(B, Eigen::ComputeFullU);
  return svd.matrixU().leftCols((svd.singularValues().array() > 1e-9 * svd.singularValues()[0]).count());
}

void expect_within(const Layout& layout, const Allocation& a) {
  for (Eigen::Index i = 0; i < a.forces.size(); ++i) {
    EXPECT_GE(a.forces[i], layout.limits[static_cast<std::size_t>(i)].min);
    EXPECT_LE(a.forces[i], layout.limits[static_cast<std::size_t>(i)].max);
  }
  EXPECT_LT((a.achieved_b - layout.B * a.forces).norm(), 1e-12 * (1 + a.achieved_b.norm()));
}

/// Scales by the facets of {B f - later groups' demands, each by 0 to 1}; `stuck` wrench is cancelled.
void expect_scales(const Layout& layout, const Vec6& demand, const Allocation& a, const std::string& what) {
  const auto& groups = layout.options.groups;
  const Eigen::Index n = layout.B.cols();
  Vec6 so_far = Vec6::Zero();
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const auto later = static_cast<Eigen::Index>(groups.size() - k - 1);
    Eigen::MatrixXd G(6, n + later);
    Eigen::VectorXd low(n + later), high(n + later);
    G.leftCols(n) = layout.B;
    for (Eigen::Index i = 0; i < n; ++i) {
      low[i] = layout.limits[static_cast<std::size_t>(i)].min;
      high[i] = layout.limits[static_cast<std::size_t>(i)].max;
    }
    for (Eigen::Index j = 0; j < later; ++j) {
      G.col(n + j) = -group_part(groups[k + 1 + static_cast<std::size_t>(j)], demand);
      low[n + j] = 0;
      high[n + j] = 1;
    }
    const Vec6 part = group_part(groups[k], demand);
    const ZonotopeOracle oracle(G, low, high);
    const double expected = part.norm() == 0 ? 1 : std::min(1.0, oracle.exit(so_far, part));
    EXPECT_NEAR(a.scales[k], expected, 1e-7) << what << " group " << k;
    so_far += a.scales[k] * part;
  }
  EXPECT_LT((a.achieved_b - so_far).norm(), 1e-9 * (1 + demand.norm())) << what;
}

TEST(Allocation, WithinTheLimitsItIsTheWeightedPseudoInverse) {
  RandomStream random(1, "allocation");
  for (int k = 0; k < 100; ++k) {
    const Layout layout = random_layout(6 + k % 5, random);
    const Allocator allocator(layout.B, layout.limits, layout.options);
    Vec6 tau;
    for (double& x : tau) x = random.uniform(-0.3, 0.3);
    Eigen::VectorXd inverse_weights(layout.B.cols());
    for (Eigen::Index i = 0; i < inverse_weights.size(); ++i) inverse_weights[i] = 1 / layout.weight(i);
    const Mat6 BWB = layout.B * inverse_weights.asDiagonal() * layout.B.transpose();
    const Eigen::VectorXd expected =
        inverse_weights.asDiagonal() * layout.B.transpose() * BWB.ldlt().solve(tau);
    if (expected.cwiseAbs().maxCoeff() > 10) continue;
    const Allocation a = allocator.allocate(tau);
    EXPECT_LT((a.forces - expected).norm(), 1e-8 * (1 + expected.norm()));
    EXPECT_LT((a.achieved_b - tau).norm(), 1e-10);
    EXPECT_FALSE(a.saturated);
  }
}

TEST(AllocationLong, ScalesAndForcesAgreeWithBruteForce) {
  RandomStream random(1, "saturated");
  int saturated = 0, attainable = 0;
  for (int k = 0; k < 120; ++k) {
    Layout layout = random_layout(k % 3 == 0 ? 8 : k % 3 == 1 ? 7 : 6, random);
    if (k % 4 == 0) layout.options.groups = {{0, 1, 2, 3, 4, 5}};
    if (k % 4 == 1) layout.options.groups = {{0, 1, 2}, {3, 4, 5}};
    const Allocator allocator(layout.B, layout.limits, layout.options);
    for (int j = 0; j < 4; ++j) {
      Vec6 tau;
      for (double& x : tau) x = random.uniform(-1, 1);
      tau *= random.uniform(1, 80);
      tau.tail<3>() *= 0.3;
      if (j == 3) tau[static_cast<Eigen::Index>(random.uniform(0, 6))] = 0;
      const Allocation a = allocator.allocate(tau);
      expect_within(layout, a);
      expect_scales(layout, tau, a, std::to_string(k));
      saturated += a.saturated;
      attainable += !a.saturated;
      if (j == 0 && (layout.B.cols() < 8 || k % 6 == 0)) {
        const double best = least_cost(layout, a.achieved_b, Mat6::Identity());
        EXPECT_NEAR(cost(layout, a.forces), best, 1e-6 * best) << k;
      }
    }
  }
  EXPECT_GT(saturated, 100);
  EXPECT_GT(attainable, 30);
}

TEST(AllocationLong, ADeadAWeakAndAStuckThruster) {
  RandomStream random(1, "failures");
  int cancelled = 0;
  for (int k = 0; k < 60; ++k) {
    Layout layout = random_layout(8, random);
    Allocator allocator(layout.B, layout.limits, layout.options);
    const double stuck = random.uniform(-15, 15);
    allocator.fail(1);
    layout.limits[1] = {0, 0};
    allocator.set_limits(4, stuck, stuck);
    layout.limits[4] = {stuck, stuck};
    if (k % 2) {
      allocator.set_limits(2, -1, 2);
      layout.limits[2] = {-1, 2};
    }
    Vec6 tau;
    for (double& x : tau) x = random.uniform(-1, 1);
    tau *= random.uniform(1, 60);
    tau.tail<3>() *= 0.3;
    const Allocation a = allocator.allocate(tau);
    expect_within(layout, a);
    EXPECT_EQ(a.forces[1], 0);
    EXPECT_EQ(a.forces[4], stuck);
    if (a.bias_scale < 1) continue;  // too strong to be cancelled within the limits
    ++cancelled;
    expect_scales(layout, tau, a, std::to_string(k));
    if (k < 12) {
      const double best = least_cost(layout, a.achieved_b, Mat6::Identity());
      EXPECT_NEAR(cost(layout, a.forces), best, 1e-6 * best) << k;
    }
  }
  EXPECT_GT(cancelled, 20);
}

TEST(Allocation, FewThrustersGiveWhatTheyCanByPriority) {
  RandomStream random(1, "rank");
  for (int k = 0; k < 60; ++k) {
    const Layout layout = random_layout(2 + k % 4, random);  // 2 to 5 directions
    const Allocator allocator(layout.B, layout.limits, layout.options);
    EXPECT_EQ(allocator.rank(), 2 + k % 4);
    const Mat6& P = allocator.reachable();
    EXPECT_LT((P * P - P).norm(), 1e-9 * P.norm() * P.norm());
    EXPECT_LT((P * layout.B - layout.B).norm(), 1e-9 * P.norm());
    Vec6 tau;
    for (double& x : tau) x = random.uniform(-1e-3, 1e-3);
    const Allocation a = allocator.allocate(tau);
    EXPECT_LT((a.achieved_b + a.unreachable_b - tau).norm(), 1e-9 * P.norm());
    // Roll and pitch come first, and two directions or more suffice for both in general.
    EXPECT_LT(a.unreachable_b.segment<2>(3).norm(), 1e-9 * P.norm());
    const Vec6 large = 1e6 * tau;
    const Allocation b = allocator.allocate(large);
    expect_within(layout, b);
    EXPECT_TRUE(b.saturated);
    const double best = least_cost(layout, b.achieved_b, span_of(layout.B));
    EXPECT_NEAR(cost(layout, b.forces), best, 1e-5 * best + 1e-9);
  }
}

TEST(Allocation, AnAxisWithoutThrustersIsReported) {
  Mat6X B = Mat6X::Zero(6, 2);  // port and starboard: surge and yaw
  B.col(0) << 1, 0, 0, 0, 0, 0.2;
  B.col(1) << 1, 0, 0, 0, 0, -0.2;
  const std::vector<ForceRange> limits = {{-10, 10}, {-10, 10}};
  const Allocator allocator(B, limits);
  EXPECT_EQ(allocator.unreachable_axes(), (std::array<bool, 6>{false, true, true, true, true, false}));
  Vec6 tau;
  tau << 4, 5, 6, 0, 0, 1;
  const Allocation a = allocator.allocate(tau);
  EXPECT_NEAR(a.forces[0], 2 + 2.5, 1e-12);
  EXPECT_NEAR(a.forces[1], 2 - 2.5, 1e-12);
  EXPECT_NEAR(a.unreachable_b[1], 5, 1e-12);
  EXPECT_NEAR(a.unreachable_b[2], 6, 1e-12);
  EXPECT_FALSE(a.saturated);
  // Yaw goes before surge: 10 and -10 give it all, and nothing is left.
  tau << 30, 0, 0, 0, 0, 4;
  const Allocation b = allocator.allocate(tau);
  EXPECT_NEAR(b.scales[2], 1, 1e-12);
  EXPECT_NEAR(b.scales[3], 0, 1e-12);
  EXPECT_NEAR(b.forces[0], 10, 1e-12);
  EXPECT_NEAR(b.forces[1], -10, 1e-12);
  EXPECT_TRUE(b.saturated);
}

TEST(Allocation, TheSameInputGivesTheSameBits) {
  const model::Robot robot = model::read_robot(FATHOM_ROBOTS_DIR "/bluerov2-heavy.yaml");
  std::vector<ForceRange> limits;
  for (const model::Thruster& thruster : robot.thrusters()) limits.push_back(thruster.force->value);
  const Allocator allocator(model::allocation_matrix(robot), limits);
  Allocator other(model::allocation_matrix(robot), limits);
  other.fail(3);
  other.set_limits(3, limits[3].min, limits[3].max);
  RandomStream random(1, "bits");
  for (int k = 0; k < 1000; ++k) {
    Vec6 tau;
    for (double& x : tau) x = random.uniform(-150, 150);
    tau.tail<3>() *= 0.2;
    const Allocation a = allocator.allocate(tau), b = other.allocate(tau);
    EXPECT_EQ(a.forces, b.forces);
    EXPECT_EQ(a.scales, b.scales);
    for (Eigen::Index i = 0; i < 8; ++i) {
      EXPECT_GE(a.forces[i], limits[static_cast<std::size_t>(i)].min);
      EXPECT_LE(a.forces[i], limits[static_cast<std::size_t>(i)].max);
    }
    const AllocatorOptions options;
    for (std::size_t g = 0; g < options.groups.size(); ++g)
      for (const int axis : options.groups[g]) EXPECT_NEAR(a.achieved_b[axis], a.scales[g] * tau[axis], 1e-8);
  }
}

TEST(Allocation, BadInputIsRefused) {
  const Mat6X B = Mat6X::Identity(6, 6);
  const std::vector<ForceRange> limits(6, ForceRange{-1, 1});
  const auto error_text = [&](const std::vector<ForceRange>& l,
                              const AllocatorOptions& options) -> std::string {
    try {
      const Allocator allocator(B, l, options);
    } catch (const InputError& error) {
      return error.what();
    }
    return "(accepted)";
  };
  EXPECT_EQ(error_text(limits, {}), "(accepted)");
  EXPECT_EQ(error_text(limits, {{}, {{0, 1, 2}, {3, 4}}}),
            "groups has axis 5 0 times, must have each once (X Y Z K M N)");
  EXPECT_EQ(error_text(limits, {{}, {{0, 1, 2}, {3, 4, 5, 6}}}),
            "groups has axis 6, must be 0 to 5 (X Y Z K M N)");
  EXPECT_EQ(error_text(limits, {{1, 1, 0, 1, 1, 1}, {{0, 1, 2, 3, 4, 5}}}), "weights[2] = 0, must be > 0");
  EXPECT_EQ(error_text(limits, {{1, 1}, {{0, 1, 2, 3, 4, 5}}}),
            "weights has 2 entries for 6 thrusters (one each, or none)");
  EXPECT_EQ(error_text({{-1, 1}}, {}), "B has 6 columns for 1 limits, must have one for each, all finite");
  Allocator allocator(B, limits);
  EXPECT_THROW(allocator.set_limits(0, 1, -1), InputError);
  EXPECT_THROW(allocator.fail(6), InputError);
  const Vec6 unknown = Vec6::Constant(std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(allocator.allocate(unknown).forces.array().isNaN().all());
}

}  // namespace
}  // namespace fathom::dynamics::allocation_test
