// Walls and floor: closed forms of one impact, energy, geometry by support functions.
#include "fathom/simulate/contact.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/simulate/test/boxes.hpp"

namespace fathom::simulate::contact_test {
namespace {

using dynamics::State;
using dynamics::Vehicle;
using test::box;
using test::pool;
using test::restitution_of_damping;
using test::step;
namespace robots = dynamics::test;

constexpr Wall all_walls[] = {Wall::north, Wall::south, Wall::east, Wall::west, Wall::floor};

double energy(const Vehicle& vehicle, const Contact& contact, const State& state) {
  return dynamics::kinetic_energy(vehicle, state.nu_b) + dynamics::potential_energy(vehicle, state) +
         contact.energy(state);
}

State random_state_in(const Tank& tank, RandomStream& random, double margin) {
  State state = robots::random_state(random);
  for (int i = 0; i < 3; ++i) {
    const double low = i == 2 ? 0 : tank.min_n[i];
    state.p_nb_n[i] = random.uniform(low - margin, tank.max_n[i] + margin);
  }
  return state;
}

TEST(Contact, PenetrationIsThatOfTheFarthestCornerOfATurnedBox) {
  RandomStream random(1, "contact corners");
  const Vec3 centre(0.05, -0.02, 0.03);
  const model::Robot robot = box(12, centre);
  const Contact contact(robot, Vehicle(robot), pool());
  for (int repeat = 0; repeat < 300; ++repeat) {
    const State state = random_state_in(pool(), random, 0.3);
    const Mat3 R = state.q_nb.toRotationMatrix();
    const Vec3 c = state.p_nb_n + R * centre;
    const Vec3 reach = R.cwiseAbs() * Vec3(0.2, 0.15, 0.1);  // how far a box reaches along an axis
    const ContactLoad load = contact.load(state);
    EXPECT_NEAR(load.at(Wall::north).penetration, c.x() + reach.x() - 3, 1e-12);
    EXPECT_NEAR(load.at(Wall::south).penetration, -3 - (c.x() - reach.x()), 1e-12);
    EXPECT_NEAR(load.at(Wall::east).penetration, c.y() + reach.y() - 2, 1e-12);
    EXPECT_NEAR(load.at(Wall::west).penetration, -2 - (c.y() - reach.y()), 1e-12);
    EXPECT_NEAR(load.at(Wall::floor).penetration, c.z() + reach.z() - 4, 1e-12);
    EXPECT_NEAR(load.at(Wall::surface).penetration, -(c.z() - reach.z()), 1e-12);

    State later = state;
    constexpr double h = 1e-7;
    later.p_nb_n += h * (state.q_nb * state.nu_b.head<3>());
    later.q_nb = state.q_nb * exp_rotation(h * state.nu_b.tail<3>());
    const ContactLoad next = contact.load(later);
    for (std::size_t k = 0; k < wall_count; ++k)
      EXPECT_NEAR((next.walls[k].penetration - load.walls[k].penetration) / h, load.walls[k].speed, 1e-5);
  }
}

TEST(Contact, WallsPushInwardsAndNothingActsInOpenWater) {
  const model::Robot robot = box(12);
  const Contact contact(robot, Vehicle(robot), pool());
  const Vec3 inside(0, 0, 2);
  State state;
  state.p_nb_n = inside;
  EXPECT_TRUE(contact.load(state).wrench_b().isZero(0));
  const Vec3 outside[] = {{2.81, 0, 2}, {-2.81, 0, 2}, {0, 1.86, 2}, {0, -1.86, 2}, {0, 0, 3.91}};
  const Vec3 inwards[] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}};
  for (std::size_t k = 0; k < 5; ++k) {
    state.p_nb_n = outside[k];
    const Vec6 wrench = contact.load(state).contact_b;
    EXPECT_LE((wrench.head<3>() - 4 * contact.stiffness() * 0.001 * inwards[k]).norm(), 1e-9) << k;  // 0.01^1.5
    EXPECT_LE(wrench.tail<3>().norm(), 1e-9) << k;
    EXPECT_GT(contact.load(state).at(all_walls[k]).penetration, 0) << k;
  }
  const Contact open(robot, Vehicle(robot), Tank{});
  state.p_nb_n = {1e6, -1e6, 1e5};
  EXPECT_TRUE(open.load(state).wrench_b().isZero(0));
}

