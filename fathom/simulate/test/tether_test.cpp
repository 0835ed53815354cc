// Lines whose shape or force is known in closed form, and laws that hold for any line. Their motion:
// tether_motion_test.cpp.
#include "fathom/simulate/tether.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/simulate/test/lines.hpp"

namespace fathom::simulate::tether_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::displaced_per_length;
using test::Line;
using test::node;
using test::random_state;
using test::random_vec3;
using test::uniform_current;

/// The elastic catenary by unstretched length s from the anchor, z down (Irvine 1981, sec. 1.3).
struct Catenary {
  double w, EA, H,
      V;  ///< weight per length, stiffness, horizontal and vertical (down) pull on the line at s = 0
  Vec3 at(double s) const {
    const double V_s = V - w * s;
    return {H * s / EA + H / w * (std::asinh(V / H) - std::asinh(V_s / H)), 0,
            (V * s - w * s * s / 2) / EA + (std::hypot(H, V) - std::hypot(H, V_s)) / w};
  }
  /// Node k of a chain of segments under the same pull: close to the equilibrium, to start its search.
  Vec3 beads(int segments, double length, int k) const {
    const double piece = length / segments;
    Vec3 p = Vec3::Zero();
    for (int i = 0; i < k; ++i) {
      const Vec3 pull(H, 0, V - w * piece * (i + 0.5));
      p += piece * (1 + pull.norm() / EA) * pull.normalized();
    }
    return p;
  }
};

TEST(Tether, HangsInTheCatenaryWithSecondOrder) {
  TetherSpec spec;
  spec.length = 20;
  spec.mass_per_length = 0.3;
  spec.slack_strain = 1e-7;
  spec.anchor_n = {3, -1, 2};
  std::vector<double> position_error, force_error, tension_error;
  for (const int segments : {5, 10, 20, 40}) {
    spec.segments = segments;
    const Tether tether(spec);
    const Catenary exact{tether.net_weight(), spec.axial_stiffness, 15, 30};
    const Line line{tether, {}, spec.anchor_n + exact.at(spec.length)};
    VectorXd x = line.initial();
    const double piece = spec.length / segments;
    for (int k = 1; k < segments; ++k) x.segment<3>(6 * (k - 1)) = exact.beads(segments, spec.length, k);
    const Vec3 missed = exact.at(spec.length) - exact.beads(segments, spec.length, segments);
    for (int k = 1; k < segments; ++k)
      x.segment<3>(6 * (k - 1)) += spec.anchor_n + static_cast<double>(k) / segments * missed;
    x = line.equilibrium(x);
    double worst = 0;
    for (int k = 1; k < segments; ++k)
      worst = std::max(worst, (node(x, k - 1) - spec.anchor_n - exact.at(k * piece)).norm());
    const TetherLoad load = line.load(x);
    position_error.push_back(worst);
    const Vec3 pull_on_vehicle(-exact.H, 0, -(exact.V - exact.w * spec.length));
    force_error.push_back((load.vehicle_n - pull_on_vehicle).norm());
    EXPECT_LE((load.anchor_n + load.vehicle_n - Vec3(0, 0, exact.w * spec.length)).norm(), 1e-6);
    // The largest is that of the anchor's segment, half a segment away.
    const double middle = std::hypot(exact.H, exact.V - exact.w * piece / 2);
    tension_error.push_back(std::abs(load.tension_max - middle));
  }
  for (const auto& error : {position_error, force_error, tension_error}) {
    EXPECT_LE(error.back(), 0.01);
    for (std::size_t k = 0; k + 1 < error.size(); ++k) EXPECT_NEAR(std::log2(error[k] / error[k + 1]), 2, 0.25);
  }
  RecordProperty("position_error_10", std::to_string(position_error[1]));
  RecordProperty("force_error_10", std::to_string(force_error[1]));
}

