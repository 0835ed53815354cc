#include "fathom/loop/scenario.hpp"

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/fields/describe.hpp"
#include "fathom/log/description.hpp"
#include "fathom/trajectory/trajectory_file.hpp"

namespace fathom::loop::scenario_test {
namespace {

const std::vector<std::filesystem::path> models = {FATHOM_ROBOTS_DIR};

Scenario read(const std::string& text) { return parse_scenario(text, "dive.yaml", models); }

/// All the problems that reading finds, one a line.
std::string findings(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& error) {
    std::string all;
    for (const Finding& finding : error.findings()) all += finding.text() + "\n";
    return all;
  }
  return "";
}

const std::string head = "format: fathom-scenario-1\nname: dive\nduration: 10\n";
const std::string rov = "vehicles:\n  - robot: bluerov2-heavy\n";

TEST(Scenario, DefaultsAreThoseOfTheStructs) {
  const Scenario scenario = read(head + rov);
  EXPECT_EQ(scenario.name, "dive");
  EXPECT_EQ(scenario.step, 0.01);
  EXPECT_FALSE(scenario.adaptive);
  ASSERT_EQ(scenario.vehicles.size(), 1u);
  EXPECT_EQ(scenario.vehicles[0].name, "bluerov2-heavy");
  EXPECT_TRUE(std::holds_alternative<Drift>(scenario.vehicles[0].control));
  EXPECT_EQ(scenario.vehicles[0].sensors.size(), scenario.vehicles[0].robot.sensors().size());
}

const std::string everything = R"(
format: fathom-scenario-1
name: all
title: everything
duration: 12
step: 0.02
integrator: {kind: dormand_prince, relative: 1.0e-6, absolute: 1.0e-7}
environment:
  density: 1025
  gravity: 9.8
  current:
    constant: [0.1, 0.2, 0]
    profile: [{depth: 0, velocity: [0.3, 0, 0]}, {depth: 10, velocity: [0, 0, 0]}]
    profile_shape: linear
    variation: {sigma: [0.01, 0.02, 0], time: 100}
    ramp: {before: [0, 0, 0], after: [0.1, 0, 0], begin: 1, end: 2, shape: constant_acceleration}
  tank: {min: [0, 0, 0], max: [6.3, 3.7, 1.8]}
  usbl: {position: [1, 2, 0.5], attitude_deg: [180, 0, 0]}
vehicles:
  - name: a
    robot: bluerov2-heavy
    dof: 4
    voltage: 14.8
    command_delay: 0.06
    disturbance: {force: [1, 2, 3], torque: [0.1, 0.2, 0.3], time: 4}
    start: {position: [1, 1, 1], yaw_deg: 90, velocity: [0.1, 0, 0], rates: [0, 0, 0.1]}
    control: {kind: pid, feed_forward: false, bandwidth: [1, 1, 1, 2, 2, 2], damping: 0.9, integral: 0.1, axes: [surge, yaw], believed: bluerov2-heavy}
    reference: {speed: 0.1, acceleration: 0.2, turn_rate_deg: 10, turn_acceleration_deg: 20, waypoints: [{position: [1, 1, 1]}, {position: [2, 1, 1], attitude_deg: [0, 0, 90], hold: 3}]}
    sensors: [imu, depth]
    tether: {anchor: [0, 0, 0], attachment: [-0.2, 0, 0], length: 8, segments: 6, diameter: 0.005, mass_per_length: 0.03, axial_stiffness: 2000}
    faults: [{thruster: front_port, at: 3, becomes: weak, factor: 0.3, known_at: 5}, {sensor: imu, at: 1, until: 2, becomes: frozen}]
  - {name: b, robot: bluerov2-heavy, start: {position: [3, 2, 1]}, control: {kind: joystick, share: 0.2, axes: [surge], hold: [1, 2], rest_share: 0.1, stick_time: 0, point: [-0.1, 0, 0], keep_in: {min: [1, 1, 0.5], max: [5, 3, 1.2]}}}
  - {name: c, robot: bluerov2-heavy, start: {position: [4, 2, 1]}, sensors: none, control: {kind: open_loop, by: pwm, between: linear, commands: [[0, 1500, 1500, 1500, 1500, 1500, 1500, 1500, 1500]]}}
)";

