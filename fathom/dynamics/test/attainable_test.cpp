// The attainable wrench set against its facets, found by brute force.
#include "fathom/dynamics/attainable.hpp"

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/dynamics/test/zonotope_oracle.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::dynamics::attainable_test {
namespace {

using model::ForceRange;

struct Layout {
  Mat6X B;
  std::vector<ForceRange> limits;
  Eigen::VectorXd low() const {
    Eigen::VectorXd v(B.cols());
    for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = limits[static_cast<std::size_t>(i)].min;
    return v;
  }
  Eigen::VectorXd high() const {
    Eigen::VectorXd v(B.cols());
    for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = limits[static_cast<std::size_t>(i)].max;
    return v;
  }
};

Vec3 random_vector(RandomStream& random) { return {random.normal(), random.normal(), random.normal()}; }

Layout random_layout(int thrusters, RandomStream& random, bool with_failures) {
  Layout layout;
  layout.B.resize(6, thrusters);
  for (int i = 0; i < thrusters; ++i) {
    const Vec3 e = random_vector(random).normalized(), r = 0.3 * random_vector(random);
    layout.B.col(i) << e, r.cross(e);
    layout.limits.push_back({-random.uniform(10, 50), random.uniform(10, 50)});
    if (with_failures && random.uniform() < 0.15) layout.limits.back() = {0, 0};
    if (with_failures && random.uniform() < 0.15)
      layout.limits.back().min = layout.limits.back().max = random.uniform(-3, 3);
  }
  return layout;
}

TEST(Attainable, ScaleMembershipAndSupportAgreeWithTheFacets) {
  RandomStream random(1, "attainable");
  int inside = 0, impossible = 0;
  for (int k = 0; k < 150; ++k) {
    const int n = std::array{8, 6, 4, 7, 10}[static_cast<std::size_t>(k % 5)];
    const Layout layout = random_layout(n, random, k >= 75);
    const AttainableWrench set(layout.B, layout.limits);
    const test::ZonotopeOracle oracle(layout.B, layout.low(), layout.high());
    for (int j = 0; j < 5; ++j) {
      Eigen::VectorXd f(n);
      for (Eigen::Index i = 0; i < n; ++i) f[i] = random.uniform(layout.low()[i] - 5, layout.high()[i] + 5);
      const Vec6 tau = layout.B * f;
      const double excess = oracle.excess(tau);
      if (std::abs(excess) > 1e-6) {
        EXPECT_EQ(set.contains(tau), excess < 0) << k << " " << excess;
      }
      inside += excess < 0;
      const auto scale = set.largest_scale(tau);
      const bool has_zero = oracle.excess(Vec6::Zero()) < -1e-9 || (n < 6 && k < 75);
      if (has_zero) {
        ASSERT_TRUE(scale) << k;
        const double expected = oracle.exit(Vec6::Zero(), tau);
        EXPECT_NEAR(*scale, expected, 1e-8 * expected) << k;
      } else if (scale) {
        EXPECT_LT(oracle.excess(*scale * tau), 1e-6) << k;
        EXPECT_GT(oracle.excess((*scale * (1 + 1e-4) + 1e-6) * tau), 0) << k;
      } else {
        ++impossible;
      }
      const Vec6 d = tau.normalized();
      double largest = 0;  // at a corner
      for (Eigen::Index i = 0; i < n; ++i) {
        const double g = d.dot(layout.B.col(i));
        largest += std::max(g * layout.low()[i], g * layout.high()[i]);
      }
      EXPECT_NEAR(set.support(d), largest, 1e-9);
    }
  }
  EXPECT_GT(inside, 100);
  EXPECT_GT(impossible, 5);
}

TEST(Attainable, MoreThrustersThanOneRobotHas) {
  // Each thruster of eight cut into many, which share its limits: the set stays what it was.
  RandomStream random(1, "many");
  const Layout few = random_layout(8, random, false);
  const test::ZonotopeOracle oracle(few.B, few.low(), few.high());
  for (const int pieces : {3, 48}) {
    Layout many{few.B.replicate(1, pieces), {}};
    Eigen::VectorXd shares(pieces);
    for (double& share : shares) share = random.uniform(0.1, 1);
    shares /= shares.sum();
    for (const double share : shares)
      for (const ForceRange& limit : few.limits) many.limits.push_back({share * limit.min, share * limit.max});
    const AttainableWrench set(many.B, many.limits);
    for (int j = 0; j < 20; ++j) {
      Vec6 d;
      for (double& x : d) x = random.normal();
      const double expected = oracle.exit(Vec6::Zero(), d);
      EXPECT_NEAR(*set.largest_scale(d), expected, 1e-9 * expected);
      EXPECT_TRUE(set.contains(0.999 * expected * d));
      EXPECT_FALSE(set.contains(1.001 * expected * d));
    }
  }
}

TEST(Attainable, AxisRangesOfARobot) {
  const model::Robot robot = model::read_robot(FATHOM_ROBOTS_DIR "/bluerov2-heavy.yaml");
  std::vector<ForceRange> limits;
  for (const model::Thruster& thruster : robot.thrusters()) limits.push_back(thruster.force->value);
  const Mat6X B = model::allocation_matrix(robot);
  const AttainableWrench set(B, limits);
  const auto ranges = set.axis_ranges();
  // Surge: two thrusters push by 51.4 N and two pull by 39.9 N at 45 degrees; the vertical ones hold the pitch.
  EXPECT_NEAR(ranges[0].max, 2 * (51.4 + 39.9) / std::sqrt(2), 1e-6);
  EXPECT_NEAR(ranges[2].max, 4 * 39.9, 1e-6);
  EXPECT_NEAR(ranges[2].min, -4 * 51.4, 1e-6);
  for (int axis = 0; axis < 6; ++axis) {
    const ForceRange& range = ranges[static_cast<std::size_t>(axis)];
    EXPECT_TRUE(set.contains(range.max * Vec6::Unit(axis)));
    EXPECT_FALSE(set.contains((range.max + 1e-3) * Vec6::Unit(axis)));
    EXPECT_FALSE(set.contains((range.min - 1e-3) * Vec6::Unit(axis)));
  }
}

TEST(Attainable, CornerCases) {
  Mat6X B = Mat6X::Zero(6, 2);
  B(0, 0) = B(0, 1) = 1;
  const std::vector<ForceRange> limits = {{-2, 3}, {-2, 3}};
  const AttainableWrench set(B, limits);
  EXPECT_NEAR(*set.largest_scale(Vec6::Unit(0)), 6, 1e-12);
  EXPECT_NEAR(*set.largest_scale(-2 * Vec6::Unit(0)), 2, 1e-12);
  EXPECT_NEAR(*set.largest_scale(Vec6::Unit(1)), 0, 1e-12);
  EXPECT_TRUE(std::isinf(*set.largest_scale(Vec6::Zero())));
  const std::vector<ForceRange> stuck = {{1, 1}, {0, 2}};
  const AttainableWrench pushed(B, stuck);
  EXPECT_FALSE(pushed.contains(Vec6::Zero()));
  EXPECT_FALSE(pushed.largest_scale(-Vec6::Unit(0)));
  EXPECT_NEAR(*pushed.largest_scale(Vec6::Unit(0)), 3, 1e-12);
  const std::vector<ForceRange> bad = {{1, -1}, {0, 2}};
  EXPECT_THROW(AttainableWrench(B, bad), InputError);
  EXPECT_EQ(fathom::test::error_text([&] { AttainableWrench(B, std::span(limits).first(1)); }),
            "B has 2 columns for 1 limits, must have one for each, all finite");
}

}  // namespace
}  // namespace fathom::dynamics::attainable_test
