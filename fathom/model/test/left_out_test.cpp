#include <numbers>

#include <gtest/gtest.h>

#include "fathom/model/robot_parameters.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::left_out_test {
namespace {

using Names = std::vector<std::string>;

const Environment fresh;

Names left_out(const RobotSpec& spec, const Structure& structure) {
  return parameters_of(Robot::make(spec), fresh, structure).left_out;
}

RobotSpec small_spec() { return test::small_robot().spec(); }

TEST(LeftOut, IsNothingForTheFullStructure) {
  for (const Robot& robot : test::all_robots())
    for (const Dof dof : {Dof::three, Dof::four, Dof::six})
      EXPECT_EQ(parameters_of(robot, fresh, full_structure(dof)).left_out, Names{}) << robot.name();
}

TEST(LeftOut, IsNothingForAStructureThatFits) {
  EXPECT_EQ(left_out(small_spec(), structure_by_name("vehicle-24")), Names{});
  EXPECT_EQ(left_out(small_spec(), structure_by_name("vehicle-25")), Names{});
  EXPECT_EQ(left_out(small_spec(), structure_by_name("vehicle-27")), Names{});
}

TEST(LeftOut, NamesTheTermsThatAreNotZero) {
  RobotSpec spec = small_spec();
  spec.hull.added_mass.value(0, 2) = spec.hull.added_mass.value(2, 0) = 0.5;
  spec.damping[0].linear.value(1, 5) = 0.1;
  spec.damping[0].quadratic.value.by_speed[2](2, 4) = 0.2;
  spec.damping[0].quadratic.value.by_speed[2](4, 4) = 0.3;
  EXPECT_EQ(left_out(spec, structure_by_name("vehicle-24")), (Names{"m13", "d26", "q35|3|", "q55|3|"}));
}

TEST(LeftOut, NamesWhatHasNoPlaceInAStructureWithoutQuadraticDamping) {
  EXPECT_EQ(left_out(small_spec(), structure_by_name("vehicle-23")),
            (Names{"q11|1|", "q22|2|", "q33|3|", "q66|6|"}));
}

TEST(LeftOut, DoesNotNameTermsOfHeldVelocities) {
  RobotSpec spec = small_spec();
  spec.damping[0].linear.value(3, 4) = 0.01;  // roll and pitch are held in 4-DoF
  spec.damping[0].quadratic.value = {};
  EXPECT_EQ(left_out(spec, structure_by_name("vehicle-23")), Names{});
}

TEST(LeftOut, NamesWeightAndFirstMomentsThatNobodyHolds) {
  RobotSpec spec = small_spec();
  spec.hull.volume.value = 0.012;
  StructureOptions options;
  options.net_weight = options.first_moments = false;
  EXPECT_EQ(left_out(spec, make_structure("", options)), (Names{"W-B", "zgW-zbB"}));
  options.dof = Dof::four;
  EXPECT_EQ(left_out(spec, make_structure("", options)), Names{"W-B"})
      << "held roll and pitch hide the moments";
  options.dof = Dof::three;
  EXPECT_EQ(left_out(spec, make_structure("", options)), Names{}) << "held heave hides the weight too";
}

TEST(LeftOut, NamesDisplacedElementsWithQuadraticDrag) {
  RobotSpec spec = small_spec();
  DragElement skid;
  skid.name = "skid";
  skid.position_b.value = Vec3(0, 0, 0.2);
  spec.damping.push_back(skid);
  EXPECT_EQ(left_out(spec, full_structure()), Names{}) << "it has no drag yet";
  spec.damping[1].linear.value(0, 0) = 1;
  EXPECT_EQ(left_out(spec, full_structure()), Names{}) << "linear drag moves to the origin";
  spec.damping[1].quadratic.value.by_speed[0](0, 0) = 1;
  EXPECT_EQ(left_out(spec, full_structure()), Names{"quadratic drag of the displaced element skid"});
}

TEST(LeftOut, DoesNotNameRoundingErrors) {
  // Turned by half a turn about z a diagonal matrix stays diagonal, but sin(pi) is 1e-16.
  RobotSpec spec = small_spec();
  DragElement turned;
  turned.name = "turned";
  turned.attitude_rpy.value = Vec3(0, 0, std::numbers::pi);
  turned.linear.value = (Vec6() << 1, 2, 3, 0.1, 0.2, 0.3).finished().asDiagonal();
  spec.damping.push_back(turned);
  EXPECT_EQ(left_out(spec, structure_by_name("vehicle-24")), Names{});
}

}  // namespace
}  // namespace fathom::model::left_out_test
