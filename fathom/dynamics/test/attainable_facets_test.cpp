// Facets of the attainable wrenches against the linear program of AttainableWrench.
#include "fathom/dynamics/attainable_facets.hpp"

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/dynamics/attainable.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/dynamics/thruster.hpp"
#include "fathom/model/dof.hpp"

namespace fathom::dynamics::attainable_facets_test {
namespace {

using model::ForceRange;

struct Layout {
  Mat6X B;
  std::vector<ForceRange> limits;
};

Layout random_layout(Eigen::Index thrusters, RandomStream& random) {
  Layout layout{Mat6X(6, thrusters), {}};
  for (Eigen::Index i = 0; i < thrusters; ++i) {
    const Vec3 e = test::random_vec3(random).normalized(), r = test::random_vec3(random, 0.4);
    layout.B.col(i) << e, r.cross(e);
    layout.limits.push_back({-random.uniform(10, 50), random.uniform(10, 50)});
  }
  return layout;
}

Layout layout_of(const model::Robot& robot) {
  Layout layout{model::allocation_matrix(robot), {}};
  for (const model::Thruster& thruster : robot.thrusters())
    layout.limits.push_back(ThrusterModel(thruster, 1000).force_range());
  return layout;
}

/// How far a wrench is beyond the worst facet; negative inside.
double excess(const AttainableFacets& facets, const Eigen::VectorXd& tau) {
  const Eigen::VectorXd x = facets.N * tau;
  return std::max((x - facets.upper).maxCoeff(), (facets.lower - x).maxCoeff());
}

/// Only these rows, the others zero: then the six-axis set is the set of these axes.
Mat6X kept(const Mat6X& B, std::span<const int> axes) {
  Mat6X result = Mat6X::Zero(6, B.cols());
  for (const int axis : axes) result.row(axis) = B.row(axis);
  return result;
}

/// Wrenches inside and outside, and on both sides of the boundary by 1e-6.
void expect_same_set(const Layout& layout, std::span<const int> axes, RandomStream& random,
                     const std::string& name) {
  const AttainableFacets facets = attainable_facets(layout.B, layout.limits, axes);
  const AttainableWrench set(kept(layout.B, axes), layout.limits);
  ASSERT_GT(facets.pairs(), 0);
  EXPECT_NEAR((facets.N.rowwise().norm().array() - 1).abs().maxCoeff(), 0, 1e-12);
  Eigen::VectorXd f(layout.B.cols());
  int inside = 0, outside = 0;
  for (int repeat = 0; repeat < 40; ++repeat) {
    for (Eigen::Index i = 0; i < f.size(); ++i) {
      const ForceRange& limit = layout.limits[static_cast<std::size_t>(i)];
      f[i] = 0.5 * (limit.min + limit.max) + (limit.max - limit.min) * random.uniform(-1, 1);
    }
    const Vec6 tau = random.uniform(0, 4) * (kept(layout.B, axes) * f);
    const auto cut = [&](double scale) {
      return Eigen::VectorXd(scale * tau(std::vector<int>(axes.begin(), axes.end())));
    };
    if (std::abs(excess(facets, cut(1))) > 1e-6) {
      EXPECT_EQ(set.contains(tau), excess(facets, cut(1)) < 0) << name;
    }
    (excess(facets, cut(1)) < 0 ? inside : outside) += 1;
    const auto scale = set.largest_scale(tau);
    if (!scale || *scale < 1e-3) continue;
    const double size = *scale * tau.norm();
    EXPECT_LE(excess(facets, cut(*scale)), 1e-8 * size) << name;
    EXPECT_GE(excess(facets, cut(*scale * (1 + 1e-6))), 0) << name;
  }
  EXPECT_GT(inside, 0) << name;
  EXPECT_GT(outside, 0) << name;
}

TEST(AttainableFacets, OfRandomLayoutsAreTheAttainableSet) {
  RandomStream random(1, "facets");
  for (const Eigen::Index thrusters : {6, 7, 8, 10}) {
    Layout layout = random_layout(thrusters, random);
    expect_same_set(layout, all_axes, random, "random");
    layout.B.col(1) = -layout.B.col(0);                   // parallel
    layout.B.col(3) = layout.B.col(2) - layout.B.col(0);  // three in one plane
    const std::array<int, 4> four = {0, 1, 2, 5};
    expect_same_set(layout, four, random, "dependent");
    if (thrusters > 8) expect_same_set(layout, all_axes, random, "dependent");
  }
}

TEST(AttainableFacets, OfOneToSixAxesWithStuckAndOneSidedThrusters) {
  RandomStream random(2, "facets");
  Layout layout = random_layout(9, random);
  layout.limits[2] = {3, 3};
  layout.limits[5] = {0, 0};
  layout.limits[6].min = 0;
  for (const std::vector<int>& axes :
       {std::vector<int>{5}, {1}, {0, 5}, {3, 1, 4}, {0, 1, 2, 5}, {5, 4, 3, 2, 1}, {0, 1, 2, 3, 4, 5}})
    expect_same_set(layout, axes, random, std::to_string(axes.size()));
}

TEST(AttainableFacets, OfEveryRobotWithThrusters) {
  RandomStream random(3, "facets");
  int six = 0, four = 0;
  for (const auto& [name, robot] : test::all_robots()) {
    if (robot.thrusters().empty()) continue;
    Layout layout = layout_of(robot);
    for (ForceRange& limit : layout.limits)
      if (!std::isfinite(limit.max)) limit = {-20, 30};
    for (const Dof dof : {Dof::four, Dof::six}) {
      const auto axes = model::free_indices(dof);
      if (!unpushable_axes(layout.B, layout.limits, axes).empty()) continue;
      expect_same_set(layout, axes, random, name);
      (dof == Dof::six ? six : four) += 1;
    }
  }
  EXPECT_GE(six, 11);
  EXPECT_GE(four, 12);
}

TEST(AttainableFacets, OfABoxAndAHexagon) {
  // Four horizontal thrusters of unit force at 45 degrees in two parallel pairs: a square that stands on edge.
  Layout layout{Mat6X::Zero(6, 4), std::vector<ForceRange>(4, {-1, 1})};
  const double s = std::sqrt(0.5);
  layout.B.topRows<2>() << s, s, -s, s, s, -s, -s, -s;
  const std::array<int, 2> plane = {0, 1};
  AttainableFacets facets = attainable_facets(layout.B, layout.limits, plane);
  ASSERT_EQ(facets.pairs(), 2);
  EXPECT_NEAR((facets.upper.array() - 2).abs().maxCoeff(), 0, 1e-14);
  EXPECT_NEAR((facets.lower.array() + 2).abs().maxCoeff(), 0, 1e-14);
  // Three at 120 degrees: a regular hexagon of inradius 2 sin 60.
  layout.B = Mat6X::Zero(6, 3);
  layout.B.topRows<2>() << 1, -0.5, -0.5, 0, std::sqrt(0.75), -std::sqrt(0.75);
  layout.limits.resize(3);
  facets = attainable_facets(layout.B, layout.limits, plane);
  ASSERT_EQ(facets.pairs(), 3);
  EXPECT_NEAR((facets.upper.array() - std::sqrt(3)).abs().maxCoeff(), 0, 1e-14);
}

TEST(AttainableFacets, OfTwoGroupsOfThrustersAreThoseOfEach) {
  // Four horizontal thrusters span three directions, four vertical ones the other three: the set is a product,
  // and any two of a group span a facet of it.
  const Layout layout = layout_of(test::robot_named("bluerov2-heavy"));
  EXPECT_EQ(attainable_facets(layout.B, layout.limits).pairs(), 6 + 6);
}

std::string error_of(const Layout& layout, std::span<const int> axes) {
  try {
    attainable_facets(layout.B, layout.limits, axes);
  } catch (const InputError& error) {
    return error.findings().front().text();
  }
  return "";
}

TEST(AttainableFacets, OfManyThrustersAreTooMany) {
  const Layout layout{Mat6X::Random(6, 17), std::vector<ForceRange>(17, {-1, 1})};
  EXPECT_EQ(error_of(layout, all_axes), "B has 17 columns, at most 16 (AttainableWrench takes any number)");
}

TEST(AttainableFacets, NamesTheAxesThatCannotBePushed) {
  // Two pairs of horizontal thrusters at one depth below the origin, with the rounding that files bring.
  Layout layout{Mat6X::Zero(6, 4), std::vector<ForceRange>(4, {-1, 1})};
  for (int i = 0; i < 4; ++i) {
    const double angle = 0.7 + 1.1 * i;
    const Vec3 e(std::cos(angle), std::sin(angle), 1e-17), r(0.3 * (i % 2), 0.2 * (i / 2), 1e-17);
    layout.B.col(i) << e, r.cross(e);
  }
  EXPECT_EQ(unpushable_axes(layout.B, layout.limits), (std::vector<int>{2, 3, 4}));
  EXPECT_EQ(error_of(layout, all_axes),
            "B cannot push heave, roll, pitch by itself (take only the axes that the thrusters can push)");
  const std::array<int, 3> planar = {0, 1, 5};
  EXPECT_EQ(error_of(layout, planar), "");
  layout.limits.assign(4, {0, 0});
  EXPECT_EQ(unpushable_axes(layout.B, layout.limits, planar), (std::vector<int>{0, 1, 5}));
  layout.limits[1] = layout.limits[2] = {-1, 1};
  EXPECT_EQ(unpushable_axes(layout.B, layout.limits, planar), (std::vector<int>{5})) << "two for three axes";
  layout.B.row(1) = 2 * layout.B.row(0);
  EXPECT_EQ(unpushable_axes(layout.B, layout.limits, planar), (std::vector<int>{1})) << "sway with surge only";
  const std::array<int, 2> twice = {1, 1};
  EXPECT_EQ(error_of(layout, twice), "axes has 1, must be 0 to 5, each once (X Y Z K M N)");
  EXPECT_EQ(error_of(layout, {}), "axes has none, must have 1 to 6");
}

}  // namespace
}  // namespace fathom::dynamics::attainable_facets_test
