#include "fathom/base/test/error_text.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/exchange/test/round_trip.hpp"

namespace fathom::exchange::uuv_reader_test {
namespace {

using fathom::test::error_text;
using fathom::test::spill;
using fathom::test::TemporaryFolder;
using model::test::with;

/// A small model. Line 5 has the mass, 18 the added mass.
const std::string small_urdf = R"(<?xml version="1.0"?>
<robot name="small">
  <link name="small/base_link">
    <inertial>
      <mass value="10"/>
      <origin xyz="0.1 0.2 0.3" rpy="0 0 1.5707963267948966"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/>
    </inertial>
  </link>
  <gazebo>
    <plugin name="uuv_plugin" filename="libuuv_underwater_object_ros_plugin.so">
      <link name="small/base_link">
        <neutrally_buoyant>0</neutrally_buoyant>
        <volume>0.01</volume>
        <center_of_buoyancy>0.1 0.2 0.4</center_of_buoyancy>
        <hydrodynamic_model>
          <type>fossen</type>
          <added_mass>1 0 0 0 0 0 0 2 0 0 0 0 0 0 3 0 0 0 0 0 0 4 0 0 0 0 0 0 5 0 0 0 0 0 0 6</added_mass>
          <linear_damping>-1 -2 -3 -4 -5 -6</linear_damping>
          <quadratic_damping>-7 -8 -9 -10 -11 -12</quadratic_damping>
        </hydrodynamic_model>
      </link>
    </plugin>
  </gazebo>
  <joint name="arm" type="fixed">
    <origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/>
    <parent link="small/base_link"/>
    <child link="small/bracket"/>
  </joint>
  <joint name="small/bow_joint" type="continuous">
    <origin xyz="0.5 0 0.25"/>
    <axis xyz="0 0 2"/>
    <parent link="small/bracket"/>
    <child link="small/thruster_0"/>
  </joint>
  <gazebo>
    <plugin name="t0" filename="libuuv_thruster_ros_plugin.so">
      <jointName>small/bow_joint</jointName>
      <thrusterID>0</thrusterID>
      <dynamics><type>ZeroOrder</type></dynamics>
      <conversion><type>LinearInterp</type><inputValues>-2 -1 1 2</inputValues><outputValues>-8 0 0 9</outputValues></conversion>
    </plugin>
  </gazebo>
</robot>
)";

Imported parse(const std::string& text) { return parse_model(text, "small.urdf"); }
std::string error_text(const std::string& from, const std::string& to) {
  return error_text([&] { parse(with(small_urdf, from, to)); });
}
bool tells(const Imported& imported, const std::string& text) {
  for (const Loss& loss : imported.losses)
    if ((loss.key + ": " + loss.what).find(text) != std::string::npos) return true;
  return false;
}

TEST(UuvReader, TurnsAxesOfInertiaAndFrames) {
  const Imported imported = parse(small_urdf);
  const model::Hull& hull = imported.spec.hull;
  EXPECT_EQ(hull.centre_of_mass.value, Vec3(0.1, -0.2, -0.3));
  EXPECT_EQ(hull.centre_of_buoyancy.value, Vec3(0.1, -0.2, -0.4));
  // The inertial frame is turned by 90 degrees about z: x and y change places.
  test::expect_same(hull.inertia.value, Mat3(Vec3(2, 1, 2.5).asDiagonal()), "inertia");
  EXPECT_EQ(hull.added_mass.value.diagonal(), (Vec6() << 1, 2, 3, 4, 5, 6).finished());
  EXPECT_EQ(imported.spec.damping[0].linear.value(2, 2), 3);
  EXPECT_EQ(imported.spec.damping[0].quadratic.value.by_speed[5](5, 5), 12);
}

TEST(UuvReader, FollowsJointsToTheHull) {
  const Imported imported = parse(small_urdf);
  const model::Thruster& bow = imported.spec.thrusters.at(0);
  EXPECT_EQ(bow.name, "bow");
  // The bracket stands 1 m ahead, turned to port: 0.5 m ahead of it is 0.5 m to port.
  test::expect_same(bow.position_b.value, Vec3(1, -0.5, -0.25), "position");
  test::expect_same(bow.axis_b(), Vec3(0, 0, -1), "axis");
  EXPECT_EQ(bow.map->command.neutral, 0);
  EXPECT_EQ(force_of_command(*bow.map, 1.5, 1), 4.5);
}

TEST(UuvReader, KnowsAPlaceForEveryNumber) {
  const Imported imported = parse(small_urdf);
  const auto place = [&](const std::string& key, int line, const std::string& tag) {
    ASSERT_TRUE(imported.places.contains(key)) << key;
    EXPECT_EQ(imported.places.at(key).line, line) << key;
    EXPECT_EQ(imported.places.at(key).tag, tag) << key;
    EXPECT_EQ(imported.places.at(key).file, "small.urdf");
  };
  place("hull.mass", 5, "mass");
  place("hull.centre_of_mass[2]", 6, "origin");
  place("hull.inertia[0][1]", 7, "ixy");
  place("hull.volume", 14, "volume");
  place("hull.centre_of_buoyancy[0]", 15, "center_of_buoyancy");
  place("hull.added_mass[3][2]", 18, "added_mass");
  place("damping[0].linear[5][5]", 19, "linear_damping");
  place("damping[0].quadratic[5]", 20, "quadratic_damping");
  place("thrusters[0].position[1]", 31, "origin");
  place("thrusters[0].map.table.commands", 41, "inputValues");
}

TEST(UuvReader, RefusesWithLineAndRemedy) {
  EXPECT_NE(error_text("0 0 0 0 0 6</added_mass>", "0 0 0 0 6</added_mass>")
                .find("small.urdf:18: robot[small]/gazebo/plugin[uuv_plugin]/link[small/base_link]/"
                      "hydrodynamic_model/added_mass has 35 numbers, must have 36"),
            std::string::npos);
  EXPECT_NE(
      error_text("-1 -2 -3 -4 -5 -6", "-1 -2 -3 -4 -5").find("has 5 numbers, must have 6 (a diagonal) or 36"),
      std::string::npos);
  EXPECT_NE(error_text("<volume>0.01</volume>", "<volume>ten litres</volume>").find("small.urdf:14:"),
            std::string::npos);
  EXPECT_NE(error_text("      <mass value=\"10\"/>\n", "").find("has no <mass> (the dry mass of the hull, kg)"),
            std::string::npos);
  EXPECT_NE(error_text("mass value=\"10\"", "mass value=\"10 kg\"").find("small.urdf:5:"), std::string::npos);
  EXPECT_NE(error_text("fossen", "sphere").find("only <type>fossen</type> states numbers"), std::string::npos);
  EXPECT_NE(error_text("<parent link=\"small/bracket\"/>", "<parent link=\"moon\"/>").find("leads to no joint"),
            std::string::npos);
  EXPECT_NE(
      error_text("<jointName>small/bow_joint", "<jointName>stern").find("'stern' is no joint of this file"),
      std::string::npos);
  EXPECT_NE(error_text("-8 0 0 9", "-8 0 9").find("has 3 numbers, <inputValues> has 4"), std::string::npos);
  EXPECT_NE(error_text("<axis xyz=\"0 0 2\"/>", "<axis xyz=\"0 0 0\"/>").find("points nowhere"),
            std::string::npos);
}

TEST(UuvReader, RefusesXacroWithARemedy) {
  const std::string hint = "run `xacro file.xacro > file.urdf` first";
  EXPECT_NE(error_text("<volume>0.01</volume>", "<volume>${volume}</volume>").find(hint), std::string::npos);
  EXPECT_NE(error_text("  <joint name=\"arm\"", "  <xacro:include filename=\"a.xacro\"/><joint name=\"arm\"")
                .find(hint),
            std::string::npos);
}

TEST(UuvReader, TellsWhatARobotFileCannotHold) {
  const auto after = [](const std::string& from, const std::string& to) {
    return parse(with(small_urdf, from, to));
  };
  const Imported forward = after("</quadratic_damping>",
                                 "</quadratic_damping><linear_damping_forward_speed>-1 0 0 0 0 0"
                                 "</linear_damping_forward_speed>");
  EXPECT_TRUE(tells(forward, "it has u where a robot file has |u|"));
  std::string full = "-7 -8";
  for (int k = 2; k < 36; ++k) full += " -1";
  EXPECT_TRUE(tells(after("-7 -8 -9 -10 -11 -12", full), "uses the diagonal alone"));
  EXPECT_TRUE(tells(after("ZeroOrder", "Yoerger"), "the Yoerger dynamics of 'bow'"));
  EXPECT_TRUE(tells(after("LinearInterp", "Bessa"), "the Bessa conversion of 'bow'"));
  EXPECT_TRUE(tells(parse(small_urdf), "the unit of the input of 'bow'"));
  EXPECT_TRUE(tells(after("<dynamics>", "<gain>2</gain><dynamics>"), "a factor of 2 is not applied"));
}

TEST(UuvReader, NeutralBuoyancyMakesTheVolume) {
  const std::string neutral = with(small_urdf, "<neutrally_buoyant>0", "<neutrally_buoyant>1");
  EXPECT_DOUBLE_EQ(parse(neutral).spec.hull.volume.value, 10.0 / 1028);
  const std::string fresh =
      with(neutral, "<link name=\"small/base_link\">\n        <neu",
           "<fluid_density>1000</fluid_density>\n<link name=\"small/base_link\">\n        <neu");
  EXPECT_DOUBLE_EQ(parse(fresh).spec.hull.volume.value, 0.01);
}

TEST(UuvReader, ReadsSdfToo) {
  const std::string sdf = R"(<sdf version="1.6"><model name="small">
<link name="base"><pose>0 0 1 0 0 0</pose><inertial><pose>0 0 0.5 0 0 0</pose><mass>3</mass>
<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz><ixy>0.1</ixy></inertia></inertial></link>
<link name="prop"><pose>1 2 3 0 0 1.5707963267948966</pose></link>
<joint name="prop_joint" type="revolute"><parent>base</parent><child>prop</child><axis><xyz>1 0 0</xyz></axis></joint>
<plugin name="p" filename="libunderwater_object_ros_plugin.so"><link name="base"><volume>0.003</volume>
<hydrodynamic_model><type>fossen</type></hydrodynamic_model></link></plugin>
<plugin name="t" filename="libthruster_ros_plugin.so"><jointName>prop_joint</jointName><thrusterID>0</thrusterID></plugin>
</model></sdf>)";
  const Imported imported = parse_model(sdf, "small.sdf");
  EXPECT_EQ(imported.format, Format::uuv_simulator);
  EXPECT_EQ(imported.spec.hull.mass.value, 3);
  EXPECT_EQ(imported.spec.hull.centre_of_mass.value, Vec3(0, 0, -0.5));
  EXPECT_EQ(imported.spec.hull.inertia.value(0, 1), -0.1);
  test::expect_same(imported.spec.thrusters.at(0).position_b.value, Vec3(1, -2, -2), "position");
  test::expect_same(imported.spec.thrusters.at(0).axis_b(), Vec3(0, -1, 0), "axis");
}

