
#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"
#include "fathom/base/test/count_allocations.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/trajectory/basis.hpp"
#include "fathom/trajectory/path.hpp"
#include "fathom/trajectory/test/derivatives.hpp"

namespace fathom::trajectory::pose_path_test {
namespace {

/// A twice continuously differentiable path with every coordinate moving.
Bezier random_path(const Basis& basis, std::uint64_t seed) {
  RandomStream random(seed, "pose path");
  Eigen::MatrixXd points(6, basis.points.rows.rows());
  for (Eigen::Index row = 0; row < 6; ++row) {
    const double most = row < 3 ? 3 : row < 5 ? 1 : 6;
    Eigen::VectorXd x(basis.size());
    for (double& value : x) value = random.uniform(-most, most);
    points.row(row) = basis.points(x, 0, 0).transpose();
  }
  return Bezier(basis.knots, basis.degree, points);
}

Bezier spline(std::uint64_t seed) {
  const std::array durations = {9.0, 4.0};
  const std::array intervals = {6, 3};
  return random_path(spline_basis(durations, intervals), seed);
}

TEST(PosePath, TwistAndAccelerationAreTheDerivatives) {
  const std::array durations = {9.0, 4.0};
  for (const Bezier& curve : {spline(1), random_path(bezier_basis(durations, 7), 2)}) {
    const PosePath path(curve);
    RandomStream random(3, "times");
    for (int k = 0; k < 200; ++k) {
      const double t = random.uniform(0.1, path.duration() - 0.1);
      const test::DerivativeErrors errors = test::derivative_errors(path, t, 1e-4);
      EXPECT_LT(errors.velocity, 1e-5);
      EXPECT_LT(errors.turn_rate, 1e-5);
      // Across a knot the acceleration of a cubic has a kink: an error of the order of the step.
      EXPECT_LT(errors.acceleration, 1e-2) << t;
      EXPECT_GT(path.at(t).nu_dot_b.tail<3>().norm(), 1e-2);
    }
  }
}

TEST(PosePath, IsWhereTheCurveIs) {
  const Bezier curve = spline(4);
  const PosePath path(curve);
  for (double t = 0; t <= 13; t += 0.37) {
    const Bezier::Sample sample = curve.at(t);
    const Reference here = path.at(t);
    EXPECT_LT((here.p_nb_n - sample.value.head<3>()).norm(), 1e-13);
    EXPECT_LT(here.q_nb.angularDistance(quaternion_from_euler(sample.value.tail<3>())), 1e-12);
    EXPECT_LT((euler_rate_matrix(sample.value.tail<3>()) * here.nu_b.tail<3>() - sample.rate.tail<3>()).norm(),
              1e-11);
  }
}

TEST(PosePath, StaysBeforeAndAfter) {
  const PosePath path(
      Bezier({1, 2}, 1, (Eigen::MatrixXd(6, 2) << 0, 3, 0, 0, 5, 5, 0, 0, 0, 0, 0, 1).finished()));
  EXPECT_EQ(path.at(1.5).nu_b[5], 1);
  EXPECT_EQ(path.duration(), 2);
  for (const double t : {0.0, 2.5}) {
    EXPECT_EQ(path.at(t).p_nb_n.x(), t == 0 ? 0 : 3);
    EXPECT_TRUE(path.at(t).nu_b.isZero(0));
    EXPECT_TRUE(path.at(t).nu_dot_b.isZero(0));
  }
}

TEST(PosePath, RefusesWhatNoVehicleFollows) {
  const auto words = [](const Bezier& curve) {
    try {
      PosePath path(curve);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const Eigen::MatrixXd still = Eigen::MatrixXd::Zero(6, 4);
  Eigen::MatrixXd points = still;
  EXPECT_EQ(words(Bezier({0, 1, 3}, 1, points)), "");
  points(0, 2) = points(0, 3) = 1;
  EXPECT_NE(words(Bezier({0, 1, 3}, 1, points)).find("jump at knot 1, 1 s: a place"), std::string::npos);
  points = still;
  points(5, 3) = 1;
  EXPECT_NE(words(Bezier({0, 1, 3}, 1, points)).find("a rate by 0.5"), std::string::npos);
  points = still;
  points.row(4).setConstant(1.57);
  EXPECT_NE(words(Bezier({0, 1, 3}, 1, points)).find("pitch"), std::string::npos);
  EXPECT_NE(words(Bezier({0, 1}, 1, Eigen::MatrixXd::Zero(4, 2))).find("4 coordinates"), std::string::npos);
  EXPECT_NE(words(Bezier({-1, 1}, 1, Eigen::MatrixXd::Zero(6, 2))).find("knots[0]"), std::string::npos);
  EXPECT_NE(words(Bezier({0, 1}, 61, Eigen::MatrixXd::Zero(6, 62))).find("degree"), std::string::npos);
}

TEST(Path, PlacesShowWhereACurveLeads) {
  const Bezier curve = spline(5);
  const Path path{PosePath(curve)};
  EXPECT_EQ(path.waypoints(), nullptr);
  double most = 0, seen = 0;
  for (double t = 0; t <= path.duration(); t += 0.001) most = std::max(most, path.at(t).p_nb_n.x());
  for (const Waypoint& place : path.places()) seen = std::max(seen, place.p_nb_n.x());
  EXPECT_NEAR(seen, most, 0.01 * most);
  EXPECT_GT(most, 0.1);

  const Waypoints points({{.p_nb_n = {1, 2, 3}}, {.p_nb_n = {2, 2, 3}}});
  EXPECT_EQ(Path(points).places().size(), 2u);
  EXPECT_EQ(Path(points).duration(), points.duration());
}

TEST(PosePath, TakesNoMemoryFromTheHeap) {
  const std::array durations = {9.0, 4.0};
  const PosePath path(random_path(bezier_basis(durations, 60), 6));
  Reference last;
  EXPECT_EQ(fathom::test::allocations_of([&] {
              for (double t = -1; t < 14; t += 0.1) last = path.at(t);
            }),
            0);
}

}  // namespace
}  // namespace fathom::trajectory::pose_path_test
