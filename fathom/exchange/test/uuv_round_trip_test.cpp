#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/exchange/internal/drag_at_origin.hpp"
#include "fathom/exchange/internal/uuv_conversion.hpp"
#include "fathom/exchange/test/round_trip.hpp"

namespace fathom::exchange::uuv_round_trip_test {
namespace {

using test::expect_same;
using test::many_robots;

constexpr double density = 1025;

Imported there_and_back(const model::Robot& robot) {
  const fathom::test::TemporaryFolder folder;
  const ExportOptions sea{model::Environment(density)};
  return import_model(write_exported(export_robot(robot, Format::uuv_simulator, sea), folder.path()).front());
}

void expect_same_hull(const model::Hull& back, const model::Hull& hull) {
  // Signs alone change: the same bits.
  EXPECT_EQ(back.mass.value, hull.mass.value);
  expect_same(back.inertia.value, hull.inertia.value, "inertia");  // a file has one triangle
  EXPECT_EQ(back.centre_of_mass.value, hull.centre_of_mass.value);
  EXPECT_EQ(back.volume.value, hull.volume.value);
  EXPECT_EQ(back.centre_of_buoyancy.value, hull.centre_of_buoyancy.value);
  EXPECT_EQ(back.added_mass.value, hull.added_mass.value);
  ASSERT_EQ(back.size.has_value(), hull.size.has_value());
  if (hull.size) {
    EXPECT_EQ(back.size->value, hull.size->value);
  }
}

/// The force of a command, of the table or the propeller that comes back.
double force(const model::Thruster& thruster, double command) {
  if (!thruster.map) return command;
  if (const auto* propeller = std::get_if<model::Propeller>(&thruster.map->law))
    return propeller_thrust(thrust_sides(*propeller, density),
                            shaft_speed_of_command(*propeller, thruster.map->command, command), 0);
  return force_of_command(*thruster.map, command, 1);
}

void expect_same_thruster(const model::Thruster& back, const model::Thruster& thruster) {
  EXPECT_EQ(back.name, thruster.name);
  EXPECT_EQ(back.position_b.value, thruster.position_b.value);
  expect_same(back.direction_b.value, thruster.axis_b(), "direction");
  const auto range = internal::force_range(thruster, density);
  ASSERT_EQ(back.force.has_value(), range.has_value());
  if (range) {
    EXPECT_EQ(back.force->value, *range);
  }
  const auto* lag = thruster.transient ? std::get_if<model::FirstOrder>(&thruster.transient->law) : nullptr;
  ASSERT_EQ(back.transient.has_value(), lag != nullptr);
  if (lag) {
    EXPECT_EQ(std::get<model::FirstOrder>(back.transient->law).time_constant, lag->time_constant);
  }
  ASSERT_EQ(back.map.has_value(), thruster.map.has_value());
  if (!thruster.map) return;
  EXPECT_EQ(back.map->command.min, thruster.map->command.min);
  EXPECT_EQ(back.map->command.max, thruster.map->command.max);
  const internal::UuvConversion conversion = internal::uuv_conversion(thruster, density);
  if (conversion.rotor_constant) {
    const auto& propeller = std::get<model::Propeller>(back.map->law);
    EXPECT_EQ(std::get<model::ThrustCoefficients>(propeller.thrust).ww, *conversion.rotor_constant);
  }
  for (std::size_t k = 0; k < conversion.inputs.size(); ++k)
    EXPECT_NEAR(force(back, conversion.inputs[k]), conversion.outputs[k],
                1e-12 * (1 + std::abs(conversion.outputs[k])));
}

TEST(UuvRoundTrip, GivesTheSameNumbers) {
  for (const model::Robot& robot : many_robots()) {
    SCOPED_TRACE(robot.name());
    const Imported back = there_and_back(robot);
    EXPECT_EQ(back.format, Format::uuv_simulator);
    EXPECT_EQ(back.spec.name, robot.name());
    EXPECT_EQ(back.density, density);
    expect_same_hull(back.spec.hull, robot.hull());
    const internal::DragAtOrigin drag = internal::drag_at_origin(robot);
    ASSERT_EQ(back.spec.damping.size(), 1u);
    EXPECT_EQ(back.spec.damping[0].linear.value, drag.linear);
    for (std::size_t j = 0; j < 6; ++j) {
      const auto k = static_cast<Eigen::Index>(j);
      EXPECT_EQ(back.spec.damping[0].quadratic.value.by_speed[j](k, k), drag.quadratic.by_speed[j](k, k));
    }
    ASSERT_EQ(back.spec.thrusters.size(), robot.thrusters().size());
    for (std::size_t k = 0; k < robot.thrusters().size(); ++k)
      expect_same_thruster(back.spec.thrusters[k], robot.thrusters()[k]);
    ASSERT_EQ(back.allocation_b.has_value(), !robot.thrusters().empty());
    if (back.allocation_b) expect_same(*back.allocation_b, model::allocation_matrix(robot), "TAM", 1);
  }
}

TEST(UuvRoundTrip, WhatComesBackIsARobotOfEveryRobotThatShips) {
  for (const model::Robot& robot : model::test::all_robots()) {
    SCOPED_TRACE(robot.name());
    EXPECT_NO_THROW(model::Robot::make(there_and_back(robot).spec));
  }
}

TEST(UuvRoundTrip, TheTableOfAMapIsAsNearAsTheLossSays) {
  RandomStream random(3, "table");
  int tables = 0;
  for (int k = 0; k < 60; ++k) {
    model::Thruster thruster = model::test::random_thruster("t", random);
    if (!thruster.map) continue;
    const internal::UuvConversion conversion = internal::uuv_conversion(thruster, density);
    if (conversion.rotor_constant) continue;
    ++tables;
    const model::ForceRange range = attained_force(*thruster.map, thruster.transient, density);
    EXPECT_DOUBLE_EQ(conversion.outputs.front(), range.min);
    EXPECT_DOUBLE_EQ(conversion.outputs.back(), range.max);
    for (std::size_t i = 1; i < conversion.inputs.size(); ++i) {
      EXPECT_LT(conversion.inputs[i - 1], conversion.inputs[i]);
      EXPECT_LE(conversion.outputs[i - 1], conversion.outputs[i]);
    }
    const internal::UuvInverse inverse = inverse_of(conversion);
    for (std::size_t i = 1; i < inverse.outputs.size(); ++i)
      EXPECT_LT(inverse.outputs[i - 1], inverse.outputs[i]);  // numpy.interp asks for it
  }
  EXPECT_GT(tables, 10);
}

}  // namespace
}  // namespace fathom::exchange::uuv_round_trip_test