TEST(Scenario, ReadsEverything) {
  const Scenario scenario = read(everything);
  EXPECT_EQ(scenario.adaptive->relative, 1e-6);
  EXPECT_EQ(scenario.environment.density(), 1025);
  EXPECT_EQ(scenario.current.profile.size(), 2u);
  EXPECT_EQ(scenario.current.ramp.shape, simulate::RampShape::constant_acceleration);
  EXPECT_EQ(scenario.tank->max_n, Vec3(6.3, 3.7, 1.8));
  EXPECT_EQ(scenario.usbl_transceiver.p_pc_p, Vec3(1, 2, 0.5));
  const VehicleScenario& a = scenario.vehicles[0];
  EXPECT_EQ(a.dof, model::Dof::four);
  EXPECT_EQ(a.command_delay, 0.06);
  EXPECT_EQ(a.disturbance->sigma_b, (Vec6() << 1, 2, 3, 0.1, 0.2, 0.3).finished());
  EXPECT_EQ(a.disturbance->time, 4);
  EXPECT_EQ(a.voltage, 14.8);
  EXPECT_EQ(a.start.nu_b[5], 0.1);
  const auto& pid = std::get<PidControl>(a.control);
  EXPECT_FALSE(pid.options.feed_forward);
  EXPECT_TRUE(pid.believed);
  EXPECT_TRUE(pid.options.axes[5]);
  EXPECT_FALSE(pid.options.axes[1]);
  EXPECT_EQ(a.reference->waypoints()->points()[1].hold, 3);
  EXPECT_EQ(a.sensors.size(), 2u);
  EXPECT_EQ(a.tether->segments, 6);
  EXPECT_EQ(a.thruster_faults[0].kind, ThrusterFault::Kind::weak);
  EXPECT_EQ(*a.thruster_faults[0].known_at, 5);
  EXPECT_EQ(a.sensor_faults[0].kind, SensorFault::Kind::frozen);
  EXPECT_EQ(std::get<JoystickControl>(scenario.vehicles[1].control).share, 0.2);
  EXPECT_EQ(std::get<JoystickControl>(scenario.vehicles[1].control).options.keep_in->max, Vec3(5, 3, 1.2));
  EXPECT_EQ(std::get<JoystickControl>(scenario.vehicles[1].control).options.point_b, Vec3(-0.1, 0, 0));
  EXPECT_EQ(std::get<OpenLoop>(scenario.vehicles[2].control).by, OpenLoop::By::pwm);
}

TEST(Scenario, StartsOnItsReference) {
  const Scenario scenario =
      read(head + rov +
           "    control: {kind: pid}\n    reference: {waypoints: [{position: [1, 2, 3], yaw_deg: 90}]}\n");
  EXPECT_EQ(scenario.vehicles[0].start.p_nb_n, Vec3(1, 2, 3));
}

/// Whether a finding has this text.
void says(const std::string& text, const std::string& expected) {
  EXPECT_NE(findings(text).find(expected), std::string::npos)
      << "expected: " << expected << "\ngot: " << findings(text);
}

TEST(Scenario, TellsWhatIsWrongWithTheFile) {
  says("[1, 2]", "expected a map of keys");
  says("", "is empty");
  says("a: [", "is not valid YAML");
  says("format: fathom-robot-1\nname: dive\nduration: 1\n" + rov, "this is a robot, not a scenario");
  says("format: fathom-scenario-1\nname: ../up\nduration: 1\n" + rov, "names become file names");
  says("format: fathom-scenario-1\nname: dive\nduration: -3\n" + rov,
       "dive.yaml:3: duration = -3 s, must be > 0");
  says("format: fathom-scenario-1\nname: dive\nduration: .nan\n" + rov, "duration");
  says("format: fathom-scenario-1\nname: dive\n" + rov, "the key duration is missing");
  says("format: fathom-scenario-1\nname: dive\nduration: 1.0e+18\n" + rov, "asks for 1e+20 steps");
  says(head + "step: 0\n" + rov, "step = 0 s, must be > 0");
  says(head + "step: 20\n" + rov, "step = 20 s, must be > 0 and <= 10");
  says(head + "integrator: rk5\n" + rov, "= 'rk5', expected one of rk4, dormand_prince (did you mean rk4?)");
}

