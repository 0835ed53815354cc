// What a plant's thrusters give of what they are told, where the robot file says that they lose some of it.
#include <vector>

#include <gtest/gtest.h>

#include "fathom/model_file/robot_file.hpp"
#include "fathom/simulate/plant.hpp"

namespace fathom::simulate::command_path_test {
namespace {

TEST(CommandPath, ThrustersLoseDeadBandAndGain) {
  model::RobotSpec spec = model::read_robot(FATHOM_ROBOTS_DIR "/bluerov2-heavy.yaml").spec();
  for (model::Thruster& thruster : spec.thrusters) {
    thruster.map.reset();
    thruster.transient.reset();
    thruster.map_name = thruster.transient_name = "";
  }
  model::CommandPath command_path;
  command_path.dead_band = model::Value<double>{3, "", false, std::nullopt};
  command_path.gain = model::Value<double>{0.5, "", false, std::nullopt};
  spec.command_path = command_path;
  Plant plant(model::Robot::make(spec), model::Dof::six, {model::Environment(), CurrentField()});
  plant.command(std::vector<double>{10, -10, 3, -3, 2, 0, 3.5, -40});
  std::vector<Plant::ThrusterReading> readings(plant.thruster_count());
  plant.read_thrusters(0, plant.initial({}), readings);
  const std::vector<double> expected = {3.5, -3.5, 0, 0, 0, 0, 0.25, -18.45};  // -39.9 N is the most in reverse
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(readings[k].force, expected[k], 1e-12) << k;
}

TEST(CommandPath, ThrustersGiveAtMostTheirSaturation) {
  model::RobotSpec spec = model::read_robot(FATHOM_ROBOTS_DIR "/bluerov2-heavy.yaml").spec();
  for (model::Thruster& thruster : spec.thrusters) {
    thruster.map.reset();
    thruster.transient.reset();
    thruster.map_name = thruster.transient_name = "";
  }
  model::CommandPath command_path;
  command_path.dead_band = model::Value<double>{3, "", false, std::nullopt};
  command_path.gain = model::Value<double>{0.5, "", false, std::nullopt};
  command_path.saturation = model::Value<double>{6, "", false, 0.0};
  spec.command_path = command_path;
  Plant plant(model::Robot::make(spec), model::Dof::six, {model::Environment(), CurrentField()});
  plant.command(std::vector<double>{8, -8, 9, -9, 2, 0, 20, -20});
  std::vector<Plant::ThrusterReading> readings(plant.thruster_count());
  plant.read_thrusters(0, plant.initial({}), readings);
  const std::vector<double> expected = {2.5, -2.5, 3, -3, 0, 0, 3, -3};
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(readings[k].force, expected[k], 1e-12) << k;
}

}  // namespace
}  // namespace fathom::simulate::command_path_test