TEST(UuvReader, ReadsTheManagersFilesBesideIt) {
  const TemporaryFolder folder;
  const auto urdf = folder / "small.urdf";
  spill(urdf, small_urdf);
  std::filesystem::create_directory(folder / "config");
  spill(folder / "config" / "thruster_manager.yaml", "thruster_manager: {max_thrust: 50}\n");
  spill(folder / "TAM.yaml", "/**:\n  ros__parameters:\n    tam: [0, 0, 1, 0, 1, 0]\n");
  const Imported imported = import_model(urdf);
  EXPECT_EQ(imported.spec.thrusters[0].force->value, (model::ForceRange{-50, 50}));
  EXPECT_EQ(imported.places.at("thrusters[0].force[0]").line, 1);
  EXPECT_EQ(imported.allocation_b->col(0), (Vec6() << 0, 0, -1, 0, -1, 0).finished());
}

TEST(UuvReader, RefusesManagersFilesThatDoNotFit) {
  const TemporaryFolder folder;
  const auto urdf = folder / "small.urdf";
  spill(urdf, small_urdf);
  const auto tam = [&](const std::string& text) {
    spill(folder / "TAM.yaml", text);
    return error_text([&] { import_model(urdf); });
  };
  EXPECT_NE(tam("tam:\n- [1, 2]\n- [1, 2]\n- [1, 2]\n- [1, 2]\n- [1, 2]\n- [1, 2]\n")
                .find("TAM.yaml:2: tam has 2 columns, the model has 1 thrusters"),
            std::string::npos);
  EXPECT_NE(tam("tam:\n- [1]\n- [1]\n").find("has 2 rows, must have 6"), std::string::npos);
  EXPECT_NE(tam("tam:\n- [1]\n- [1, 2]\n- [1]\n- [1]\n- [1]\n- [1]\n").find("rows of 1 and of 2 numbers"),
            std::string::npos);
  EXPECT_NE(tam("tam:\n- [one]\n- [1]\n- [1]\n- [1]\n- [1]\n- [1]\n").find("TAM.yaml:2:"), std::string::npos);
  EXPECT_NE(tam("matrix: 3\n").find("has no key tam"), std::string::npos);
  std::filesystem::remove(folder / "TAM.yaml");
  spill(folder / "thruster_manager.yaml", "thruster_manager: {max_thrust: [1, 2]}\n");
  EXPECT_NE(error_text([&] { import_model(urdf); }).find("max_thrust has 2 numbers, the model has 1 thrusters"),
            std::string::npos);
}

}  // namespace
}  // namespace fathom::exchange::uuv_reader_test