TEST(Scenario, TellsWhatIsWrongWithTheEnvironment) {
  says(head + "environment: {tank: {min: [0, 0, 0], max: [1, -1, 1]}}\n" + rov, "min is not below max");
  says(head +
           "environment: {current: {profile: [{depth: 5, velocity: [0, 0, 0]}, {depth: 1, velocity: [0, 0, "
           "0]}]}}\n" +
           rov,
       "environment.current");
  says(head + "environment: {current: [100, 0, 0]}\n" + rov, "environment.current");
  says(head + "environment: {tank: {min: [0, 0, -3], max: [4, 4, -1]}}\n" + rov,
       "the surface of the water is at 0");
  says(head + "environment: {tank: {max: [4, 4, 1]}}\n" + rov, "environment.tank lacks the key min");
  const std::string tank = "environment: {tank: {min: [0, 0, 0], max: [4, 4, 2]}}\n";
  says(head + tank + rov, "starts at [0, 0, 0] with its hull 0.23 m inside the south wall");
  says(head + tank + rov +
           "    control: {kind: pid}\n    reference: {waypoints: [{position: [1, 1, 1]}, {position: [9, 1, "
           "1]}]}\n",
       "has a way-point at [9, 1, 1] with its hull 5.2 m inside the north wall");
}

TEST(Scenario, TellsWhatIsWrongWithAVehicle) {
  says(head + "vehicles: []\n", "is empty");
  says(head + "vehicles:\n  - robot: bluerov2-heavi\n", "dive.yaml:5: vehicles[0].robot ");
  says(head + "vehicles:\n  - robot: bluerov2-heavi\n", "did you mean bluerov2-heavy?");
  says(head + "vehicles:\n  - robot: rexrov\n  - robot: rexrov\n",
       "has the name 'rexrov' of an earlier vehicle");
  says(head + rov + "    name: -rov\n", "a letter or digit first");
  says(head + rov + "    colour: red\n", "unknown key 'colour'");
  says(head + rov + "    dof: 5\n", "= 5, expected 3, 4 or 6");
  says(head + rov + "    dof: 3\n    start: {position: [0, 0, 5], velocity: [0, 0, 1]}\n",
       "starts with w = 1, which 3 degrees of freedom hold at 0");
  says(head + rov + "    dof: 4\n    start: {position: [0, 0, 5], attitude_deg: [5, 0, 0]}\n",
       "starts with roll or pitch");
  says(head + rov + "    dof: 3\n    reference: {waypoints: [{position: [0, 0, 5]}, {position: [0, 0, 6]}]}\n",
       "3 degrees of freedom hold its depth");
  says(head + rov + "    tether: {anchor: [0, 0, 0], length: -1}\n", "vehicles[0].tether");
  says(head + rov + "    tether: {anchor: [0, 0, 0], length: 8, segments: 2.5}\n",
       "= 2.5, expected a whole number");
  says(head + rov + "    tether: {anchor: [0, 0, 0], length: 8, segments: 100, axial_stiffness: 1.0e+12}\n",
       "needs steps of");
  says(head + rov + "    command_delay: 60\n",
       "vehicles[0].command_delay = 60 s, must be 0 to 10 (seconds, not milliseconds?)");
  says(head + rov + "    command_delay: -0.1\n", "command_delay = -0.1 s, must be 0 to 10");
  says(head + "step: 1.0e-5\n" + rov + "    command_delay: 5\n", "has a command_delay of 5e+05 steps, at most");
  says(head + rov + "    disturbance: {force: [1, -1, 0]}\n",
       "vehicles[0].disturbance force[1] = -1, must be >= 0");
  says(head + rov + "    disturbance: {force: [1, 1, 0], time: 0}\n", "time = 0 s, must be > 0");
}

