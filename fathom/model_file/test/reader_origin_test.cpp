#include <gtest/gtest.h>

#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::reader_origin_test {
namespace {

using test::changed;
using test::error_text;
using test::with;

Robot rich() { return parse_robot(test::rich_file(), "rich.yaml"); }

TEST(Origin, OfAValueGoesBeforeThatOfItsSection) {
  const Robot robot = rich();
  const Hull& hull = robot.hull();
  EXPECT_EQ(hull.mass.source, "scale, \"3 May\"");
  EXPECT_EQ(hull.inertia.source, "a box");
  EXPECT_TRUE(hull.inertia.assumed);
  EXPECT_EQ(hull.size->source, "a ruler");
  EXPECT_TRUE(hull.size->assumed);
  EXPECT_EQ(robot.damping()[0].quadratic.source, "CFD");
  EXPECT_FALSE(robot.damping()[0].quadratic.assumed);
}

TEST(Origin, OfTheSectionGoesToItsBareValuesAndToMapsWithoutOne) {
  const Robot robot = rich();
  const Hull& hull = robot.hull();
  EXPECT_EQ(hull.centre_of_mass.source, "tank test");      // bare
  EXPECT_EQ(hull.volume.source, "tank test");              // a map with a unit only
  EXPECT_EQ(hull.centre_of_buoyancy.source, "tank test");  // a map with a sigma
  EXPECT_EQ(hull.added_mass.source, "tank test");          // by its SNAME key
  EXPECT_FALSE(hull.volume.assumed);
  EXPECT_EQ(robot.thrusters()[0].position_b.source, "drawing");
  EXPECT_EQ(robot.thrusters()[0].direction_b.source, "drawing");
  EXPECT_EQ(robot.thrusters()[0].force->source, "drawing");
}

TEST(Origin, IsHandedDownAsAnAssumptionToo) {
  const Robot robot = rich();
  EXPECT_EQ(robot.damping()[0].linear.source, "by eye");
  EXPECT_TRUE(robot.damping()[0].linear.assumed);
}

TEST(Origin, StaysEmptyWhereNobodySaidAnything) {
  const Robot robot = rich();
  EXPECT_EQ(robot.damping()[1].linear.source, "");
  EXPECT_FALSE(robot.damping()[1].linear.assumed);
  EXPECT_EQ(robot.thrusters()[1].force->source, "");
  EXPECT_EQ(test::small_robot().hull().mass.source, "");
}

TEST(Origin, OfASensorIsThatOfTheWholeSensor) {
  const Robot robot = rich();
  EXPECT_EQ(robot.sensors()[0].source, "data sheet");
  EXPECT_FALSE(robot.sensors()[0].assumed);
  EXPECT_EQ(robot.sensors()[1].source, "");
  EXPECT_TRUE(robot.sensors()[1].assumed) << "assumed: \"\" says so without a reason";
}

TEST(Origin, DoesNotHandSigmaDown) {
  const Robot robot = rich();
  EXPECT_FALSE(robot.hull().volume.sigma);
  EXPECT_FALSE(robot.damping()[0].linear.sigma);
  EXPECT_EQ(error_text(changed("hull:\n", "hull:\n  sigma: 0.1\n")),
            "bad.yaml:4: hull has the unknown key 'sigma' (known here: source, assumed, mass, inertia, "
            "centre_of_mass, volume, centre_of_buoyancy, added_mass, sname_added_mass, size, symmetry)");
}

TEST(Origin, IsEitherASourceOrAnAssumption) {
  EXPECT_EQ(
      error_text(changed("11.5\n", "{value: 11.5, source: a, assumed: b}\n")),
      "bad.yaml:4: hull.mass.assumed stands beside source (a value is either taken from somewhere or assumed)");
  EXPECT_EQ(
      error_text(changed("hull:\n", "hull:\n  source: a\n  assumed: b\n")),
      "bad.yaml:5: hull.assumed stands beside source (a value is either taken from somewhere or assumed)");
  EXPECT_EQ(error_text(with(test::rich_file(), "assumed: \"\"", "assumed: a, source: b")),
            "bad.yaml:115: sensors[1].assumed stands beside source (a value is either taken from somewhere or "
            "assumed)");
}

TEST(Origin, MustBeText) {
  EXPECT_EQ(error_text(changed("hull:\n", "hull:\n  source: [a, b]\n")),
            "bad.yaml:4: hull.source is a list of 2, expected text (put it in quotes)");
}

}  // namespace
}  // namespace fathom::model::reader_origin_test
