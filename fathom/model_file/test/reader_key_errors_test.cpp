#include <gtest/gtest.h>

#include "fathom/base/text.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::reader_key_errors_test {
namespace {

using test::changed;
using test::error_text;
using test::with;

TEST(ReaderKeyErrors, NameTheNearestKey) {
  EXPECT_EQ(error_text(changed("  volume:", "  volum: 0.0115\n  volume:")),
            "bad.yaml:7: hull has the unknown key 'volum' (did you mean volume?)");
  EXPECT_EQ(error_text(changed("    linear:", "    lineer: [1, 1, 1, 1, 1, 1]\n    linear:")),
            "bad.yaml:12: damping[0] has the unknown key 'lineer' (did you mean linear?)");
  EXPECT_EQ(error_text(test::small_file() + "thruster: []\n"),
            "bad.yaml:14: unknown key 'thruster' (did you mean thrusters?)");
}

TEST(ReaderKeyErrors, ListTheKnownKeysIfNoneIsNear) {
  EXPECT_EQ(error_text(test::small_file() + "battery: 18650\n"),
            "bad.yaml:14: unknown key 'battery' (known here: format, name, title, notes, hull, damping, "
            "thruster_maps, thruster_transients, thrusters, sensors, connectors, command_path, "
            "identified)");
  EXPECT_EQ(
      error_text(changed("11.5\n", "{value: 11.5, because: why}\n")),
      "bad.yaml:4: hull.mass has the unknown key 'because' (known here: value, unit, sigma, source, assumed)");
}

TEST(ReaderKeyErrors, OfferNoRetiredSpelling) {
  EXPECT_EQ(error_text(test::small_file() + "steerring: {by: wrench}\n").find("did you mean"),
            std::string::npos);
}

TEST(ReaderKeyErrors, GiveTheLineOfAnUnknownKeyWhoseValueBeginsBelow) {
  EXPECT_EQ(error_text(changed("  volume:", "  volum:\n    - 1\n  volume:")),
            "bad.yaml:7: hull has the unknown key 'volum' (did you mean volume?)");
}

TEST(ReaderKeyErrors, GiveTheLineOfAnUnknownKeyWithoutValue) {
  EXPECT_EQ(error_text(changed("  volume:", "  volum:\n  volume:")),
            "bad.yaml:7: hull has the unknown key 'volum' (did you mean volume?)");
}

TEST(ReaderKeyErrors, RefuseAKeyThatStandsTwice) {
  EXPECT_EQ(error_text(changed("  volume:", "  mass: 12\n  volume:")),
            "bad.yaml:7: hull has the key 'mass' twice (keep one of them)");
  EXPECT_EQ(error_text(test::small_file() + "name: other\n"),
            "bad.yaml:14: has the key 'name' twice (keep one of them)");
  EXPECT_EQ(error_text(changed("11.5\n", "{value: 11.5, value: 12}\n")),
            "bad.yaml:4: hull.mass has the key 'value' twice (keep one of them)");
}

TEST(ReaderKeyErrors, NameEveryMissingKey) {
  EXPECT_EQ(error_text("title: x\n"),
            "bad.yaml:1: the key format is missing (begin with 'format: fathom-robot-1')\n"
            "bad.yaml:1: the key name is missing (a short word)\n"
            "bad.yaml:1: the key hull is missing (mass, inertia, volume, added_mass ...)\n"
            "bad.yaml:1: the key damping is missing (a list of drag elements; [] if there is none)");
  EXPECT_EQ(
      error_text("format: fathom-robot-1\nname: x\nhull: {}\ndamping: []\n"),
      "bad.yaml:3: hull lacks the key mass (kg, dry)\n"
      "bad.yaml:3: hull lacks the key inertia (kg m^2 about the centre of mass)\n"
      "bad.yaml:3: hull lacks the key centre_of_mass (m; [0, 0, 0] if the body origin is there)\n"
      "bad.yaml:3: hull lacks the key volume (m^3 of displaced water)\n"
      "bad.yaml:3: hull lacks the key centre_of_buoyancy (m; z is down, so above the origin is negative)\n"
      "bad.yaml:3: hull lacks the key added_mass (6 numbers or 6x6, positive; or sname_added_mass with SNAME's "
      "signs)");
}

TEST(ReaderKeyErrors, NameWhatAThrusterAndASensorLack) {
  EXPECT_EQ(error_text(test::small_file() + "thrusters:\n  - {name: t}\nsensors:\n  - {name: s}\n"),
            "bad.yaml:15: thrusters[0] lacks the key position (x, y, z in m, body axes)\n"
            "bad.yaml:15: thrusters[0] lacks the key direction (of the force on the vehicle for positive "
            "thrust, such "
            "as [1, 0, 0])\n"
            "bad.yaml:17: sensors[0] lacks the key kind (such as imu, dvl, depth)");
}

TEST(ReaderKeyErrors, RefuseTwoKeysForOneThing) {
  EXPECT_EQ(error_text(changed("  added_mass:", "  sname_added_mass: [-1, -1, -1, -1, -1, -1]\n  added_mass:")),
            "bad.yaml:9: hull.sname_added_mass stands beside added_mass (give one of them)");
  EXPECT_EQ(error_text(changed("    linear:", "    sname_linear: [-1, -1, -1, -1, -1, -1]\n    linear:")),
            "bad.yaml:12: damping[0].sname_linear stands beside linear (give one of them)");
  EXPECT_EQ(
      error_text(changed("    linear:", "    attitude: [0, 0, 1]\n    attitude_deg: [0, 0, 90]\n    linear:")),
      "bad.yaml:13: damping[0].attitude_deg stands beside attitude (give one of them)");
}

TEST(ReaderKeyErrors, RefuseAnotherFormat) {
  EXPECT_EQ(
      error_text(changed("fathom-robot-1", "fathom-robot-2")),
      "bad.yaml:1: format = 'fathom-robot-2', expected fathom-robot-1 (was it written for a newer Fathom?)");
  EXPECT_EQ(
      error_text(changed("fathom-robot-1", "fathom-arm-1")),
      "bad.yaml:1: format = 'fathom-arm-1': this is an arm, not a robot (fathom identify --what arm; fathom "
      "excite by a problem with arm: ...)");
}

TEST(ReaderKeyErrors, NameTheNearestWordWhereWordsAreExpected) {
  EXPECT_EQ(error_text(changed("damping:", "  symmetry: [port_starbord]\ndamping:")),
            "bad.yaml:10: hull.symmetry[0] = 'port_starbord', expected port_starboard, fore_aft or top_bottom "
            "(did you "
            "mean port_starboard?)");
  std::vector<std::string> kinds;
  for (const SensorKind kind : sensor_kinds) kinds.emplace_back(name_of(kind));
  EXPECT_EQ(
      error_text(test::small_file() + "sensors: [{name: s, kind: imo}]\n"),
      "bad.yaml:14: sensors[0].kind = 'imo', expected one of " + join(kinds, ", ") + " (did you mean imu?)");
  EXPECT_EQ(error_text(test::small_file() + "sensors: [{name: s, kind: dvl, noise: {velosity: 1}}]\n"),
            "bad.yaml:14: sensors[0].noise has the unknown key 'velosity' (did you mean velocity?)");
  EXPECT_EQ(error_text(with(test::rich_file(), "      u: [-6,", "      uu: [-6,")),
            "bad.yaml:39: damping[1].sname_quadratic has the unknown key 'uu' (did you mean u?)");
}

TEST(ReaderKeyErrors, SayWhatStandsWhereAMapOrAListShould) {
  EXPECT_EQ(error_text("format: fathom-robot-1\nname: x\nhull: 5\ndamping: 5\n"),
            "bad.yaml:3: hull is '5', expected a map of keys (lines of 'key: value', indented alike)\n"
            "bad.yaml:4: damping is '5', expected a list (start each entry with '- ')");
  EXPECT_EQ(error_text(changed("name: small", "name: {a: b}")),
            "bad.yaml:2: name is a map, expected text (put it in quotes)");
  EXPECT_EQ(error_text(test::small_file() + "? [a]\n: 1\n"),
            "bad.yaml:1: has a key that is not a word (a word before the colon)");
}

TEST(ReaderKeyErrors, GiveTheLineOfAKeyWithoutValue) {
  EXPECT_EQ(error_text("format: fathom-robot-1\nname: x\nhull:\ndamping: []\n"),
            "bad.yaml:3: hull is nothing, expected a map of keys (lines of 'key: value', indented alike)");
}

}  // namespace
}  // namespace fathom::model::reader_key_errors_test