TEST(Scenario, TellsWhatIsWrongWithItsControl) {
  says(head + rov + "    control: {kind: pdi}\n",
       "= 'pdi', expected one of drift, pid, open_loop, joystick (did you mean pid?)");
  says(head + rov + "    control: {kind: pid}\n", "follows a reference, but the vehicle has none");
  says(head + rov +
           "    control: {kind: pid, integral: 3}\n    reference: {waypoints: [{position: [0, 0, 1]}]}\n",
       "the loop would be unstable");
  says(head + rov +
           "    control: {kind: pid, feed_forward: false, feed_forward_model: rexrov}\n    reference: "
           "{waypoints: [{position: [0, 0, 1]}]}\n",
       "feed_forward_model stands beside feed_forward: false");
  says(head + rov + "    reference: {waypoints: []}\n", "has no entry");
  says(head + rov + "    reference: {waypoints: [{position: [0, 0, 1], hold: -1}]}\n",
       "hold = -1 s, must be >= 0");
  says(head + rov + "    reference: {waypoints: [{position: [0, 0, 1]}], sped: 1}\n", "did you mean speed?");
  says(head + rov + "    reference: {waypoints: [{position: [0, 0, 1]}], speed: 300}\n",
       "speed = 300 m/s, must be > 0 and <= 30 (m/s, not mm/s or cm/s?)");
  says(head + rov + "    reference: {waypoints: [{position: [0, 0, 1]}], turn_acceleration_deg: -2}\n",
       "vehicles[0].reference.turn_acceleration_deg = -2 deg/s^2, must be > 0");
  says(head + "environment: {density: 1.025}\n" + rov,
       "environment.density = 1.025 kg/m^3, must be 500 to 2000 (fresh 1000, sea 1025)");
  says(head + rov + "    control: {kind: open_loop, by: force, commands: [[0, 1, 2]]}\n",
       "time, then one for each of the 8 thrusters");
  says(head + rov +
           "    control: {kind: open_loop, by: wrench, commands: [[1, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, "
           "0]]}\n",
       "times must increase");
  says(head + rov + "    control: {kind: open_loop, by: rpm, commands: [[0, 1, 1, 1, 1, 1, 1, 1, 1]]}\n",
       "has no map from it");
  says(head + rov + "    control: {kind: open_loop, by: wrench, commands: nowhere.csv}\n", "nowhere.csv");
  says(head +
           "vehicles:\n  - {robot: nielsen-connector, control: {kind: pid}, reference: {waypoints: [{position: "
           "[0, 0, 1]}]}}\n",
       "steers, but nielsen-connector has no thrusters");
  says(head + "vehicles:\n  - {robot: nielsen-connector, control: {kind: joystick}}\n",
       "steers, but nielsen-connector has no thrusters");
  says(head + rov + "    control: {kind: joystick, hold: [4, 0.5]}\n", "vehicles[0].control hold = [4, 0.5] s");
  says(head + rov + "    control: {kind: joystick, share: 3}\n", "share = 3, must be > 0 and <= 1");
  says(head + rov + "    control: {kind: joystick, keep_in: {min: [0, 0, 0], max: [1, -1, 1]}}\n",
       "vehicles[0].control.keep_in");
}

TEST(Scenario, TellsWhatIsWrongWithSensorsAndFaults) {
  says(
      head + rov + "    sensors: [imu, dlv]\n",
      "dive.yaml:6: vehicles[0].sensors[1] = 'dlv', but bluerov2-heavy has no such sensor (did you mean dvl?)");
  says(head + rov + "    sensors: [imu]\n    faults: [{sensor: dvl, at: 1}]\n",
       "is not among the sensors of this vehicle");
  says(head + rov + "    faults: [{thruster: front_prot, at: 1}]\n",
       "has no such thruster (did you mean front_port?)");
  says(head + rov + "    faults: [{at: 1}]\n", "names neither or both of thruster and sensor");
  says(head + rov + "    faults: [{thruster: front_port, at: 1, becomes: weak, factor: -5}]\n",
       "factor = -5, must be 0 to 1");
  says(head + rov + "    faults: [{thruster: front_port, at: 2, known_at: 1}]\n",
       "= 1 s, before it happens at 2 s");
  says(head + rov + "    faults: [{sensor: imu, at: 1, until: 4}, {sensor: imu, at: 2, until: 3}]\n",
       "has two faults of sensor imu at one time");
}

TEST(Scenario, TheFeedForwardMayHaveAModelOfItsOwn) {
  const Scenario scenario = read(
      head + rov +
      "    control: {kind: pid, feed_forward_model: rexrov}\n    reference: {waypoints: [{position: [0, 0, "
      "5]}]}\n");
  const auto& pid = std::get<PidControl>(scenario.vehicles[0].control);
  EXPECT_FALSE(pid.believed);
  EXPECT_EQ(pid.feed_forward_model->name(), "rexrov");
}

TEST(Scenario, ListsEverythingAtOnce) {
  const std::string all = findings(head + rov + "    dof: 5\n    sensors: [nose]\n    colour: red\n");
  EXPECT_NE(all.find("dof"), std::string::npos);
  EXPECT_NE(all.find("nose"), std::string::npos);
  EXPECT_NE(all.find("colour"), std::string::npos);
}

TEST(Scenario, EveryKeyIsDocumentedAndDefaultsAreInRange) {
  for (const fields::Json& schema :
       {scenario_schema(), log::description_schema(), trajectory::trajectory_schema()})
    EXPECT_EQ(fields::faults(schema), std::vector<std::string>{}) << schema["title"];
}

TEST(Scenario, AllThatShipLoad) {
  const std::filesystem::path folder = std::filesystem::path(FATHOM_SOURCE_DIR) / "data/scenarios";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    EXPECT_NO_THROW({
      const Scenario scenario = read_scenario(entry.path(), models);
      EXPECT_EQ(scenario.name, entry.path().stem().string());
    }) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 5);
}

}  // namespace
}  // namespace fathom::loop::scenario_test
