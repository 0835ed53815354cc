// Events of walls, floor and surface.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "fathom/simulate/contact.hpp"
#include "fathom/simulate/test/boxes.hpp"

namespace fathom::simulate::contact_monitor_test {
namespace {

using dynamics::State;
using dynamics::Vehicle;
using test::box;
using test::pool;
using test::restitution_of_damping;
using test::step;

TEST(ContactMonitor, TellsEachBounceOnceWithTimeSpeedAndDepth) {
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

TEST(ContactMonitor, AGrazeIsOneEvent) {
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

TEST(ContactMonitor, TimesAreBetweenTheStepsAndWallsAreApart) {
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

TEST(ContactMonitor, SeesAFloatingRobotComeUpAndDive) {
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

}  // namespace
}  // namespace fathom::simulate::contact_monitor_test
