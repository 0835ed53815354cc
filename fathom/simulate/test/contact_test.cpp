// Walls, floor and surface: closed forms of one impact, energy, geometry by support functions, Archimedes' law.
#include "fathom/simulate/contact.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::simulate {
namespace {

using dynamics::State;
using dynamics::Vehicle;
namespace robots = dynamics::test;

constexpr Wall all_walls[] = {Wall::north, Wall::south, Wall::east, Wall::west, Wall::floor};

/// A box of 0.4 x 0.3 x 0.2 m that weighs `mass` and displaces 12 litres.
model::Robot box(double mass, const Vec3& centre = Vec3::Zero(), double drag = 0) {
  model::RobotSpec spec;
  spec.name = "box";
  spec.hull.mass.value = mass;
  spec.hull.volume.value = 0.012;
  spec.hull.inertia.value = Vec3(0.13, 0.2, 0.25).asDiagonal();
  spec.hull.centre_of_mass.value = spec.hull.centre_of_buoyancy.value = centre;
  spec.hull.added_mass.value.topLeftCorner<3, 3>() = Vec3(5, 7, 12).asDiagonal();
  spec.hull.added_mass.value.bottomRightCorner<3, 3>() = 0.1 * Mat3::Identity();
  spec.hull.size.emplace().value = {0.4, 0.3, 0.2};
  model::DragElement element;
  element.name = "hull";
  element.linear.value = drag * Mat6::Identity();
  spec.damping.push_back(element);
  return model::Robot::make_unchecked(spec);
}

Tank pool() { return {{-3, -2, 0}, {3, 2, 4}}; }

/// Classical Runge-Kutta with the wrench asked for at each stage, as a simulator does.
State step(const Vehicle& vehicle, const Contact& contact, const State& state, double h) {
  struct Rate {
    Eigen::Vector4d q;
    Vec3 p;
    Vec6 nu;
  };
  const auto rate = [&](const State& s) -> Rate {
    return {quaternion_rate(s.q_nb, s.nu_b.tail<3>()), s.q_nb.normalized() * s.nu_b.head<3>(),
            dynamics::forward_dynamics(vehicle, s, contact.load(s).wrench_b())};
  };
  const auto go = [&](const Rate& r, double dt) {
    State next;
    next.q_nb.coeffs() = state.q_nb.coeffs() + dt * r.q;
    next.q_nb.normalize();
    next.p_nb_n = state.p_nb_n + dt * r.p;
    next.nu_b = state.nu_b + dt * r.nu;
    return next;
  };
  const Rate k1 = rate(state), k2 = rate(go(k1, h / 2)), k3 = rate(go(k2, h / 2)), k4 = rate(go(k3, h));
  return go({(k1.q + 2 * (k2.q + k3.q) + k4.q) / 6, (k1.p + 2 * (k2.p + k3.p) + k4.p) / 6,
             (k1.nu + 2 * (k2.nu + k3.nu) + k4.nu) / 6},
            h);
}

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

TEST(Contact, penetration_is_that_of_the_farthest_corner_of_a_turned_box) {
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

TEST(Contact, walls_push_inwards_and_nothing_acts_in_open_water) {
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
TEST(Contact, wrench_takes_energy_or_is_the_gradient_of_what_is_stored) {
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

TEST(Contact, one_impact_has_the_restitution_and_depth_of_the_closed_form) {
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

TEST(Contact, restitution_falls_with_speed_and_damping) {
  for (double speed = 0.01; speed < 3; speed *= 1.5) {
    EXPECT_LT(restitution_of_damping(7, 1.5 * speed), restitution_of_damping(7, speed));
    EXPECT_LT(restitution_of_damping(10, speed), restitution_of_damping(7, speed));
    for (const double e : {0.1, 0.5, 0.99}) {
      EXPECT_NEAR(restitution_of_damping(damping_of_restitution(e, speed), speed), e, 1e-9);
    }
  }
}

TEST(Contact, resting_on_the_floor_carries_the_net_weight) {
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

TEST(Contact, friction_is_coulombs_above_its_speed_and_never_reverses) {
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

TEST_P(ContactOfRobots, energy_never_grows_in_a_tank) {
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

TEST_P(ContactOfRobots, impacts_are_stable_at_the_stable_step_and_shallow_at_0_3_metres_per_second) {
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

TEST(Surface, emerged_volume_and_its_centroid_agree_with_counting) {
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
    double share = 0;
    Vec3 moment = Vec3::Zero();
    for (int i = 0; i < n * n * n; ++i) {
      const Vec3 cell((i % n + 0.5) / n - 0.5, (i / n % n + 0.5) / n - 0.5, (i / n / n + 0.5) / n - 0.5);
      const Vec3 r = centre + cell.cwiseProduct(size);
      if ((state.p_nb_n + state.q_nb * r).z() >= 0) continue;
      share += 1.0 / (n * n * n);
      moment += r / (n * n * n);
    }
    const Vec3 down_b = state.q_nb.conjugate() * Vec3::UnitZ();
    const ContactLoad load = contact.load(state);
    const double grain = repeat == 0 ? 1.0 / n : 0.003;
    EXPECT_NEAR(load.emerged, share, grain);
    EXPECT_LE((load.lost_buoyancy_b.head<3>() - buoyancy * load.emerged * down_b).norm(), 1e-9);
    EXPECT_LE((load.lost_buoyancy_b.tail<3>() - buoyancy * moment.cross(down_b)).norm(),
              buoyancy * 0.4 * grain);
  }
}

TEST(Surface, a_level_box_floats_with_the_draught_of_archimedes) {
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

TEST(Surface, a_floating_box_bobs_with_the_frequency_of_its_waterplane) {
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

TEST(Surface, rolling_stiffness_is_the_metacentric_one) {
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

TEST(Surface, out_of_the_water_all_buoyancy_is_lost_and_deep_below_none) {
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

TEST(ContactMonitor, tells_each_bounce_once_with_time_speed_and_depth) {
  const model::Robot robot = box(12.6);  // 0.6 kg heavy, no drag: it bounces
  const Vehicle vehicle(robot);
  ContactSpec spec;
  spec.restitution = 0.9;
  const Contact contact(robot, vehicle, pool(), spec);
  ContactMonitor monitor;
  State state;
  state.p_nb_n.z() = 3.5;
  const double mass = vehicle.M()(2, 2), g = 0.6 * 9.81 / mass;
  std::vector<ContactEvent> events;
  const double h = 0.002;
  for (int k = 0; k <= 5000; ++k) {
    for (const ContactEvent& event : monitor.update(k * h, contact.load(state))) events.push_back(event);
    state = step(vehicle, contact, state, h);
  }
  ASSERT_GE(events.size(), 4u);
  EXPECT_TRUE(events[0].begins);
  EXPECT_EQ(events[0].wall, Wall::floor);
  EXPECT_NEAR(events[0].time, std::sqrt(2 * 0.4 / g), h / 4);
  EXPECT_NEAR(events[0].speed, std::sqrt(2 * 0.4 * g), 2 * g * h);
  for (std::size_t k = 0; k < events.size(); ++k) {
    EXPECT_EQ(events[k].begins, k % 2 == 0);
    if (k % 2 == 0) continue;
    EXPECT_EQ(events[k].began, events[k - 1].time);
    EXPECT_EQ(events[k].speed, events[k - 1].speed);
    EXPECT_GT(events[k].time, events[k].began);
    const double x = contact.damping() * events[k].speed;
    const double work = (x - std::log1p(x)) / std::pow(contact.damping(), 2);
    EXPECT_NEAR(events[k].peak, std::pow(2.5 * mass * work / (4 * contact.stiffness()), 0.4),
                0.03 * events[k].peak);
    if (k >= 3) {
      const double expected =
          restitution_of_damping(contact.damping(), events[k - 2].speed) * events[k - 2].speed;
      EXPECT_NEAR(events[k].speed, expected, 0.02 * expected);
    }
  }
}

ContactLoad load_with(Wall wall, double penetration, double speed = 0) {
  ContactLoad load;
  load.walls[static_cast<std::size_t>(wall)] = {penetration, speed};
  return load;
}

TEST(ContactMonitor, a_graze_is_one_event) {
  ContactMonitor monitor(0.005);
  int count = 0;
  for (int k = 0; k < 1000; ++k)  // in and out by 2 mm, less than the release
    count += static_cast<int>(monitor.update(0.01 * k, load_with(Wall::east, 0.002 * std::sin(k))).size());
  EXPECT_EQ(count, 1);
  EXPECT_TRUE(monitor.touching(Wall::east));
  EXPECT_FALSE(monitor.touching(Wall::west));
  const auto events = monitor.update(11, load_with(Wall::east, -0.01));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_FALSE(events[0].begins);
  EXPECT_NEAR(events[0].peak, 0.002, 1e-5);
  EXPECT_FALSE(monitor.touching(Wall::east));
  EXPECT_TRUE(monitor.update(12, load_with(Wall::east, -0.01)).empty());
}

TEST(ContactMonitor, times_are_between_the_steps_and_walls_are_apart) {
  ContactMonitor monitor(0);
  EXPECT_TRUE(monitor.update(0, load_with(Wall::north, -0.3, 0.4)).empty());
  ContactLoad both = load_with(Wall::north, 0.1, 0.3);
  both.walls[static_cast<std::size_t>(Wall::surface)] = {0.02, 0.5};
  const auto events = monitor.update(1, both);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].wall, Wall::north);
  EXPECT_NEAR(events[0].time, 0.75, 1e-12);
  EXPECT_EQ(events[0].speed, 0.4);  // before the wall slowed it down
  EXPECT_EQ(events[1].wall, Wall::surface);
  EXPECT_EQ(events[1].time, 1);  // from nowhere: nothing to interpolate
  EXPECT_EQ(events[1].speed, 0.5);
  EXPECT_EQ(to_string(events[1].wall), "surface");
}

TEST(ContactMonitor, sees_a_floating_robot_come_up_and_dive) {
  const model::Robot robot = box(11, Vec3::Zero(), 300);  // overdamped: it does not dive again by itself
  const Vehicle vehicle(robot);
  const Contact contact(robot, vehicle, Tank{});
  ContactMonitor monitor;
  State state;
  state.p_nb_n.z() = 0.3;
  std::vector<ContactEvent> events;
  for (int k = 0; k < 3000; ++k) {
    for (const ContactEvent& event : monitor.update(0.01 * k, contact.load(state))) events.push_back(event);
    state = step(vehicle, contact, state, 0.01);
  }
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].wall, Wall::surface);
  EXPECT_TRUE(events[0].begins);
  state.p_nb_n.z() = 2;
  EXPECT_EQ(monitor.update(31, contact.load(state)).size(), 1u);
}

TEST(Contact, without_size_is_a_ball_of_the_hulls_volume) {
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

TEST(Contact, refuses_a_tank_that_is_none) {
  const model::Robot robot = box(12);
  const auto text = [&](const auto& change) {
    Tank tank = pool();
    ContactSpec spec;
    change(tank, spec);
    return test::error_text([&] { Contact(robot, Vehicle(robot), tank, spec); });
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
  EXPECT_NE(test::error_text([] { ContactMonitor(-1); }).find("release = -1"), std::string::npos);
}

}  // namespace
}  // namespace fathom::simulate
