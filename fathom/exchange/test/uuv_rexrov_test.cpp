// RexROV in the words of UUV Simulator against the robot file that ships: two transcriptions of one vehicle.
#include <filesystem>

#include "fathom/exchange/test/round_trip.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::exchange::uuv_rexrov_test {
namespace {

using test::expect_same;

const std::filesystem::path folder =
    std::filesystem::path(FATHOM_SOURCE_DIR) / "fathom" / "exchange" / "test" / "rexrov";

class UuvRexrov : public testing::Test {
 protected:
  const Imported imported = import_model(folder / "rexrov.urdf");
  const model::Robot shipped = model::read_robot(std::filesystem::path(FATHOM_ROBOTS_DIR) / "rexrov.yaml");
};

TEST_F(UuvRexrov, HasTheHullOfTheRobotFile) {
  const model::Hull &hull = shipped.hull(), &back = imported.spec.hull;
  EXPECT_EQ(imported.format, Format::uuv_simulator);
  EXPECT_EQ(imported.spec.name, shipped.name());
  EXPECT_EQ(imported.density, 1028);
  EXPECT_EQ(back.mass.value, hull.mass.value);
  EXPECT_EQ(back.inertia.value, hull.inertia.value);
  EXPECT_EQ(back.centre_of_mass.value, hull.centre_of_mass.value);
  EXPECT_EQ(back.volume.value, hull.volume.value);
  EXPECT_EQ(back.centre_of_buoyancy.value, hull.centre_of_buoyancy.value);
  EXPECT_EQ(back.size->value, hull.size->value);
  EXPECT_EQ(imported.spec.damping[0].linear.value, shipped.damping()[0].linear.value);
  for (std::size_t j = 0; j < 6; ++j)
    EXPECT_EQ(imported.spec.damping[0].quadratic.value.by_speed[j],
              shipped.damping()[0].quadratic.value.by_speed[j]);
}

/// The simulator's file is not symmetric in one entry, and is read as it stands; the robot file has the mirror
/// image, and says so.
TEST_F(UuvRexrov, HasTheAddedMassWithItsOneSlip) {
  Mat6 added = imported.spec.hull.added_mass.value;
  EXPECT_EQ(added(5, 2), 10.775);
  EXPECT_EQ(shipped.hull().added_mass.value(5, 2), 10.774);
  added(5, 2) = 10.774;
  EXPECT_EQ(added, shipped.hull().added_mass.value);
  EXPECT_EQ(imported.places.at("hull.added_mass[5][2]").tag, "added_mass");
  EXPECT_EQ(imported.places.at("hull.added_mass[5][2]").line, 28);
  EXPECT_THROW(model::Robot::make(imported.spec), InputError);
}

TEST_F(UuvRexrov, HasTheThrustersOfTheRobotFile) {
  ASSERT_EQ(imported.spec.thrusters.size(), 8u);
  for (std::size_t k = 0; k < 8; ++k) {
    const model::Thruster &back = imported.spec.thrusters[k], &thruster = shipped.thrusters()[k];
    SCOPED_TRACE(thruster.name);
    EXPECT_EQ(back.name, thruster.name);
    EXPECT_EQ(back.position_b.value, thruster.position_b.value);
    expect_same(back.direction_b.value, thruster.axis_b(), "direction");
    EXPECT_EQ(back.force->value, thruster.force->value);  // of thruster_manager.yaml
    EXPECT_EQ(imported.places.at("thrusters[" + std::to_string(k) + "].force").tag, "max_thrust");
    EXPECT_EQ(back.transient->law, thruster.transient->law);
    const auto& ours = std::get<model::Propeller>(back.map->law);
    EXPECT_EQ(ours, std::get<model::Propeller>(thruster.map->law));
    // The robot file rounds sqrt(2000 / 0.00031) to 2540.003.
    EXPECT_NEAR(back.map->command.max, thruster.map->command.max, 1e-3);
  }
}

/// The matrix that the simulator's own thruster manager computed and published.
TEST_F(UuvRexrov, HasTheAllocationThatTheSimulatorPublished) {
  ASSERT_TRUE(imported.allocation_b.has_value());
  const Mat6X ours = model::allocation_matrix(shipped);
  EXPECT_LE((*imported.allocation_b - ours).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_GT((*imported.allocation_b - ours).cwiseAbs().maxCoeff(), 1e-9);  // theirs went through single floats
}

TEST_F(UuvRexrov, LosesTheMassOfPropellersAlone) {
  ASSERT_EQ(imported.losses.size(), 8u);
  for (const Loss& loss : imported.losses)
    EXPECT_NE(loss.what.find("of 0.001 kg"), std::string::npos) << loss.what;
}

}  // namespace
}  // namespace fathom::exchange::uuv_rexrov_test