/// Wrench against stored energy: no more power than the store gives, and exactly that without damping and
/// friction.
TEST(Contact, WrenchTakesEnergyOrIsTheGradientOfWhatIsStored) {
  RandomStream random(2, "contact power");
  const model::Robot with_size = box(12, Vec3(0.05, -0.02, 0.03));
  model::RobotSpec ball_spec = with_size.spec();
  ball_spec.hull.size.reset();
  for (const model::Robot& robot : {with_size, model::Robot::make_unchecked(ball_spec)}) {
    for (const bool lossless : {true, false}) {
      ContactSpec spec;
      if (lossless) {
        spec.restitution = 1;
        spec.friction = 0;
      }
      const Contact contact(robot, Vehicle(robot), pool(), spec);
      double most_lost = 0;
      for (int repeat = 0; repeat < 2000; ++repeat) {
        const State state = random_state_in(pool(), random, 0.05);
        const auto along = [&](double h) {
          State moved = state;  // a screw about the body origin, to second order in h
          moved.q_nb = state.q_nb * exp_rotation(h * state.nu_b.tail<3>());
          moved.p_nb_n += h * (state.q_nb * state.nu_b.head<3>());
          return contact.energy(moved);
        };
        constexpr double h = 1e-6;
        const double stored = (along(h) - along(-h)) / (2 * h);
        const double given = contact.load(state).wrench_b().dot(state.nu_b);
        const double tolerance = 1e-4 * (1 + std::abs(stored));
        if (lossless) {
          EXPECT_NEAR(given, -stored, tolerance);
        } else {
          EXPECT_LE(given, -stored + tolerance);
        }
        most_lost = std::max(most_lost, -stored - given);
      }
      EXPECT_EQ(most_lost > 1, !lossless);
    }
  }
}

TEST(Contact, OneImpactHasTheRestitutionAndDepthOfTheClosedForm) {
  const model::Robot robot = box(12);  // neutral, no drag
  const Vehicle vehicle(robot);
  const double mass = vehicle.M()(2, 2);
  for (const double restitution : {0.2, 0.5, 0.9, 1.0}) {
    ContactSpec spec;
    spec.restitution = restitution;
    const Contact contact(robot, vehicle, pool(), spec);
    EXPECT_NEAR(restitution_of_damping(contact.damping(), spec.design_speed), restitution, 1e-9);
    for (const double speed : {0.05, 0.3, 1.0}) {
      State state;
      state.p_nb_n.z() = 3.9 - 1e-4;
      state.nu_b[2] = speed;
      double deepest = 0;
      const double h = std::min(1e-4, 0.02 * contact.stable_step(speed));
      for (int k = 0;
           k < 200000 && (k < 10 || contact.load(state).at(Wall::floor).penetration > 0 || state.nu_b[2] > 0);
           ++k) {
        state = step(vehicle, contact, state, h);
        deepest = std::max(deepest, contact.load(state).at(Wall::floor).penetration);
      }
      EXPECT_NEAR(-state.nu_b[2] / speed, restitution_of_damping(contact.damping(), speed), 1e-4);
      const double x = contact.damping() * speed;
      const double work = x > 0 ? (x - std::log1p(x)) / std::pow(contact.damping(), 2) : speed * speed / 2;
      EXPECT_NEAR(deepest, std::pow(2.5 * mass * work / (4 * contact.stiffness()), 0.4), 2e-5);
    }
  }
}

