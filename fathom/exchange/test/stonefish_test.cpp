#include "fathom/exchange/internal/drag_at_origin.hpp"
#include "fathom/exchange/test/round_trip.hpp"
#include "fathom/fields/xml_file.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::exchange::stonefish_test {
namespace {

using test::expect_same;

constexpr double density = 1025;
const ExportOptions sea{model::Environment(density)};

XmlFile scenario(const model::Robot& robot) {
  return XmlFile(export_robot(robot, Format::stonefish, sea).files.front().text, "robot.scn");
}

Vec3 xyz(const XmlElement& parent, const char* tag, const char* attribute = "xyz") {
  return parent.required_child(tag, "").attribute_vector3(attribute).value();
}

/// Force on a box that moves with `v`: face by face, as Stonefish sums it, with pressure by the square of the
/// speed and friction by the speed.
Vec3 box_force(const Vec3& box, const Vec3& viscous, const Vec3& quadratic, const Vec3& v) {
  Vec3 pressure = Vec3::Zero(), friction = Vec3::Zero();
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) {
      const Vec3 normal = side * Vec3::Unit(axis);
      const double area = box.prod() / box[axis];
      const Vec3 flow = -v;
      const double into = flow.dot(normal);
      if (into < 0) pressure += flow * flow.norm() * area * (-into / flow.norm());
      friction += (flow - into * normal) * area;
    }
  const auto weigh = [](const Vec3& force, const Vec3& c) { return force.normalized().cwiseAbs().dot(c); };
  return density * (0.5 * weigh(pressure, quadratic) * pressure + weigh(friction, viscous) * friction);
}

TEST(Stonefish, HasMassInertiaVolumeAndCentres) {
  for (const model::Robot& robot : test::many_robots()) {
    SCOPED_TRACE(robot.name());
    const XmlFile file = scenario(robot);
    EXPECT_EQ(file.root().name(), "scenario");
    const XmlElement link = file.root().required_child("robot", "").required_child("base_link", "");
    const model::Hull& hull = robot.hull();
    EXPECT_NEAR(xyz(link, "dimensions").prod(), hull.volume.value, 1e-12 * hull.volume.value);
    EXPECT_EQ(xyz(link, "origin"), hull.centre_of_buoyancy.value);
    EXPECT_EQ(link.required_child("mass", "").attribute_number("value", ""), hull.mass.value);
    EXPECT_EQ(xyz(link, "cg"), hull.centre_of_mass.value);
    const Mat3 R = quaternion_from_euler(xyz(link, "cg", "rpy")).toRotationMatrix();
    expect_same(Mat3(R * xyz(link, "inertia").asDiagonal() * R.transpose()), hull.inertia.value, "inertia");
    const XmlElement water =
        file.root().required_child("environment", "").required_child("ocean", "").required_child("water", "");
    EXPECT_EQ(water.attribute_number("density", ""), density);
  }
}

TEST(Stonefish, DragIsRightAtOneMetreASecondAlongEachAxis) {
  for (const model::Robot& robot : test::many_robots()) {
    SCOPED_TRACE(robot.name());
    const XmlFile file = scenario(robot);
    const XmlElement link = file.root().required_child("robot", "").required_child("base_link", "");
    std::vector<Loss> losses;
    const internal::OneDrag drag = internal::one_drag(robot, "", losses);
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 force = box_force(xyz(link, "dimensions"), xyz(link, "hydrodynamics", "viscous_drag"),
                                   xyz(link, "hydrodynamics", "quadratic_drag"), Vec3::Unit(axis));
      const double expected = drag.linear(axis, axis) + drag.quadratic[axis];
      EXPECT_NEAR(-force[axis], expected, 1e-12 * (1 + std::abs(expected)));
    }
  }
}

TEST(Stonefish, ThrustersPushWhereTheyPush) {
  for (const model::Robot& robot : test::many_robots()) {
    SCOPED_TRACE(robot.name());
    const XmlFile file = scenario(robot);
    const std::vector<XmlElement> actuators = file.root().required_child("robot", "").children("actuator");
    ASSERT_EQ(actuators.size(), robot.thrusters().size());
    for (std::size_t k = 0; k < actuators.size(); ++k) {
      const Vec3 axis = quaternion_from_euler(xyz(actuators[k], "origin", "rpy")) * Vec3::UnitX();
      expect_same(axis, robot.thrusters()[k].axis_b(), "axis");
      EXPECT_EQ(xyz(actuators[k], "origin"), robot.thrusters()[k].position_b.value);
    }
  }
}

}  // namespace
}  // namespace fathom::exchange::stonefish_test
