#include "fathom/base/test/error_text.hpp"
#include "fathom/exchange/internal/drag_at_origin.hpp"
#include "fathom/exchange/test/round_trip.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::exchange::rdml_test {
namespace {

using fathom::test::error_text;
using model::test::with;
using test::expect_same;

/// Numbers of a BlueROV2, once in each of the two forms that the block has had.
const std::string nested = R"(<?xml version="1.0"?>
<robot name="rov">
  <hydrodynamics>
    <inertial>
      <mass value="10"/>
      <inertia ixx="0.2" iyy="0.3" izz="0.4" ixz="0.01"/>
      <center_of_gravity x="0" y="0" z="0.1"/>
      <added_mass Xdu="-5.5" Ydv="-12.7" Zdw="-14.6" Kdp="-0.1" Mdq="-0.2" Ndr="-0.3"/>
    </inertial>
    <damping>
      <linear Xu="-4" Yv="-6" Zw="-5" Kp="-0.07" Mq="-0.08" Nr="-0.09"/>
      <quadratic Xuu="-18" Yvv="-21" Zww="-36" Kpp="-1.5" Mqq="-1.6" Nrr="-1.7"/>
    </damping>
    <hydrostatics>
      <buoyancy value="100.062"/>
      <center_of_buoyancy x="0" y="0" z="-0.02"/>
    </hydrostatics>
  </hydrodynamics>
</robot>
)";
const std::string flat = R"(<robot name="rov">
  <hydrodynamics>
    <mass>10</mass>
    <inertia ixx="0.2" iyy="0.3" izz="0.4" ixz="0.01"/>
    <added_mass Xdu="-5.5" Ydv="-12.7" Zdw="-14.6" Kdp="-0.1" Mdq="-0.2" Ndr="-0.3"/>
    <linear_damping Xu="-4" Yv="-6" Zw="-5" Kp="-0.07" Mq="-0.08" Nr="-0.09"/>
    <quadratic_damping Xuu="-18" Yvv="-21" Zww="-36" Kpp="-1.5" Mqq="-1.6" Nrr="-1.7"/>
    <weight>98.1</weight>
    <buoyancy>100.062</buoyancy>
    <center_of_gravity x="0" y="0" z="0.1"/>
    <center_of_buoyancy x="0" y="0" z="-0.02"/>
  </hydrodynamics>
</robot>
)";

Imported parse(const std::string& text) { return parse_model(text, "rov.urdf"); }
std::string error_text(const std::string& from, const std::string& to) {
  return error_text([&] { parse(with(nested, from, to)); });
}

TEST(Rdml, BothFormsAreTheSameRobot) {
  for (const std::string& text : {nested, flat}) {
    const Imported imported = parse(text);
    const model::Hull& hull = imported.spec.hull;
    EXPECT_EQ(imported.format, Format::rdml);
    EXPECT_EQ(imported.spec.name, "rov");
    EXPECT_EQ(hull.mass.value, 10);
    EXPECT_EQ(hull.centre_of_mass.value, Vec3(0, 0, 0.1));  // z down: no turning
    EXPECT_EQ(hull.centre_of_buoyancy.value, Vec3(0, 0, -0.02));
    EXPECT_NEAR(hull.volume.value, 0.0102, 1e-15);
    // Its inertia is about the body origin; Steiner's share of 10 kg at 0.1 m is 0.1 kg m^2.
    Mat3 inertia = Vec3(0.1, 0.2, 0.4).asDiagonal();
    inertia(0, 2) = inertia(2, 0) = 0.01;
    expect_same(hull.inertia.value, inertia, "inertia");
    EXPECT_EQ(hull.added_mass.value(1, 1), 12.7);
    EXPECT_EQ(imported.spec.damping[0].linear.value(5, 5), 0.09);
    EXPECT_EQ(imported.spec.damping[0].quadratic.value.by_speed[3](3, 3), 1.5);
  }
  EXPECT_DOUBLE_EQ(*parse(flat).gravity, 9.81);
}