TEST(Contact, RestitutionFallsWithSpeedAndDamping) {
  for (double speed = 0.01; speed < 3; speed *= 1.5) {
    EXPECT_LT(restitution_of_damping(7, 1.5 * speed), restitution_of_damping(7, speed));
    EXPECT_LT(restitution_of_damping(10, speed), restitution_of_damping(7, speed));
    for (const double e : {0.1, 0.5, 0.99}) {
      EXPECT_NEAR(restitution_of_damping(damping_of_restitution(e, speed), speed), e, 1e-9);
    }
  }
}

TEST(Contact, RestingOnTheFloorCarriesTheNetWeight) {
  const model::Robot robot = box(15, Vec3::Zero(), 20);  // 3 kg heavy
  const Vehicle vehicle(robot);
  const Contact contact(robot, vehicle, pool());
  State state;
  state.p_nb_n.z() = 3.85;
  for (int k = 0; k < 3000; ++k) state = step(vehicle, contact, state, 0.01);
  const double weight = 3 * 9.81;
  EXPECT_NEAR(contact.load(state).at(Wall::floor).penetration,
              std::pow(weight / (4 * contact.stiffness()), 2.0 / 3), 1e-8);
  EXPECT_NEAR(contact.load(state).contact_b[2], -weight, 1e-4);
  EXPECT_LE(state.nu_b.norm(), 1e-6);
}

TEST(Contact, FrictionIsCoulombsAboveItsSpeedAndNeverReverses) {
  const model::Robot robot = box(15);
  const Contact contact(robot, Vehicle(robot), pool());
  State state;
  state.p_nb_n.z() = 3.905;
  for (const double slip : {0.001, 0.05, 1.0, 10.0}) {
    state.nu_b << 0.6 * slip, -0.8 * slip, 0, 0, 0, 0;
    const Vec6 wrench = contact.load(state).contact_b;
    const double share = slip / std::hypot(slip, 0.1);
    EXPECT_NEAR(wrench[0], 0.6 * share * 0.2 * wrench[2], 1e-9 * std::abs(wrench[2]));
    EXPECT_NEAR(wrench[1], -0.8 * share * 0.2 * wrench[2], 1e-9 * std::abs(wrench[2]));
  }
}

class ContactOfRobots : public testing::TestWithParam<robots::NamedRobot> {};

TEST_P(ContactOfRobots, EnergyNeverGrowsInATank) {
  const Vehicle vehicle(GetParam().robot);
  const Contact contact(GetParam().robot, vehicle, pool());
  RandomStream random(3, GetParam().name);
  State state = random_state_in(pool(), random, -1);
  state.nu_b *= 0.5;
  double last = energy(vehicle, contact, state);
  const double scale = 1 + std::abs(last);
  for (int k = 0; k < 6000; ++k) {
    // Pushed around between the steps, which is not counted.
    if (k % 500 == 0) {
      state.nu_b.head<3>() = robots::random_vec3(random, 0.6);
      last = energy(vehicle, contact, state);
    }
    state = step(vehicle, contact, state, 5e-4);
    const double now = energy(vehicle, contact, state);
    ASSERT_LE(now, last + 1e-6 * scale) << "step " << k;
    last = now;
  }
}

