#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/trajectory/path.hpp"
#include "fathom/trajectory/test/derivatives.hpp"

namespace fathom::trajectory::waypoints_test {
namespace {

std::vector<Waypoint> random_points(std::uint64_t seed) {
  RandomStream random(seed, "way-points");
  std::vector<Waypoint> points;
  for (int k = 0; k < 6; ++k) {
    Waypoint point;
    for (double& x : point.p_nb_n) x = random.uniform(-3, 3);
    point.attitude_rpy[0] = random.uniform(-0.5, 0.5);
    point.attitude_rpy[1] = random.uniform(-1, 1);
    point.attitude_rpy[2] = random.uniform(-3, 3);
    point.hold = k % 2 ? random.uniform(0, 3) : 0;
    points.push_back(point);
  }
  return points;
}

TEST(Waypoints, PassesEachPointAndHoldsIt) {
  const auto points = random_points(1);
  const Waypoints path(points);
  EXPECT_TRUE(path.at(-1).p_nb_n.isApprox(points.front().p_nb_n));
  const Reference end = path.at(path.duration() + 1);
  EXPECT_TRUE(end.p_nb_n.isApprox(points.back().p_nb_n));
  EXPECT_LT(end.q_nb.angularDistance(quaternion_from_euler(points.back().attitude_rpy)), 1e-12);
  EXPECT_TRUE(end.nu_b.isZero(0));
  EXPECT_TRUE(end.nu_dot_b.isZero(1e-12));
  // Every point is met at some time, to the resolution of the search.
  for (const Waypoint& point : points) {
    double nearest = 1e9;
    for (double t = 0; t < path.duration() + 0.01; t += 0.01)
      nearest = std::min(nearest, (path.at(t).p_nb_n - point.p_nb_n).norm());
    EXPECT_LT(nearest, 1e-3);
  }
}

TEST(Waypoints, TwistAndAccelerationAreTheDerivatives) {
  const Waypoints path(random_points(2));
  RandomStream random(3, "times");
  for (int k = 0; k < 200; ++k) {
    const double t = random.uniform(0.1, path.duration() - 0.1);
    const test::DerivativeErrors errors = test::derivative_errors(path, t, 1e-4);
    EXPECT_LT(errors.velocity, 1e-6);
    EXPECT_LT(errors.turn_rate, 1e-6);
    EXPECT_LT(errors.acceleration, 1e-4) << t;
  }
}

TEST(Waypoints, ReachesAndKeepsTheTightestLimit) {
  const WaypointOptions limits{.speed = 0.4, .acceleration = 0.1, .turn_rate = 0.3, .turn_acceleration = 0.2};
  const Waypoints path(random_points(4), limits);
  double speed = 0, acceleration = 0, rate = 0, turn = 0;
  for (double t = 0; t < path.duration(); t += 1e-3) {
    const Reference r = path.at(t);
    speed = std::max(speed, r.nu_b.head<3>().norm());
    rate = std::max(rate, r.nu_b.tail<3>().norm());
    const Vec3 a_b = r.nu_dot_b.head<3>() + r.nu_b.tail<3>().cross(r.nu_b.head<3>());
    acceleration = std::max(acceleration, a_b.norm());
    turn = std::max(turn, r.nu_dot_b.tail<3>().norm());
  }
  EXPECT_LE(speed, 0.4 * (1 + 1e-9));
  EXPECT_LE(acceleration, 0.1 * (1 + 1e-9));
  EXPECT_LE(rate, 0.3 * (1 + 1e-9));
  EXPECT_LE(turn, 0.2 * (1 + 1e-9));
  EXPECT_GT(std::max({speed / 0.4, acceleration / 0.1, rate / 0.3, turn / 0.2}), 1 - 1e-5);
}

TEST(Waypoints, TurnsTheShortWayRound) {
  const double pi = std::numbers::pi;
  const Waypoints path({{Vec3::Zero(), Vec3(0, 0, 0.9 * pi), 0}, {Vec3::Zero(), Vec3(0, 0, -0.9 * pi), 0}});
  EXPECT_LT(path.at(path.duration() / 2).q_nb.angularDistance(quaternion_from_euler(Vec3(0, 0, pi))), 1e-12);
}

TEST(Waypoints, TwoEqualPointsTakeNoTime) {
  const Waypoints path({{Vec3::Ones(), Vec3::Zero(), 1}, {Vec3::Ones(), Vec3::Zero(), 2}});
  EXPECT_EQ(path.duration(), 3);
  for (const double t : {0.0, 1.0, 2.5, 9.0}) EXPECT_TRUE(path.at(t).nu_dot_b.isZero(0)) << t;
}

TEST(Waypoints, RefusesWhatItCannotFollow) {
  const std::vector<Waypoint> one(1);
  EXPECT_THROW(Waypoints({}), InputError);
  EXPECT_THROW(Waypoints({{Vec3(0, NAN, 0), Vec3::Zero(), 0}}), InputError);
  EXPECT_THROW(Waypoints({{Vec3::Zero(), Vec3::Zero(), -1}}), InputError);
  EXPECT_THROW(Waypoints(one, {.speed = 0}), InputError);
  EXPECT_THROW(Waypoints(one, {.turn_acceleration = -1}), InputError);
}

}  // namespace
}  // namespace fathom::trajectory::waypoints_test