TEST(Tether, InitialShapeHasTheRightLengthAndNoTension) {
  RandomStream random(1, "tether initial");
  for (int repeat = 0; repeat < 200; ++repeat) {
    TetherSpec spec;
    spec.length = random.uniform(1, 50);
    spec.segments = 2 + static_cast<int>(random.next() % 30);
    spec.anchor_n = random_vec3(random, 10);
    spec.mass_per_length = displaced_per_length(spec) * (repeat % 3 == 0 ? 1 : repeat % 3 == 1 ? 3 : 0.4);
    Vec3 chord = random_vec3(random, 1).normalized() * random.uniform(0, 0.999) * spec.length;
    if (repeat % 7 == 0) chord.setZero();
    if (repeat % 7 == 1) chord = Vec3(0, 0, chord.norm());
    const Line line{Tether(spec), {}, spec.anchor_n + chord};
    const VectorXd x = line.initial();
    ASSERT_TRUE(x.allFinite());
    double length = 0;
    Vec3 last = spec.anchor_n, mean_off = Vec3::Zero();
    for (int k = 0; k < spec.segments; ++k) {
      const Vec3 next = k + 1 < spec.segments ? node(x, k) : line.end_n;
      length += (next - last).norm();
      EXPECT_LE((next - last).norm(), spec.length / spec.segments * (1 + 1e-9));
      mean_off += next - (spec.anchor_n + (k + 1.0) / spec.segments * chord);
      last = next;
    }
    EXPECT_LE(length, spec.length * (1 + 1e-9));
    if (spec.segments >= 16) {
      EXPECT_GE(length, 0.93 * spec.length);
    }
    EXPECT_LE(line.load(x).tension_max, 1e-20);
    if (repeat % 7 > 1 && repeat % 3 == 1) {  // heavy: below the chord
      EXPECT_GT(mean_off.z(), 0);
    }
    if (repeat % 7 > 1 && repeat % 3 == 2) {
      EXPECT_LT(mean_off.z(), 0);
    }
    if (repeat % 7 > 1 && repeat % 3 == 0) {
      EXPECT_NEAR(mean_off.z(), 0, 1e-9 * spec.length);
    }
  }
}

TEST(Tether, InitialShapeOfATautLineIsStraight) {
  const TetherSpec spec;
  const Line line{Tether(spec), {}, Vec3(0, 26, 0)};
  const VectorXd x = line.initial();
  for (int k = 1; k < spec.segments; ++k) EXPECT_LE((node(x, k - 1) - Vec3(0, 2.6 * k, 0)).norm(), 1e-12);
  const double tension = spec.axial_stiffness * (0.04 - spec.slack_strain / 2);
  EXPECT_NEAR(line.load(x).tension_vehicle, tension, 1e-6);
  EXPECT_NEAR(line.load(x).tension_max, tension, 1e-6);
}

TEST(Tether, ASlackNeutralLineAtRestExertsNoForce) {
  TetherSpec spec;
  spec.mass_per_length = displaced_per_length(spec);
  const Line line{Tether(spec), {}, Vec3(5, 3, 4)};
  VectorXd dx;
  const TetherLoad load = line.derivative(0, line.initial(), dx);
  EXPECT_LE(load.vehicle_n.norm(), 1e-13);
  EXPECT_LE(load.anchor_n.norm(), 1e-13);
  EXPECT_LE(dx.norm(), 1e-12);
}

TEST(Tether, DragOnAStraightLineIsMorisonsInAnyDirection) {
  RandomStream random(2, "tether drag");
  for (int repeat = 0; repeat < 100; ++repeat) {
    TetherSpec spec;
    spec.mass_per_length = 0.1;
    const Vec3 axis = repeat == 0   ? Vec3(0, 0, 1)
                      : repeat == 1 ? Vec3(1, 0, 0)
                                    : random_vec3(random, 1).normalized();
    const Vec3 u = repeat < 2 ? Vec3(0, 0.7, 0) : random_vec3(random, 1);
    const Line line{Tether(spec), uniform_current(u), 1.002 * spec.length * axis};
    VectorXd dx;
    const TetherLoad load = line.derivative(0, line.initial(), dx);
    Vec3 sum = load.vehicle_n + load.anchor_n;
    for (int k = 0; k < line.tether.inner_nodes(); ++k)
      sum += 2 * line.tether.end_mass() * dx.segment<3>(6 * k + 3);
    const Vec3 u_t = u.dot(axis) * axis, u_n = u - u_t;
    const Vec3 drag = 500 * spec.diameter * spec.length *
                      (spec.drag_normal * u_n.norm() * u_n + M_PI * spec.drag_tangential * u_t.norm() * u_t);
    const Vec3 weight(0, 0, (spec.mass_per_length - displaced_per_length(spec)) * 9.81 * spec.length);
    EXPECT_LE((sum - drag - weight).norm(), 1e-9 * (1 + drag.norm()));
  }
}

