// The surface: Archimedes' law, floating, what is out of the water.
#include <cmath>

#include <gtest/gtest.h>

#include "fathom/dynamics/test/robots.hpp"
#include "fathom/simulate/contact.hpp"
#include "fathom/simulate/test/boxes.hpp"

namespace fathom::simulate::surface_test {
namespace {

using dynamics::State;
using dynamics::Vehicle;
using test::box;
using test::step;
namespace robots = dynamics::test;

TEST(Surface, EmergedVolumeAndItsCentroidAgreeWithCounting) {
  RandomStream random(5, "surface volume");
  const Vec3 centre(0.05, -0.02, 0.03), size(0.4, 0.3, 0.2);
  const model::Robot robot = box(12, centre);
  ContactSpec spec;
  spec.ripple = 1e-4;
  const Contact contact(robot, Vehicle(robot), Tank{}, spec);
  const double buoyancy = 12 * 9.81;
  constexpr int n = 60;
  for (int repeat = 0; repeat < 25; ++repeat) {
    State state = robots::random_state(random);
    if (repeat == 0) state.q_nb.setIdentity();
    state.p_nb_n = {1, 2, random.uniform(-0.2, 0.2)};
    const Vec3 down_b = state.q_nb.conjugate() * Vec3::UnitZ();
    double share = 0, x = 0, y = 0, z = 0;
    // Plain numbers: under the sanitizers a test is not optimised.
    const double depth = state.p_nb_n.z(), down[] = {down_b.x(), down_b.y(), down_b.z()};
    const double c[] = {centre.x(), centre.y(), centre.z()}, s[] = {size.x(), size.y(), size.z()};
    for (int i = 0; i < n * n * n; ++i) {
      const double r[] = {c[0] + ((i % n + 0.5) / n - 0.5) * s[0], c[1] + ((i / n % n + 0.5) / n - 0.5) * s[1],
                          c[2] + ((i / n / n + 0.5) / n - 0.5) * s[2]};
      if (depth + down[0] * r[0] + down[1] * r[1] + down[2] * r[2] >= 0) continue;
      share += 1, x += r[0], y += r[1], z += r[2];
    }
    share /= n * n * n;
    const Vec3 moment = Vec3(x, y, z) / (n * n * n);
    const ContactLoad load = contact.load(state);
    const double grain = repeat == 0 ? 1.0 / n : 0.003;
    EXPECT_NEAR(load.emerged, share, grain);
    EXPECT_LE((load.lost_buoyancy_b.head<3>() - buoyancy * load.emerged * down_b).norm(), 1e-9);
    EXPECT_LE((load.lost_buoyancy_b.tail<3>() - buoyancy * moment.cross(down_b)).norm(),
              buoyancy * 0.4 * grain);
  }
}

TEST(Surface, ALevelBoxFloatsWithTheDraughtOfArchimedes) {
  for (const double mass : {3.0, 6.0, 10.0}) {
    const model::Robot robot = box(mass, Vec3::Zero(), 30);
    const Vehicle vehicle(robot);
    const Contact contact(robot, vehicle, Tank{});
    State state;
    state.p_nb_n.z() = 0.3;
    for (int k = 0; k < 4000; ++k) state = step(vehicle, contact, state, 0.01);
    const double draught = state.p_nb_n.z() + 0.1;        // of the bottom face
    EXPECT_NEAR(draught, 0.2 * mass / 12, 1e-6) << mass;  // hull volume spread evenly over the box
    EXPECT_NEAR(contact.load(state).emerged, 1 - mass / 12, 1e-6);
  }
}

TEST(Surface, AFloatingBoxBobsWithTheFrequencyOfItsWaterplane) {
  const model::Robot robot = box(6);
  const Vehicle vehicle(robot);
  const Contact contact(robot, vehicle, Tank{});
  State state;
  state.p_nb_n.z() = 0.02;  // 2 cm deeper than its draught of 0.1 m
  const double omega = std::sqrt(12 * 9.81 / 0.2 / vehicle.M()(2, 2)), h = 1e-3;
  for (int k = 1; k <= 5000; ++k) {
    state = step(vehicle, contact, state, h);
    ASSERT_NEAR(state.p_nb_n.z(), 0.02 * std::cos(omega * k * h), 1e-6);
  }
}

TEST(Surface, RollingStiffnessIsTheMetacentricOne) {
  const model::Robot robot = box(6);  // both centres in the middle; half of it out
  const Contact contact(robot, Vehicle(robot), Tank{});
  State state;
  constexpr double roll = 1e-3;
  state.q_nb = exp_rotation(Vec3(roll, 0, 0));
  // About the middle: buoyancy of the immersed half acts at KB = -H/4, BM = I/V = B^2 / (12 draught), G in the
  // middle.
  const double draught = 0.1, gm = -draught / 2 + 0.3 * 0.3 / (12 * draught);
  const Vec6 wrench = contact.load(state).lost_buoyancy_b;  // full buoyancy acts in the middle: no moment
  EXPECT_NEAR(wrench[3], -6 * 9.81 * gm * roll, 5e-3 * 6 * 9.81 * gm * roll);
}

TEST(Surface, OutOfTheWaterAllBuoyancyIsLostAndDeepBelowNone) {
  RandomStream random(6, "surface far");
  for (const auto& [name, robot] : robots::all_robots()) {
    const Vehicle vehicle(robot);
    const Contact contact(robot, vehicle, Tank{});
    State state = robots::random_state(random);
    state.p_nb_n.z() = 20;
    EXPECT_TRUE(contact.load(state).wrench_b().isZero(0)) << name;
    state.p_nb_n.z() = -20;
    const ContactLoad load = contact.load(state);
    EXPECT_DOUBLE_EQ(load.emerged, 1);
    const Vec3 g_b = state.q_nb.conjugate() * vehicle.environment().gravity_n();
    Vec6 dry;  // only the weight is left
    dry << robot.hull().mass.value * g_b,
        robot.hull().centre_of_mass.value.cross(Vec3(robot.hull().mass.value * g_b));
    EXPECT_LE((vehicle.hydrostatic() * g_b + load.lost_buoyancy_b - dry).norm(), 1e-9 * dry.norm()) << name;
  }
}

}  // namespace
}  // namespace fathom::simulate::surface_test
