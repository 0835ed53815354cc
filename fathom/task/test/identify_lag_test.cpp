// What becomes of the lag of thrusters on its way through `fathom identify`.
#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/identify/vehicle/identified_robot.hpp"
#include "fathom/identify/vehicle/test/recordings.hpp"
#include "fathom/identify/vehicle/thruster_lag.hpp"
#include "fathom/model/candidates.hpp"
#include "fathom/model/robot_parameters.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/task/identify/vehicle.hpp"

namespace fathom::task::identify_lag_test {
namespace {

using identify::CommandRecord;
using identify::Recording;
using identify::ThrusterLag;
using model::ActsOn;

/// Its thrusters take newton and follow at once.
model::Robot newton_robot() {
  model::RobotSpec spec = model::read_robot(FATHOM_ROBOTS_DIR "/bluerov2-heavy.yaml").spec();
  for (model::Thruster& thruster : spec.thrusters) {
    thruster.map.reset();
    thruster.transient.reset();
    thruster.force.reset();
    thruster.map_name = thruster.transient_name = "";
  }
  return model::Robot::make(std::move(spec));
}

/// Random commands of `size`, each for 0.8 s.
CommandRecord commands_of(CommandRecord::Of of, const std::vector<double>& size, double duration) {
  constexpr double hold = 0.05;
  CommandRecord out;
  out.of = of;
  RandomStream random(4, "commands");
  std::vector<double> level(size.size(), 0);
  for (int k = 0; k * hold < duration; ++k) {
    out.t.push_back(hold * k);
    for (std::size_t i = 0; i < size.size(); ++i) {
      if (k % 16 == 0) level[i] = size[i] * random.uniform(-1, 1);
      out.values.push_back(static_cast<float>(level[i]));
    }
  }
  return out;
}

/// Swims in 4-DoF with the drag of `structure`, under what the thrusters of `pushing` make of the commands; the
/// recording has the wrench that `robot` takes them for.
Recording swum(const model::Robot& robot, const model::Robot& pushing, const model::Structure& structure,
               const CommandRecord& commands, const ThrusterLag& lag, double duration) {
  constexpr double dt = 0.02;
  const model::Environment water;
  Recording told;
  told.track.dt = dt;
  told.track.nu_b.setZero(6, static_cast<Eigen::Index>(duration / dt) + 1);
  told.commands = commands;
  const Mat6X tau = identify::LaggedWrench(pushing, water, lag).wrench_b(told);
  const model::Robot plant = identify::identified_robot(
      robot, water, structure, model::parameters_of(robot, water, structure).parameters, "test");
  Recording out = identify::test::swim(
      dynamics::Vehicle(plant, water, structure.dof),
      [&](double t) -> Vec6 {
        return tau.col(std::clamp<Eigen::Index>(std::lround(t / dt), 0, tau.cols() - 1));
      },
      duration, dt);
  out.commands = commands;
  out.tau_b = identify::LaggedWrench(robot, water, {0, ActsOn::force}).wrench_b(out);
  out.track.nu_sigma_b.setConstant(1e-3);
  RandomStream random(5, "noise");
  for (double& value : out.track.nu_b.reshaped()) value += 0.002 * random.normal();
  return out;
}

IdentifyVehicleOptions diagonal() {
  IdentifyVehicleOptions options;
  options.structure = "diagonal";
  options.estimator = "consistent";
  options.compare = false;
  return options;
}

/// A prediction takes a logged wrench as it stands: what its lag is must be in the delay.
TEST(IdentifyLag, OfALoggedWrenchIsInTheDelay) {
  const model::Robot robot = newton_robot();
  const model::Structure structure = model::candidate("diagonal", robot);
  const double lag = 0.2, duration = 60;
  const Recording recording =
      swum(robot, robot, structure, commands_of(CommandRecord::Of::wrench, {25, 25, 25, 0, 0, 4}, duration),
           {lag, ActsOn::force}, duration);
  const IdentifyVehicleResult result = identify_vehicle(robot, model::Environment(), {recording}, diagonal());
  ASSERT_TRUE(result.summary.lag);
  EXPECT_NEAR(result.summary.lag->sum_s, lag, 0.03);
  ASSERT_TRUE(result.robot.identified() && result.robot.identified()->delay);
  EXPECT_NEAR(result.robot.identified()->delay->value, result.summary.lag->sum_s, 0.01);
  EXPECT_EQ(result.robot.spec().thrusters.front().transient, robot.spec().thrusters.front().transient);
}

/// The lag is looked for in wrenches with the gain that was found, and not in those of the file.
TEST(IdentifyLag, DoesNotUndoAGainThatWasFound) {
  model::RobotSpec spec = newton_robot().spec();
  spec.hull.added_mass.sigma = 0.05 * spec.hull.added_mass.value;
  spec.command_path =
      model::CommandPath{model::CommandPath::By::wrench, {}, model::Value<double>{1, "", false, {}}};
  const model::Robot robot = model::Robot::make(spec);
  spec.command_path->gain = model::Value<double>{0.6, "", false, 0.0};
  const model::Robot weak = model::Robot::make(spec);
  const model::Structure structure = model::candidate("diagonal", robot);
  constexpr double duration = 150;
  const std::vector<double> size(robot.thrusters().size(), 15);
  const Recording recording =
      swum(robot, weak, structure, commands_of(CommandRecord::Of::thrusters, size, duration),
           {0.1, ActsOn::force}, duration);
  const IdentifyVehicleResult result = identify_vehicle(robot, model::Environment(), {recording}, diagonal());
  const model::ParameterVector truth = model::parameters_of(robot, model::Environment(), structure).parameters;
  ASSERT_TRUE(result.summary.command_path && result.robot.command_path()->gain);
  EXPECT_NEAR(result.robot.thrust_gain(), 0.6, 0.1);
  for (const char* name : {"m11", "m22", "m33", "m66"})
    for (const auto& p : result.summary.parameters)
      if (p.name == name) EXPECT_NEAR(p.estimate / truth[*truth.find(name)].value, 1, 0.2) << name;
}

}  // namespace
}  // namespace fathom::task::identify_lag_test