TEST(Tether, ATautLineAcrossACurrentBowsAsAParabola) {
  TetherSpec spec;
  spec.length = 20;
  spec.segments = 20;
  spec.mass_per_length = displaced_per_length(spec);
  for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(0, 0, 1)}) {
    const double U = 0.2, distance = 20.4;
    const Line line{Tether(spec), uniform_current({0, U, 0}), distance * axis};
    const VectorXd x = line.equilibrium(line.initial());
    const TetherLoad load = line.load(x);
    const double q = 500 * spec.drag_normal * spec.diameter * U * U * spec.length / distance;
    const double pull = load.vehicle_n.dot(-axis);
    EXPECT_NEAR(node(x, 9).y(), q * distance * distance / (8 * pull), 2e-3 * node(x, 9).y());
    EXPECT_NEAR(node(x, 4).y(), 0.75 * node(x, 9).y(), 2e-3 * node(x, 9).y());
    EXPECT_NEAR(load.vehicle_n.y(), q * distance / 2, 2e-3 * q * distance);
    EXPECT_NEAR(load.anchor_n.y(), q * distance / 2, 2e-3 * q * distance);
  }
}

TEST(Tether, PullsAlongItsLastSegment) {
  TetherSpec spec;
  spec.mass_per_length = displaced_per_length(spec);
  RandomStream random(3, "tether pull");
  for (int repeat = 0; repeat < 50; ++repeat) {
    const Line line{Tether(spec), {}, random_vec3(random, 1).normalized() * 25.3};
    VectorXd x = line.initial();
    for (int k = 0; k < line.tether.inner_nodes(); ++k) x.segment<3>(6 * k) += random_vec3(random, 0.005);
    const TetherLoad load = line.load(x);
    EXPECT_GT(load.tension_vehicle, 0);
    const Vec3 towards_line = (node(x, line.tether.inner_nodes() - 1) - line.end_n).normalized();
    EXPECT_LE((load.vehicle_n - load.tension_vehicle * towards_line).norm(), 1e-9 * load.tension_vehicle);
  }
}

TEST(Tether, InnerForcesCancel) {
  RandomStream random(4, "tether momentum");
  for (int repeat = 0; repeat < 100; ++repeat) {
    TetherSpec spec;
    spec.mass_per_length = random.uniform(0.01, 0.5);
    spec.drag_normal = spec.drag_tangential = 0;
    CurrentSpec current;
    current.ramp = {Vec3::Zero(), random_vec3(random, 1), -1, 1, RampShape::constant_acceleration};
    const Vec3 a = current.ramp.after_n / 2;
    const Line line{Tether(spec), CurrentField(current), random_vec3(random, 20), random_vec3(random, 1)};
    VectorXd dx;
    const TetherLoad load = line.derivative(0, random_state(line, random, 0.5, 1), dx);
    Vec3 sum = load.vehicle_n + load.anchor_n;
    for (int k = 0; k < line.tether.inner_nodes(); ++k)
      sum += 2 * line.tether.end_mass() * dx.segment<3>(6 * k + 3);
    const double displaced = displaced_per_length(spec) * spec.length;
    const Vec3 outer =
        Vec3(0, 0, line.tether.net_weight() * spec.length) + (1 + spec.added_mass) * displaced * a;
    EXPECT_LE((sum - outer).norm(), 1e-9 * (1 + load.tension_max));
  }
}