/// M of RDML's own code, [m I, -m S(r); m S(r), I], is Fathom's.
TEST(Rdml, TheInertiaMatrixThereIsOurs) {
  for (const model::Robot& robot : test::many_robots()) {
    const Exported exported = export_robot(robot, Format::rdml);
    const std::string& text = exported.files.front().text;
    const auto number = [&](const std::string& name) {
      const std::size_t at = text.find(" " + name + "=\"");
      return std::stod(text.substr(at + name.size() + 3));
    };
    const Mat6 M = model::rigid_body_inertia(robot.hull());
    const double scale = 1e-12 * M.bottomRightCorner<3, 3>().cwiseAbs().maxCoeff();
    EXPECT_NEAR(number("ixx"), M(3, 3), scale);
    EXPECT_NEAR(number("ixy"), M(3, 4), scale);
    EXPECT_NEAR(number("ixz"), M(3, 5), scale);
    EXPECT_NEAR(number("iyz"), M(4, 5), scale);
    EXPECT_NEAR(number("izz"), M(5, 5), scale);
  }
}

TEST(Rdml, RoundTripGivesTheSameNumbers) {
  const ExportOptions sea{model::Environment(1025, 9.79)};
  for (const model::Robot& robot : test::many_robots()) {
    SCOPED_TRACE(robot.name());
    const Exported exported = export_robot(robot, Format::rdml, sea);
    const Imported back = parse_model(exported.files.front().text, "rov.urdf");
    const model::Hull &hull = robot.hull(), &ours = back.spec.hull;
    EXPECT_EQ(back.density, 1025);
    EXPECT_EQ(back.gravity, 9.79);
    EXPECT_EQ(ours.mass.value, hull.mass.value);
    EXPECT_EQ(ours.centre_of_mass.value, hull.centre_of_mass.value);
    EXPECT_EQ(ours.centre_of_buoyancy.value, hull.centre_of_buoyancy.value);
    EXPECT_NEAR(ours.volume.value, hull.volume.value, 1e-12 * hull.volume.value);
    expect_same(ours.inertia.value, hull.inertia.value, "inertia");
    EXPECT_EQ(ours.added_mass.value.diagonal(), hull.added_mass.value.diagonal());
    const internal::DragAtOrigin drag = internal::drag_at_origin(robot);
    EXPECT_EQ(back.spec.damping[0].linear.value.diagonal(), drag.linear.diagonal());
    for (std::size_t j = 0; j < 6; ++j) {
      const auto k = static_cast<Eigen::Index>(j);
      EXPECT_EQ(back.spec.damping[0].quadratic.value.by_speed[j](k, k), drag.quadratic.by_speed[j](k, k));
    }
    EXPECT_TRUE(back.losses.empty());
  }
}

TEST(Rdml, KnowsPlacesAndTellsWhatItTook) {
  const Imported imported = parse(nested);
  EXPECT_EQ(imported.places.at("hull.mass").line, 5);
  EXPECT_EQ(imported.places.at("hull.added_mass[5][5]").tag, "Ndr");
  EXPECT_EQ(imported.places.at("damping[0].quadratic[0]").tag, "Xuu");
  EXPECT_EQ(imported.places.at("hull.volume").tag, "buoyancy");
  EXPECT_EQ(imported.places.at("hull.centre_of_buoyancy[2]").tag, "z");
  ASSERT_EQ(imported.losses.size(), 1u);
  EXPECT_NE(imported.losses[0].what.find("no density. 1000 kg/m^3 is taken"), std::string::npos);
}

TEST(Rdml, RefusesWithLineAndRemedy) {
  EXPECT_NE(error_text("      <mass value=\"10\"/>\n", "").find("rov.urdf:4: "), std::string::npos);
  EXPECT_NE(error_text("      <mass value=\"10\"/>\n", "").find("has no <mass> (the dry mass, kg)"),
            std::string::npos);
  EXPECT_NE(error_text(" Ndr=\"-0.3\"", "").find("rov.urdf:8: "), std::string::npos);
  EXPECT_NE(error_text("Xu=\"-4\"", "Xu=\"four\"").find("rov.urdf:11: "), std::string::npos);
  EXPECT_NE(
      error_text("</robot>", "<hydrodynamics/></robot>").find("is a second block; the first stands in line 3"),
      std::string::npos);
}

}  // namespace
}  // namespace fathom::exchange::rdml_test
