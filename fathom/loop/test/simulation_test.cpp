#include "fathom/loop/simulation.hpp"

#include <cmath>
#include <numbers>
#include <type_traits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/simulate/ode.hpp"

namespace fathom::loop::simulation_test {
namespace {

// A simulation refers to its scenario.
static_assert(std::is_constructible_v<Simulation, const Scenario&, std::uint64_t, log::DatasetSink&>);
static_assert(!std::is_constructible_v<Simulation, Scenario, std::uint64_t, log::DatasetSink&>);
static_assert(!std::is_constructible_v<Simulation, const Scenario, std::uint64_t, log::DatasetSink&>);
static_assert(!std::is_constructible_v<Simulation, const Scenario&, std::uint64_t, log::DatasetSink>);

const std::vector<std::filesystem::path> models = {FATHOM_ROBOTS_DIR};

Scenario scenario_of(const std::string& body) {
  return parse_scenario("format: fathom-scenario-1\nname: test\n" + body, "test.yaml", models);
}

log::Dataset run(const Scenario& scenario, std::uint64_t seed = 1) {
  log::DatasetSink sink;
  Simulation simulation(scenario, seed, sink);
  simulation.run();
  EXPECT_FALSE(simulation.failed());
  return std::move(sink).dataset();
}

double last(const log::Dataset& data, const std::string& channel, const std::string& column) {
  const auto values = data.channel(channel).column(column);
  return values[values.size() - 1];
}

constexpr const char* waypoints = R"(
duration: 30
environment: {current: [0.05, -0.03, 0], tank: {min: [0, 0, 0], max: [6.3, 3.7, 1.8]}}
vehicles:
  - name: rov
    robot: bluerov2-heavy
    control: {kind: pid, feed_forward: true}
    reference:
      waypoints:
        - {position: [1, 1, 0.9], hold: 1}
        - {position: [5, 2.5, 0.7], yaw_deg: 90}
        - {position: [2, 1, 1.2], yaw_deg: -90}
)";

// A drifting vehicle has no thrusters at work, so the bare vehicle's own integrator is the judge.
TEST(Simulation, AgreesWithTheVehicleAloneWhereNothingElseActs) {
  const Scenario scenario = scenario_of(R"(
duration: 20
environment: {current: {constant: [0.2, 0.1, 0]}}
vehicles:
  - {robot: rexrov, name: r, sensors: none, start: {position: [0, 0, 50], attitude_deg: [20, -10, 30], velocity: [1, 0.5, 0], rates: [0, 0, 0.2]}}
)");
  const log::Dataset data = run(scenario);
  const dynamics::Vehicle vehicle(scenario.vehicles[0].robot, scenario.environment);
  dynamics::State state = scenario.vehicles[0].start;
  for (int k = 0; k < 2000; ++k)
    state = simulate::rk4_step(vehicle, state, Vec6::Zero(), 0.01, {Vec3(0.2, 0.1, 0), Vec3::Zero()});
  const log::Channel& truth = data.channel("r.state");
  ASSERT_EQ(truth.size(), 2001u);
  EXPECT_NEAR(truth.t.back(), 20, 1e-12);
  const auto row = truth.row(2000);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(row[static_cast<std::size_t>(i)], state.p_nb_n[i], 1e-9);
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(row[static_cast<std::size_t>(7 + i)], state.nu_b[i], 1e-9);
}

// d u + q u^2 = X in 4-DoF: the thrusters' maps, their inverse, the lag and the allocation are all in between.
TEST(Simulation, ReachesTheSpeedOfTheClosedForm) {
  const Scenario scenario = scenario_of(R"(
duration: 60
vehicles:
  - {robot: bluerov2-heavy, name: r, dof: 4, sensors: none, start: {position: [0, 0, 50]},
     control: {kind: open_loop, by: wrench, commands: [[0, 20, 0, 0, 0, 0, 0]]}}
)");
  const dynamics::Vehicle vehicle(scenario.vehicles[0].robot, scenario.environment, model::Dof::four);
  const double d = dynamics::damping_matrix(vehicle, Vec6::Zero())(0, 0);
  const double q = dynamics::damping_matrix(vehicle, Vec6::Unit(0))(0, 0) - d;
  const double expected = (std::sqrt(d * d + 80 * q) - d) / (2 * q);
  EXPECT_NEAR(last(run(scenario), "r.state", "u"), expected, 1e-6 * expected);
}

Eigen::VectorXd end_state(const std::string& how, const std::string& tether) {
  const Scenario scenario = scenario_of("duration: 4\n" + how + R"(
environment: {current: {constant: [0.2, 0, 0], ramp: {before: [0, 0, 0], after: [0, 0.3, 0], begin: 1, end: 3}}}
vehicles:
  - robot: bluerov2-heavy
    name: r
    sensors: none
    start: {position: [0, 0, 20], velocity: [0.5, 0.8, -0.5], rates: [0, 0, 0.8]}
    control: {kind: open_loop, by: wrench, commands: [[0, 20, 25, -20, 0, 0, 1]]}
)" + tether);
  const log::Dataset data = run(scenario);
  const auto row = data.channel("r.state").row(data.channel("r.state").size() - 1);
  return Eigen::Map<const Eigen::VectorXd>(row.data(), 13);
}

const std::string adaptive =
    "step: 0.05\nintegrator: {kind: dormand_prince, relative: 1.0e-12, absolute: 1.0e-13}";

// Vehicle, lag of the thrusters and accelerating water together. No linear velocity changes its sign, where
// drag is only once differentiable; roll and pitch do, but they are small.
TEST(Simulation, ConvergesWithTheFourthOrder) {
  const Eigen::VectorXd exact = end_state(adaptive, "");
  const double coarse = (end_state("step: 0.02", "") - exact).norm();
  const double fine = (end_state("step: 0.01", "") - exact).norm();
  EXPECT_NEAR(std::log2(coarse / fine), 4, 0.4) << coarse << " " << fine;
  EXPECT_LT(fine, 1e-7);
}

TEST(Simulation, BothIntegratorsAgreeOnATether) {
  const std::string tether = "    tether: {anchor: [-8, 0, 10], length: 15, segments: 4}\n";
  const Eigen::VectorXd exact = end_state(adaptive, tether);
  const double coarse = (end_state("step: 0.01", tether) - exact).norm();
  const double fine = (end_state("step: 0.0025", tether) - exact).norm();
  EXPECT_LT(coarse, 1e-4);
  EXPECT_LT(fine, coarse / 30);  // a line that goes slack and taut is smooth, but over 1e-3 of strain only
}

TEST(Simulation, OverAnHourTheQuaternionStaysAUnitAndEnergyIsNeverGained) {
  const Scenario scenario = scenario_of(R"(
duration: 3600
vehicles:
  - {robot: bluerov2-heavy, name: r, sensors: none, start: {position: [0, 0, 50], attitude_deg: [60, 0, 0], velocity: [1, 0.5, -0.5], rates: [1, 0.5, 0.8]}}
)");
  const dynamics::Vehicle vehicle(scenario.vehicles[0].robot, scenario.environment);
  class Watch : public log::Sink {
   public:
    explicit Watch(const dynamics::Vehicle& vehicle) : vehicle_(vehicle) {}
    std::size_t open(const log::ChannelInfo& info) override {
      if (info.name == "r.state") state_ = channels_;
      return channels_++;
    }
    void append(std::size_t channel, double, std::span<const double> row) override {
      if (channel != state_) return;
      dynamics::State state;
      state.q_nb = Quat(row[3], row[4], row[5], row[6]);
      state.p_nb_n = Vec3(row[0], row[1], row[2]);
      for (int i = 0; i < 6; ++i) state.nu_b[i] = row[static_cast<std::size_t>(7 + i)];
      worst_norm = std::max(worst_norm, std::abs(state.q_nb.norm() - 1));
      const double energy =
          dynamics::kinetic_energy(vehicle_, state.nu_b) + dynamics::potential_energy(vehicle_, state);
      if (rows > 0) largest_gain = std::max(largest_gain, energy - energy_);
      energy_ = energy;
      ++rows;
    }
    void close(std::size_t) override {}
    double worst_norm = 0, largest_gain = -HUGE_VAL;
    long rows = 0;

   private:
    const dynamics::Vehicle& vehicle_;
    std::size_t channels_ = 0, state_ = 0;
    double energy_ = 0;
  } watch(vehicle);
  Simulation simulation(scenario, 1, watch);
  simulation.run();
  EXPECT_EQ(watch.rows, 360001);
  EXPECT_LT(watch.worst_norm, 4e-16);
  EXPECT_LT(watch.largest_gain, 1e-9);  // J; the rounding of 13.5 kg at thousands of metres
}

TEST(Simulation, SameSeedSameRowsAndAnotherSeedChangesSensorsAlone) {
  const Scenario scenario = scenario_of(waypoints);
  const log::Dataset a = run(scenario, 1), b = run(scenario, 1), c = run(scenario, 2);
  ASSERT_EQ(a.channels().size(), b.channels().size());
  for (const log::Channel& channel : a.channels()) {
    EXPECT_EQ(channel.t, b.channel(channel.info.name).t) << channel.info.name;
    EXPECT_EQ(channel.values, b.channel(channel.info.name).values) << channel.info.name;
  }
  EXPECT_EQ(a.channel("rov.state").values, c.channel("rov.state").values);
  EXPECT_NE(a.channel("rov.imu").values, c.channel("rov.imu").values);
}

TEST(Simulation, FeedForwardTracksBetterThanPidAlone) {
  Scenario with = scenario_of(waypoints), without = with;
  std::get<PidControl>(without.vehicles[0].control).options.feed_forward = false;
  const auto error = [](const Scenario& scenario) {
    log::NoSink sink;
    Simulation simulation(scenario, 1, sink);
    simulation.run();
    return simulation.vehicle_statistics()[0].tracking->position_rms;
  };
  const double good = error(with), plain = error(without);
  EXPECT_LT(good, 0.5 * plain) << good << " m against " << plain << " m";
  EXPECT_LT(good, 0.1);
}

TEST(Simulation, VehiclesDoNotTouchOneAnother) {
  const Scenario one = scenario_of(waypoints);
  Scenario ten = one;
  for (int k = 1; k < 10; ++k) {
    ten.vehicles.push_back(one.vehicles[0]);
    ten.vehicles.back().name = "rov" + std::to_string(k);
  }
  const log::Dataset alone = run(one), together = run(ten);
  for (const log::Channel& channel : alone.channels())
    EXPECT_EQ(channel.values, together.channel(channel.info.name).values) << channel.info.name;
  EXPECT_EQ(alone.channel("rov.state").values, together.channel("rov9.state").values);
  EXPECT_NE(alone.channel("rov.imu").values, together.channel("rov9.imu").values) << "one noise for all";
}

TEST(Simulation, APlantThatIsNotTheModelIsHeldAllTheSame) {
  Scenario scenario = scenario_of(waypoints);
  model::RobotSpec spec = scenario.vehicles[0].robot.spec();
  spec.hull.added_mass.value *= 1.4;
  spec.hull.mass.value += 0.2;
  auto& pid = std::get<PidControl>(scenario.vehicles[0].control);
  pid.believed = model::Robot::make(spec);
  log::NoSink sink;
  Simulation simulation(scenario, 1, sink);
  simulation.run();
  EXPECT_LT(simulation.vehicle_statistics()[0].tracking->position_rms, 0.15);
}

TEST(Simulation, ADeadThrusterGivesNothingAndAllocationGoesRoundItOnceItKnows) {
  Scenario scenario = scenario_of(waypoints);
  ThrusterFault fault{.thruster = 1, .at = 5};
  scenario.vehicles[0].thruster_faults = {fault};
  const log::Dataset unknown = run(scenario);
  scenario.vehicles[0].thruster_faults[0].known_at = 8;
  const log::Dataset known = run(scenario);
  const std::string name = scenario.vehicles[0].robot.thrusters()[1].name;
  const auto force = known.channel("rov.thrusters").column("force_" + name);
  const auto told_unknown = unknown.channel("rov.thrusters").column("command_" + name);
  const auto told_known = known.channel("rov.thrusters").column("command_" + name);
  const auto& t = known.channel("rov.thrusters").t;
  double before = 0, late = 0;
  for (Eigen::Index k = 0; k < force.size(); ++k) {
    const double time = t[static_cast<std::size_t>(k)];
    if (time < 5) before = std::max(before, std::abs(force[k]));
    if (time > 7) {  // its lag of 0.1 s twenty times over
      EXPECT_LT(std::abs(force[k]), 1e-6) << time;
    }
    if (time > 8.005) {
      EXPECT_EQ(told_known[k], 0) << time;
      late = std::max(late, std::abs(told_unknown[k]));
    }
  }
  EXPECT_GT(before, 0.1);
  EXPECT_GT(late, 0.01) << "an allocation that does not know goes on commanding it";
}

// Nielsen 2019, eq. 4.8, on (pwm - 1500): T(200) = 16.33 N. UUV Simulator's RexROV: T = 0.00031 w |w|.
TEST(Simulation, CommandsByPwmAndRpmGiveTheForcesOfTheMaps) {
  const auto last_force = [](const std::string& robot, const std::string& by, double command,
                             std::size_t thrusters) {
    std::string row = "[0";
    for (std::size_t k = 0; k < thrusters; ++k) row += fmt::format(", {}", command);
    const Scenario scenario =
        scenario_of(fmt::format("duration: 3\nvehicles:\n  - {{robot: {}, name: r, dof: 3, sensors: none, "
                                "start: {{position: [0, 0, 20]}}, "
                                "control: {{kind: open_loop, by: {}, commands: [{}]]}}}}\n",
                                robot, by, row));
    return last(run(scenario), "r.thrusters", "force_" + scenario.vehicles[0].robot.thrusters()[0].name);
  };
  EXPECT_NEAR(last_force("nielsen-sphere-open-loop", "pwm", 1700, 1), 16.33, 0.01);
  EXPECT_NEAR(last_force("rexrov", "rpm", 1000, 8), 0.00031 * std::pow(1000 * 2 * std::numbers::pi / 60, 2),
              1e-6);
  // 1900 us is full ahead of the T200 at 16 V.
  EXPECT_NEAR(last_force("bluerov2-heavy", "pwm", 1900, 8), last_force("bluerov2-heavy", "command", 1, 8),
              1e-9);
  EXPECT_NEAR(last_force("bluerov2-heavy", "force", 12, 8), 12, 1e-6);
}

TEST(Simulation, AWeakOrStuckThrusterDoesAsItSays) {
  Scenario scenario = scenario_of(R"(
duration: 4
vehicles:
  - {robot: bluerov2-heavy, name: r, sensors: none, start: {position: [0, 0, 20]},
     control: {kind: open_loop, by: force, commands: [[0, 10, 10, 10, 10, 0, 0, 0, 0], [2, 4, 4, 4, 4, 0, 0, 0, 0]]},
     faults: [{thruster: front_starboard, becomes: weak, factor: 0.25, at: 0}, {thruster: front_port, becomes: stuck, at: 1.5}]}
)");
  const log::Dataset data = run(scenario);
  EXPECT_NEAR(last(data, "r.thrusters", "force_front_starboard"), 1, 1e-6);
  EXPECT_NEAR(last(data, "r.thrusters", "force_front_port"), 10, 1e-3);
  EXPECT_NEAR(last(data, "r.thrusters", "force_rear_port"), 4, 1e-3);
}

TEST(Simulation, ASilentSensorIsSilentForAsLongAsItSays) {
  Scenario scenario = scenario_of(waypoints);
  std::size_t depth = 0;
  while (scenario.vehicles[0].robot.sensors()[depth].name != "depth") ++depth;
  scenario.vehicles[0].sensor_faults = {{.sensor = depth, .at = 10, .until = 20}};
  const log::Dataset data = run(scenario);
  const auto& t = data.channel("rov.depth").t;
  const double latency = scenario.vehicles[0].robot.sensors()[depth].latency->value;
  int before = 0, during = 0, after = 0;  // what is measured at the very instant was before the fault
  for (const double arrival : t) {
    const double measured = arrival - latency;
    (measured < 10 + 1e-6 ? before : measured < 20 - 1e-6 ? during : after)++;
  }
  EXPECT_GT(before, 50);
  EXPECT_EQ(during, 0);
  EXPECT_GT(after, 50);
}

TEST(Simulation, AWallStopsTheVehicleAndIsReportedOnce) {
  const Scenario scenario = scenario_of(R"(
duration: 15
environment: {tank: {min: [0, 0, 0], max: [3, 3, 3]}}
vehicles:
  - {robot: bluerov2-heavy, name: r, sensors: none, start: {position: [1.5, 1.5, 1.5]},
     control: {kind: open_loop, by: wrench, commands: [[0, 15, 0, 0, 0, 0, 0]]}}
)");
  log::DatasetSink sink;
  Simulation simulation(scenario, 1, sink);
  simulation.run();
  const log::Dataset data = std::move(sink).dataset();
  const double reach = scenario.vehicles[0].robot.hull().size->value.x() / 2;
  EXPECT_LT(data.channel("r.state").column("north").maxCoeff(), 3 - reach + 0.02);
  int begins = 0;
  for (const Event& event : simulation.events()) begins += event.what.starts_with("touches the north") ? 1 : 0;
  EXPECT_GE(begins, 1);
  EXPECT_LE(begins, 3) << "bounces, then rests";
}

TEST(Simulation, ATetherHoldsTheVehicleWithinItsLength) {
  const Scenario scenario = scenario_of(R"(
duration: 40
vehicles:
  - {robot: bluerov2-heavy, name: r, sensors: none, start: {position: [0, 0, 10]},
     control: {kind: open_loop, by: wrench, commands: [[0, 25, 0, 0, 0, 0, 0]]},
     tether: {anchor: [0, 0, 10], length: 6, segments: 5}}
)");
  const log::Dataset data = run(scenario);
  const auto north = data.channel("r.state").column("north"), east = data.channel("r.state").column("east");
  EXPECT_LT((north.array().square() + east.array().square()).sqrt().maxCoeff(), 6.2);
  EXPECT_GT(last(data, "r.tether", "tension"), 10);
}

/// A heavy line hangs from its anchor: by its weight more is carried there than at the vehicle below.
TEST(Simulation, TheLargestTensionIsThatAnywhereOnTheTether) {
  const Scenario scenario = scenario_of(R"(
duration: 20
vehicles:
  - {robot: bluerov2-heavy, name: r, sensors: none, start: {position: [4, 0, 10]}, control: {kind: pid},
     reference: {waypoints: [{position: [4, 0, 10]}]},
     tether: {anchor: [0, 0, 2], length: 10, mass_per_length: 0.3}}
)");
  log::DatasetSink sink;
  Simulation simulation(scenario, 1, sink);
  simulation.run();
  const double largest = simulation.vehicle_statistics()[0].largest_tension;
  const double at_vehicle = std::move(sink).dataset().channel("r.tether").column("tension").maxCoeff();
  EXPECT_GT(largest, at_vehicle + 5);
}

TEST(Simulation, AMotionThatRunsAwayIsToldAndStops) {
  const Scenario scenario = scenario_of(R"(
duration: 10
vehicles:
  - {name: calm, robot: bluerov2-heavy, sensors: none, start: {position: [0, 0, 20]}}
  - {name: wild, robot: bluerov2-heavy, sensors: none, start: {position: [0, 0, 20], velocity: [80, 0, 0]}}  # drag of 1 MN
)");
  log::DatasetSink sink;
  Simulation simulation(scenario, 1, sink);
  simulation.run();
  EXPECT_TRUE(simulation.failed());
  EXPECT_EQ(simulation.failed_vehicle(), "wild");
  const log::Dataset data = std::move(sink).dataset();
  for (const double value : data.channel("wild.state").values) EXPECT_TRUE(std::isfinite(value));
  EXPECT_EQ(data.channel("wild.state").t.back(), simulation.t()) << "the log ends where it says";
}

// From 2.5 m/s the drag of the BlueROV2 Heavy is too stiff for plain steps of 0.2 s.
TEST(Simulation, LongStepsAreSplitWhereDragIsStiff) {
  const auto end = [](const char* step) {
    return last(run(scenario_of(std::string(step) + R"(
duration: 4
vehicles: [{robot: bluerov2-heavy, name: r, sensors: none, start: {position: [0, 0, 20], velocity: [2.5, 0, 0]}}]
)")),
                "r.state", "north");
  };
  EXPECT_NEAR(end("step: 0.2"), end("step: 0.002"), 0.01);
}

// A weak thruster gives `factor` of what it is told. Who knows tells it more.
TEST(Simulation, AKnownWeakThrusterIsMadeUpFor) {
  const Scenario scenario = scenario_of(R"(
duration: 6
vehicles:
  - {robot: bluerov2-heavy, name: r, sensors: none, start: {position: [0, 0, 20]},
     control: {kind: open_loop, by: wrench, commands: [[0, 20, 0, 0, 0, 0, 0]]},
     faults: [{thruster: front_port, becomes: weak, factor: 0.3, at: 1, known_at: 3}]}
)");
  const log::Channel thrusters = run(scenario).channel("r.thrusters");
  const auto wrench_at = [&](double t) {
    std::vector<double> forces;
    const auto row = thrusters.row(static_cast<std::size_t>(std::lround(t / 0.01)));
    forces.assign(row.begin() + 8, row.end());
    return dynamics::thruster_wrench(dynamics::Vehicle(scenario.vehicles[0].robot), forces);
  };
  const Vec6 asked = 20 * Vec6::Unit(0);
  EXPECT_LT((wrench_at(0.99) - asked).norm(), 1e-2);
  EXPECT_GT((wrench_at(2.9) - asked).norm(), 3);
  EXPECT_LT((wrench_at(5.9) - asked).norm(), 1e-6);
}

TEST(Simulation, ShaftAndCurrentShowWhatBefellAThruster) {
  Scenario scenario = scenario_of(R"(
duration: 6
vehicles:
  - {robot: rexrov, name: r, sensors: none, start: {position: [0, 0, 20]},
     control: {kind: open_loop, by: rpm, commands: [[0, 500, 500, 500, 500, 500, 500, 500, 500], [3, 200, 200, 200, 200, 200, 200, 200, 200]]},
     faults: [{thruster: thruster_0, becomes: dead, at: 1}, {thruster: thruster_1, becomes: stuck, at: 1}]}
)");
  model::RobotSpec spec = scenario.vehicles[0].robot.spec();
  model::Sensor tachometer;
  tachometer.name = "rpm";
  tachometer.kind = model::SensorKind::thruster_rate;
  tachometer.rate_hz.emplace().value = 50;
  spec.sensors = {tachometer};
  scenario.vehicles[0].robot = model::Robot::make(spec);
  scenario.vehicles[0].sensors = {0};
  const log::Dataset data = run(scenario);
  const double unit = 2 * std::numbers::pi / 60;
  EXPECT_NEAR(last(data, "r.rpm", "rate_thruster_0"), 0, 1e-6) << "runs out";
  EXPECT_NEAR(last(data, "r.rpm", "rate_thruster_1"), 500 * unit, 1e-3) << "goes on as it was";
  EXPECT_NEAR(last(data, "r.rpm", "rate_thruster_2"), 200 * unit, 1e-3);
}

TEST(Simulation, SaturationIsToldWhereNoThrusterPointsThatWay) {
  const log::Dataset data = run(scenario_of(R"(
duration: 1
vehicles:
  - {robot: nielsen-sphere-open-loop, name: r, sensors: none, start: {position: [0, 0, 20]},
     control: {kind: open_loop, by: wrench, commands: [[0, 0, 20, 0, 0, 0, 0]]}}
)"));
  EXPECT_EQ(last(data, "r.control", "saturated"), 1);
}

// The current does not turn with the hull, and neither does what the integral has learnt of it.
TEST(Simulation, ATurnOnTheSpotInACurrentKeepsThePlace) {
  const log::Channel state = run(scenario_of(R"(
duration: 60
environment: {current: [0.2, 0, 0]}
vehicles:
  - {robot: bluerov2-heavy, name: r, sensors: none, control: {kind: pid},
     reference: {waypoints: [{position: [0, 0, 20], hold: 40}, {position: [0, 0, 20], yaw_deg: 170}]}}
)"))
                                 .channel("r.state");
  double farthest = 0;
  for (std::size_t k = 3500; k < state.size(); ++k)
    farthest = std::max(farthest, std::hypot(state.row(k)[0], state.row(k)[1]));
  EXPECT_LT(farthest, 0.1);
}

// Samples between long steps are those of the motion, not of a straight line through it.
TEST(Simulation, SensorsDoNotSeeTheStep) {
  const auto imu = [](const char* step) {
    Scenario scenario = scenario_of(std::string("integrator: dormand_prince\nduration: 3\nstep: ") + step + R"(
vehicles:
  - {robot: bluerov2-heavy, name: r, sensors: [imu], start: {position: [0, 0, 20], rates: [0, 0, 1]},
     control: {kind: open_loop, by: wrench, commands: [[0, 20, 10, 0, 0, 0, 2]]}}
)");
    return run(scenario).channel("r.imu");
  };
  const log::Channel fine = imu("0.01"), coarse = imu("0.5");
  ASSERT_EQ(fine.t.size(), coarse.t.size());
  double worst = 0;
  for (std::size_t k = 0; k < fine.values.size(); ++k)
    worst = std::max(worst, std::abs(fine.values[k] - coarse.values[k]));
  EXPECT_LT(worst, 0.02);
}

}  // namespace
}  // namespace fathom::loop::simulation_test
