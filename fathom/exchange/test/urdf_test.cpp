#include "fathom/exchange/internal/dry_body.hpp"
#include "fathom/exchange/test/round_trip.hpp"
#include "fathom/fields/xml_file.hpp"

namespace fathom::exchange::urdf_test {
namespace {

TEST(Urdf, HoldsTheDryBodyInForwardPortUp) {
  for (const model::Robot& robot : test::many_robots()) {
    SCOPED_TRACE(robot.name());
    const Exported exported = export_robot(robot, Format::urdf);
    const XmlFile xml(exported.files.at(0).text, "robot.urdf");
    const XmlElement inertial = xml.root().required_child("link", "").required_child("inertial", "");
    EXPECT_EQ(inertial.child("mass")->attribute_number("value", ""), robot.hull().mass.value);
    const Vec3 com = *inertial.child("origin")->attribute_vector3("xyz");
    const Vec3 c = robot.hull().centre_of_mass.value;
    EXPECT_EQ(com, Vec3(c.x(), -c.y(), -c.z()));
    const XmlElement inertia = *inertial.child("inertia");
    const Mat3& I = robot.hull().inertia.value;
    EXPECT_EQ(inertia.attribute_number("ixy", ""), -I(0, 1));
    EXPECT_EQ(inertia.attribute_number("ixz", ""), -I(0, 2));
    EXPECT_EQ(inertia.attribute_number("iyz", ""), I(1, 2));
    EXPECT_EQ(inertia.attribute_number("izz", ""), I(2, 2));
    EXPECT_GE(exported.losses.size(), 3u);
  }
}

/// Two point masses and their middle; and what is taken out can be put back.
TEST(DryBody, TwoPointsAndBack) {
  using internal::DryBody;
  const DryBody a{3, {1, 0, 0}, Mat3::Zero()}, b{1, {-3, 0, 0}, Mat3::Zero()};
  const DryBody both = internal::together({a, b});
  EXPECT_EQ(both.mass, 4);
  EXPECT_EQ(both.centre_of_mass, Vec3(0, 0, 0));
  EXPECT_EQ(both.inertia, Mat3(Vec3(0, 12, 12).asDiagonal()));
  const DryBody rest = internal::without(both, {b});
  EXPECT_EQ(rest.mass, 3);
  EXPECT_NEAR((rest.centre_of_mass - a.centre_of_mass).norm(), 0, 1e-15);
  EXPECT_NEAR(rest.inertia.norm(), 0, 1e-14);
  EXPECT_FALSE(internal::is_physical({1, Vec3::Zero(), Mat3(Vec3(1, 1, 3).asDiagonal())}));
  EXPECT_TRUE(internal::is_physical({1, Vec3::Zero(), Mat3(Vec3(1, 2, 3).asDiagonal())}));
}

}  // namespace
}  // namespace fathom::exchange::urdf_test
