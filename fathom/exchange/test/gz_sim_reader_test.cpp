#include <numbers>

#include "fathom/exchange/test/round_trip.hpp"

namespace fathom::exchange::gz_sim_reader_test {
namespace {

/// A model as people write it by hand: added mass in the plug-in, poses turned, a thruster by speed.
const std::string by_hand = R"(<?xml version="1.0"?>
<sdf version="1.9">
  <model name="my rov">
    <link name="hull">
      <pose>0 0 1 0 0 0</pose>
      <inertial>
        <pose degrees="true">0.1 0 -0.02 0 0 90</pose>
        <mass>10</mass>
        <inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz></inertia>
      </inertial>
      <collision name="a"><pose>0 0 0.05 0 0 0</pose><geometry><box><size>0.1 0.2 0.3</size></box></geometry></collision>
      <collision name="b"><pose>0 0 0.25 0 0 0</pose><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>
      <sensor name="imu" type="imu"/>
    </link>
    <link name="prop">
      <pose relative_to="hull">-0.5 0.2 0 0 0 1.5707963267948966</pose>
      <inertial><mass>1</mass><inertia><ixx>1e-3</ixx><iyy>1e-3</iyy><izz>1e-3</izz></inertia></inertial>
    </link>
    <joint name="t1" type="revolute">
      <parent>hull</parent><child>prop</child><axis><xyz>0 -1 0</xyz></axis>
    </joint>
    <plugin filename="gz-sim-hydrodynamics-system" name="gz::sim::systems::Hydrodynamics">
      <link_name>hull</link_name>
      <xDotU>-5</xDotU><yDotV>-6</yDotV><zDotW>-7</zDotW><xDotQ>-0.5</xDotQ>
      <xU>-4</xU><yVabsV>-20</yVabsV><zWW>-3</zWW>
    </plugin>
    <plugin filename="gz-sim-thruster-system" name="gz::sim::systems::Thruster">
      <joint_name>t1</joint_name><thrust_coefficient>0.5</thrust_coefficient><propeller_diameter>0.1</propeller_diameter>
      <use_angvel_cmd>true</use_angvel_cmd><max_thrust_cmd>300</max_thrust_cmd><min_thrust_cmd>-200</min_thrust_cmd>
    </plugin>
  </model>
</sdf>
)";

std::string rejection(const std::string& text) {
  try {
    parse_model(text, "rov.sdf");
  } catch (const InputError& error) {
    return error.what();
  }
  return "(it is read)";
}

std::string changed(const std::string& from, const std::string& to) {
  return model::test::with(by_hand, from, to);
}

TEST(GzSimReader, ReadsWhatPeopleWrite) {
  const Imported rov = parse_model(by_hand, "rov.sdf");
  EXPECT_EQ(rov.spec.name, "my_rov");
  EXPECT_EQ(rov.spec.title, "my rov");
  EXPECT_NEAR(rov.spec.hull.mass.value, 11, 1e-12);
  // (10 * [.1 0 -.02] + 1 * [-.5 .2 0]) / 11 in FLU, then y and z flip.
  EXPECT_NEAR((rov.spec.hull.centre_of_mass.value - Vec3(0.5, -0.2, 0.2) / 11).norm(), 0, 1e-12);
  EXPECT_NEAR(rov.spec.hull.volume.value, 0.006 + 4 * std::numbers::pi / 3 * 1e-3, 1e-15);
  EXPECT_EQ(rov.spec.hull.added_mass.value(0, 0), 5);
  EXPECT_EQ(rov.spec.hull.added_mass.value(0, 4), -0.5);  // force x by rate q, which flips
  EXPECT_EQ(rov.spec.hull.added_mass.value(4, 0), 0);     // asymmetric as the file is
  ASSERT_EQ(rov.spec.damping.size(), 1u);
  EXPECT_EQ(rov.spec.damping[0].linear.value(0, 0), 4);
  EXPECT_EQ(rov.spec.damping[0].quadratic.value.by_speed[1](1, 1), 20);
  EXPECT_EQ(rov.places.at("damping[0].quadratic.v[1][1]").line, 25);
}

/// The 10 kg are turned by 90 degrees about z: its ixx is about the body's y axis.
TEST(GzSimReader, TurnsTheInertiaByItsPose) {
  const Imported rov = parse_model(by_hand, "rov.sdf");
  const Vec3 a(0.1, 0, -0.02), b(-0.5, 0.2, 0), d = a - b;
  const double reduced = 10.0 * 1 / 11;
  const Mat3 steiner = reduced * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
  EXPECT_NEAR(rov.spec.hull.inertia.value(0, 0), 2 + 1e-3 + steiner(0, 0), 1e-12);
  EXPECT_NEAR(rov.spec.hull.inertia.value(1, 1), 1 + 1e-3 + steiner(1, 1), 1e-12);
  EXPECT_NEAR(rov.spec.hull.inertia.value(0, 1), -steiner(0, 1), 1e-12);
}

TEST(GzSimReader, AThrusterBySpeed) {
  const Imported rov = parse_model(by_hand, "rov.sdf");
  ASSERT_EQ(rov.spec.thrusters.size(), 1u);
  const model::Thruster& t1 = rov.spec.thrusters[0];
  EXPECT_NEAR((t1.position_b.value - Vec3(-0.5, -0.2, 0)).norm(), 0, 1e-12);
  EXPECT_NEAR((t1.direction_b.value - Vec3(1, 0, 0)).norm(), 0, 1e-12);  // -y, turned by 90 degrees
  ASSERT_TRUE(t1.map);
  EXPECT_EQ(t1.map->command.unit, model::CommandUnit::rad_s);
  EXPECT_EQ(t1.map->command.min, -200);
  const auto& law = std::get<model::Propeller>(t1.map->law);
  EXPECT_NEAR(std::get<model::ThrustCoefficients>(law.thrust).ww, 0.5 * 1000 * 1e-4, 1e-15);
}

TEST(GzSimReader, ListsWhatIsLost) {
  const Imported rov = parse_model(by_hand, "rov.sdf");
  std::string all;
  for (const Loss& loss : rov.losses) all += loss.key + ": " + loss.what + " (" + loss.remedy + ")\n";
  EXPECT_NE(all.find("<zWW>, rov.sdf:25: -3: a force that does not turn"), std::string::npos) << all;
  EXPECT_NE(all.find("<zWabsW>"), std::string::npos) << all;
  EXPECT_NE(all.find("<sensor>, rov.sdf:13: sensor 'imu'"), std::string::npos) << all;
}

TEST(GzSimReader, AMeshMakesTheVehicleNeutralAndSaysSo) {
  std::string text = changed("<box><size>0.1 0.2 0.3</size></box>", "<mesh><uri>hull.stl</uri></mesh>");
  text = model::test::with(text, "<sphere><radius>0.1</radius></sphere>", "<mesh><uri>top.stl</uri></mesh>");
  const Imported rov = parse_model(text, "rov.sdf");
  EXPECT_NEAR(rov.spec.hull.volume.value, 0.011, 1e-15);
  EXPECT_TRUE(rov.spec.hull.volume.assumed);
  EXPECT_EQ(rov.losses.front().key, "<zWW>, rov.sdf:25");
  EXPECT_EQ(rov.losses[1].key, "<geometry>, rov.sdf:11");
}

TEST(GzSimReader, AddedMassTwiceIsCountedOnceAndTold) {
  const Imported rov =
      parse_model(changed("<izz>2.5</izz></inertia>",
                          "<izz>2.5</izz></inertia><fluid_added_mass><xx>9</xx></fluid_added_mass>"),
                  "rov.sdf");
  EXPECT_EQ(rov.spec.hull.added_mass.value(0, 0), 9);
  EXPECT_EQ(rov.spec.hull.added_mass.value(1, 1), 0);
  EXPECT_NE(rov.losses.front().what.find("a second time"), std::string::npos);
}

TEST(GzSimReader, RefusesWithLineAndRemedy) {
  EXPECT_EQ(rejection(by_hand.substr(0, by_hand.size() / 2)).substr(0, 8), "rov.sdf:");
  EXPECT_EQ(rejection(""),
            "rov.sdf: is no XML: XML_ERROR_EMPTY_DOCUMENT (a model begins with <sdf ...> or <robot ...>)");
  EXPECT_EQ(rejection(changed("<mass>10</mass>", "")),
            "rov.sdf:6: sdf/model[my rov]/link[hull]/inertial has no <mass> (kg of the dry link; a simulator "
            "would take "
            "1 kg without it)");
  EXPECT_EQ(rejection(changed("<mass>10</mass>", "<mass>ten</mass>")),
            "rov.sdf:8: sdf/model[my rov]/link[hull]/inertial/mass is 'ten', must be a number");
  EXPECT_EQ(rejection(changed("<mass>10</mass>", "<mass>nan</mass>")),
            "rov.sdf:8: sdf/model[my rov]/link[hull]/inertial/mass is 'nan', must be a finite number");
  EXPECT_EQ(rejection(changed("<mass>10</mass>", "<mass>1e999</mass>")),
            "rov.sdf:8: sdf/model[my rov]/link[hull]/inertial/mass is '1e999', must be a finite number");
  EXPECT_EQ(rejection(changed("<mass>10</mass>", "<mass>10,5</mass>")),
            "rov.sdf:8: sdf/model[my rov]/link[hull]/inertial/mass is '10,5', must be a number (decimals have "
            "a point)");
  EXPECT_EQ(rejection(changed("<mass>10</mass>", "<mass>-1</mass>")),
            "rov.sdf:8: sdf/model[my rov]/link[hull]/inertial/mass is -1, must be above zero (in kg)");
  EXPECT_EQ(rejection("<sdf><model name='m'/></sdf>"),
            "rov.sdf:1: sdf/model[m] has no <link> (a vehicle is at least one link with <inertial>)");
  EXPECT_EQ(
      rejection("<sdf><model name='a'/><model name='b'/></sdf>"),
      "rov.sdf:1: sdf holds 2 models, 0 of them with hydrodynamics: which is meant? (give a file with the one "
      "model)");
  EXPECT_EQ(
      rejection("<sdf><world><include><uri>model://tethys</uri></include></world></sdf>"),
      "rov.sdf:1: sdf holds no <model> (it includes models from elsewhere: give the file of the model itself)");
}

TEST(GzSimReader, RefusesFramesThatDoNotHoldTogether) {
  EXPECT_NE(rejection(changed("relative_to=\"hull\"", "relative_to=\"prop\"")).find("round in a circle"),
            std::string::npos);
  EXPECT_NE(rejection(changed("relative_to=\"hull\"", "relative_to=\"hulk\"")).find("names 'hulk'"),
            std::string::npos);
  EXPECT_NE(rejection(changed("<joint_name>t1", "<joint_name>t2")).find("is 't2', which is no joint"),
            std::string::npos);
  EXPECT_NE(
      rejection(changed("<link_name>hull", "<link_name>hall")).find("'hall', which the model does not have"),
      std::string::npos);
  EXPECT_NE(rejection(changed("0 -1 0</xyz>", "0 0 0</xyz>")).find("has length zero"), std::string::npos);
  EXPECT_NE(rejection(changed("0.1 0.2 0.3</size>", "0.1 0 0.3</size>")).find("must be above zero"),
            std::string::npos);
}

TEST(GzSimReader, RefusesWhatIsNoModel) {
  EXPECT_NE(rejection("<robot name='r'><link name='l'/></robot>").find("URDF without hydrodynamics"),
            std::string::npos);
  EXPECT_NE(rejection("<html/>").find("begins neither with <sdf> nor with <robot>"), std::string::npos);
  std::string deep;
  for (int k = 0; k < 80; ++k) deep += "<a>";
  for (int k = 0; k < 80; ++k) deep += "</a>";
  EXPECT_NE(rejection(deep).find("nested deeper than 64"), std::string::npos);
  deep.clear();
  for (int k = 0; k < 100000; ++k) deep += "<a>";
  EXPECT_NE(rejection(deep).find("nested that deep"), std::string::npos);
}

/// Entities that would grow a thousandfold are not expanded: the mass is no number.
TEST(GzSimReader, ABombOfEntitiesStaysSmall) {
  const std::string bomb =
      "<?xml version=\"1.0\"?><!DOCTYPE b [<!ENTITY a \"1111111111\"><!ENTITY b "
      "\"&a;&a;&a;&a;&a;&a;&a;&a;\">]>";
  const std::string text =
      model::test::with(changed("<mass>10</mass>", "<mass>&b;</mass>"), "<?xml version=\"1.0\"?>", bomb);
  EXPECT_NE(rejection(text).find("is '&b;', must be a number"), std::string::npos) << rejection(text);
}

}  // namespace
}  // namespace fathom::exchange::gz_sim_reader_test