TEST_P(ContactOfRobots, ImpactsAreStableAtTheStableStepAndShallowAt03MetresPerSecond) {
  // Without weight and drag, so that nothing but the wall acts.
  const Vehicle vehicle(robots::without_drag_and_weight(GetParam().robot, model::Environment()));
  const Contact contact(GetParam().robot, vehicle, pool());
  if (GetParam().robot.hull().size) {
    EXPECT_GT(contact.stable_step(0.3), 0.01);  // robots that somebody built
  }
  RandomStream random(4, GetParam().name);
  for (const double speed : {0.3, 1.0}) {
    const double h = std::min(0.01, contact.stable_step(speed));
    for (int repeat = 0; repeat < 40; ++repeat) {
      const auto k_wall = static_cast<std::size_t>(repeat % 5);
      const Wall wall = all_walls[k_wall];
      State state;
      if (repeat >= 5) state.q_nb = robots::random_state(random).q_nb;
      state.p_nb_n = {0, 0, 2};
      Vec3 towards = Vec3::Zero();
      towards[static_cast<Eigen::Index>(k_wall / 2)] = wall == Wall::south || wall == Wall::west ? -1 : 1;
      state.p_nb_n += (-contact.load(state).at(wall).penetration - 0.02) * towards;
      state.nu_b.head<3>() = state.q_nb.conjugate() * (speed * towards);
      const double before = energy(vehicle, contact, state);
      double deepest = 0;
      for (double t = 0; t < 0.3; t += h) {
        state = step(vehicle, contact, state, h);
        deepest = std::max(deepest, contact.load(state).at(wall).penetration);
      }
      EXPECT_GT(deepest, 0);
      EXPECT_LT(deepest, speed == 0.3 ? 0.01 : 0.04) << to_string(wall);
      EXPECT_LE(energy(vehicle, contact, state), before * 1.001) << to_string(wall) << " at " << speed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllRobots, ContactOfRobots, testing::ValuesIn(robots::all_robots()),
                         robots::case_name);

TEST(Contact, WithoutSizeIsABallOfTheHullsVolume) {
  model::RobotSpec spec = box(12, Vec3(0.1, 0, 0)).spec();
  spec.hull.size.reset();
  const model::Robot robot = model::Robot::make_unchecked(spec);
  const Vehicle vehicle(robot);
  const Contact contact(robot, vehicle, pool());
  const double r = contact.shape().radius;
  EXPECT_NEAR(4.0 / 3 * M_PI * r * r * r, 0.012, 1e-12);
  State state;
  state.p_nb_n = {0, 0, 4 - r + 0.004};
  const ContactLoad load = contact.load(state);
  EXPECT_NEAR(load.at(Wall::floor).penetration, 0.004, 1e-12);
  EXPECT_NEAR(load.contact_b[2], -contact.stiffness() * std::pow(0.004, 1.5), 1e-6);
  EXPECT_NEAR(load.contact_b[4], -0.1 * load.contact_b[2], 1e-6);  // r x F with r = 0.1 m forward
  state.p_nb_n = {0, 0, 0};
  EXPECT_NEAR(contact.load(state).emerged, 0.5, 1e-12);
}

TEST(Contact, RefusesATankThatIsNone) {
  const model::Robot robot = box(12);
  const auto text = [&](const auto& change) {
    Tank tank = pool();
    ContactSpec spec;
    change(tank, spec);
    return fathom::test::error_text([&] { Contact(robot, Vehicle(robot), tank, spec); });
  };
  EXPECT_NE(text([](Tank& t, ContactSpec&) { t.max_n.x() = -4; }).find("must have some width"),
            std::string::npos);
  EXPECT_NE(text([](Tank& t, ContactSpec&) { t.max_n.z() = -4; }).find("z is depth"), std::string::npos);
  EXPECT_NE(text([](Tank& t, ContactSpec&) { t.min_n.z() = 1; }).find("begins at the surface"),
            std::string::npos);
  EXPECT_NE(text([](Tank& t, ContactSpec&) { t.min_n.y() = std::nan(""); }).find("tank"), std::string::npos);
  EXPECT_NE(text([](Tank&, ContactSpec& s) { s.restitution = 0; }).find("restitution = 0"), std::string::npos);
  EXPECT_NE(text([](Tank&, ContactSpec& s) { s.stiffness = -1; }).find("stiffness = -1"), std::string::npos);
  EXPECT_NE(text([](Tank&, ContactSpec& s) { s.friction = -1; }).find("friction = -1"), std::string::npos);
  EXPECT_NE(fathom::test::error_text([] { ContactMonitor(-1); }).find("release = -1"), std::string::npos);
}

}  // namespace
}  // namespace fathom::simulate::contact_test
