#pragma once
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::dynamics::test {

struct NamedRobot {
  std::string name;
  model::Robot robot;
};

/// What GoogleTest prints of a robot, instead of its bytes.
inline void PrintTo(const NamedRobot& robot, std::ostream* out) { *out << robot.name; }

/// Every robot file that ships, and random robots with a full M, an offset origin, coupled damping and
/// displaced drag elements. The laws of physics are written once and hold for all of them (HABITS 5).
const std::vector<NamedRobot>& all_robots();

/// One of them by its name.
const model::Robot& robot_named(const std::string& name);

/// A robot that no engineer would build, but nature would allow.
model::Robot random_robot(std::uint64_t seed);

/// The same robot without damping, gravity and buoyancy: volume so that it floats, both centres in one point.
model::Robot without_drag_and_weight(const model::Robot& robot, const model::Environment& environment);

/// The same robot without quadratic drag of displaced elements, which no structure holds.
model::Robot without_displaced_quadratic_drag(const model::Robot& robot);

/// States at rest, nearly at rest, and random.
std::vector<State> test_states(RandomStream& random);
std::string case_name(const testing::TestParamInfo<NamedRobot>& info);
State random_state(RandomStream& random, double speed = 1);
Vec6 random_vec6(RandomStream& random, double size = 1);
Vec3 random_vec3(RandomStream& random, double size = 1);

}  // namespace fathom::dynamics::test