/// A segment's tension by strain, and by stretching rate: once differentiable everywhere, never a push.
TEST(Tether, TensionIsSmoothAndNeverPushes) {
  TetherSpec spec;
  spec.segments = 2;
  spec.length = 2;
  spec.slack_strain = 0.01;
  const Tether tether(spec);
  const CurrentField still;
  const auto tension = [&](double strain, double rate) {
    const double x[] = {1, 0, 0, 0, 0, 0};
    double dx[6];
    return tether.derivative(x, {2 + strain, 0, 0}, {rate, 0, 0}, still.at_time(0), dx).tension_vehicle;
  };
  constexpr double h = 1e-7;
  double last_by_strain = 0;
  for (double rate : {-3.0, -0.1, 0.0, 0.1, 3.0}) {
    last_by_strain = 0;
    for (double strain = -0.005; strain < 0.02; strain += 1e-5) {
      const double value = tension(strain, rate);
      ASSERT_GE(value, 0);
      if (strain <= 0) {
        ASSERT_LE(value, 1e-15);
      }
      const double by_strain = (tension(strain + h, rate) - tension(strain - h, rate)) / (2 * h);
      ASSERT_LE(std::abs(by_strain - last_by_strain), 0.05 * spec.axial_stiffness) << strain << ' ' << rate;
      last_by_strain = by_strain;
      const double ahead = tension(strain, h) - tension(strain, 0),
                   behind = tension(strain, 0) - tension(strain, -h);
      ASSERT_LE(std::abs(ahead - behind) / h, 0.01 * std::sqrt(spec.axial_stiffness));
    }
  }
}

TEST(Tether, WrenchHasThePowerOfTheForceAtItsPoint) {
  RandomStream random(7, "tether wrench");
  for (int repeat = 0; repeat < 50; ++repeat) {
    const Quat q_nb = exp_rotation(random_vec3(random, 2));
    Vec6 nu;
    nu << random_vec3(random, 1), random_vec3(random, 1);
    const Vec3 point = random_vec3(random, 1), force = random_vec3(random, 10), p = random_vec3(random, 10);
    const PointMotion motion = point_motion(q_nb, p, nu, point);
    EXPECT_NEAR(point_wrench(q_nb, force, point).dot(nu), force.dot(motion.v_n), 1e-12);
    constexpr double h = 1e-6;
    const Vec3 ahead = p + h * (q_nb * nu.head<3>()) + q_nb * exp_rotation(h * nu.tail<3>()) * point;
    EXPECT_LE(((ahead - motion.p_n) / h - motion.v_n).norm(), 1e-5);
  }
}

TEST(Tether, RefusesWhatIsNoLine) {
  const auto text = [](const auto& change) {
    TetherSpec spec;
    change(spec);
    return fathom::test::error_text([&] { Tether{spec}; });
  };
  EXPECT_NE(text([](TetherSpec& s) { s.length = 0; }).find("length = 0, must be positive"), std::string::npos);
  EXPECT_NE(text([](TetherSpec& s) { s.diameter = 7.6; }).find("m, not mm?"), std::string::npos);
  EXPECT_NE(text([](TetherSpec& s) { s.segments = 1; }).find("segments = 1, must be 2 to 10000"),
            std::string::npos);
  EXPECT_NE(text([](TetherSpec& s) { s.axial_stiffness = -1; }).find("axial_stiffness = -1"),
            std::string::npos);
  EXPECT_NE(text([](TetherSpec& s) { s.damping_ratio = 2; }).find("damping_ratio = 2"), std::string::npos);
  EXPECT_NE(text([](TetherSpec& s) { s.anchor_n.x() = std::nan(""); }).find("anchor_n"), std::string::npos);
  EXPECT_NE(text([](TetherSpec& s) { s.mass_per_length = 0; }).find("mass_per_length"), std::string::npos);
  EXPECT_NE(text([](TetherSpec& s) { s.slack_strain = 0; }).find("slack_strain"), std::string::npos);
  std::vector<double> x(5);
  EXPECT_NE(fathom::test::error_text([&] {
              Tether(TetherSpec{}).initial(x, Vec3::Zero());
            }).find("10 segments need 54"),
            std::string::npos);
}

}  // namespace
}  // namespace fathom::simulate::tether_test
