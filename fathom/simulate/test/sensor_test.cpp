// Clocks, latency, faults and places of simulated sensors, exactly.

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/sensing/imu.hpp"
#include "fathom/simulate/ode.hpp"
#include "fathom/simulate/test/sensors.hpp"

namespace fathom::simulate::sensor_test {
namespace {

using dynamics::State;
using model::SensorKind;
using test::Kept;
using test::make_sensor;
using test::run;
using test::standing;

/// Sinks at 1 m/s: depth is the time.
Truth sinking(double t) {
  Truth truth;
  truth.t = t;
  truth.state.p_nb_n.z() = t;
  truth.state.nu_b[2] = 1;
  return truth;
}

TEST(SimulatedSensor, MeasuresAtItsOwnTimesWhichDoNotDivideTheStep) {
  for (const double rate : {7.0, 10.0, 33.3, 100.0, 250.0}) {
    for (const double latency : {0.0, 0.013, 0.37}) {
      model::Sensor depth = make_sensor(SensorKind::depth, rate);
      depth.latency.emplace().value = latency;
      SimulatedSensor sensor(depth, 1, "depth");
      const double h = 0.01;
      const std::vector<Kept> samples = run(sensor, 20, h, sinking);
      ASSERT_EQ(samples.size(), static_cast<std::size_t>(std::floor((20 - latency) * rate + 1e-6)) + 1) << rate;
      for (std::size_t k = 0; k < samples.size(); ++k) {
        ASSERT_EQ(samples[k].t_measured, static_cast<double>(k) / rate);
        ASSERT_NEAR(samples[k].values[0], samples[k].t_measured, 1e-9) << "the value is of that time";
        ASSERT_EQ(samples[k].t_arrival, samples[k].t_measured + latency);
        ASSERT_GE(samples[k].t_polled, samples[k].t_arrival - 1e-9);
        ASSERT_LE(samples[k].t_polled, std::max(samples[k].t_arrival, h) + h - 1e-9)
            << "not later than the step";
      }
    }
  }
}

TEST(SimulatedSensor, KeepsItsRate) {
  SimulatedSensor sensor(make_sensor(SensorKind::depth, 7), 1, "depth");
  EXPECT_EQ(run(sensor, 1000, 0.05, sinking).size(), 7001u);
  EXPECT_EQ(sensor.counts().due, 7001);
}

TEST(SimulatedSensor, BeginsAtItsPhase) {
  SensorOptions options;
  options.phase = 0.123;
  SimulatedSensor sensor(make_sensor(SensorKind::depth, 10), 1, "depth", options);
  const std::vector<Kept> samples = run(sensor, 1, 0.01, sinking);
  ASSERT_EQ(samples.size(), 9u);
  EXPECT_EQ(samples[0].t_measured, 0.123);
  EXPECT_NEAR(samples[1].values[0], 0.223, 1e-12);
}

TEST(SimulatedSensor, CountsWhatAGapOrALateStartSkips) {
  SensorOptions options;
  options.longest_poll_gap = 0.1;
  SimulatedSensor sensor(make_sensor(SensorKind::depth, 10), 1, "depth", options);
  sensor.step(sinking(100), sinking(100.25));  // begins at 100 s: 1000 ticks from 0 to 99.9
  EXPECT_EQ(sensor.counts().skipped, 1000);
  EXPECT_EQ(sensor.counts().due, 1003);
  sensor.step(sinking(101.05), sinking(101.15));  // 100.3 ... 101.0 are lost
  EXPECT_EQ(sensor.counts().skipped, 1008);
  EXPECT_EQ(sensor.counts().due, 1012);
  Sample sample;
  std::vector<double> times;
  while (sensor.poll(102, sample)) times.push_back(sample.t_measured);
  ASSERT_EQ(times.size(), 3u) << "room for those of longest_poll_gap and two more";
  EXPECT_NEAR(times.back(), 101.1, 1e-12);
  EXPECT_EQ(sensor.counts().pushed_out, 1);
}

TEST(SimulatedSensor, PushesTheOldestOutIfNobodyPolls) {
  SimulatedSensor sensor(make_sensor(SensorKind::depth, 10), 1, "depth");
  for (int k = 0; k < 100; ++k) sensor.step(sinking(k * 0.1), sinking((k + 1) * 0.1));
  Sample sample;
  long arrived = 0;
  while (sensor.poll(10, sample)) ++arrived;
  EXPECT_NEAR(sample.t_measured, 10, 1e-12);
  EXPECT_GE(arrived, 1);
  EXPECT_EQ(sensor.counts().pushed_out + arrived, 101);
}

TEST(SimulatedSensor, GivesTheSameValuesForTheSameSeed) {
  const model::Robot robot = model::read_robot(FATHOM_ROBOTS_DIR "/bluerov2-heavy.yaml");
  for (const model::Sensor& spec : robot.sensors()) {
    SimulatedSensor a(spec, 7, "rov/" + spec.name), b(spec, 7, "rov/" + spec.name),
        c(spec, 8, "rov/" + spec.name);
    const std::vector<Kept> x = run(a, 20, 0.01, sinking), y = run(b, 20, 0.01, sinking),
                            w = run(c, 20, 0.01, sinking);
    ASSERT_EQ(x.size(), y.size());
    ASSERT_GT(x.size(), 50u);
    for (std::size_t k = 0; k < x.size(); ++k) {
      ASSERT_EQ(x[k].t_measured, y[k].t_measured);
      ASSERT_EQ(x[k].values, y[k].values);
    }
    EXPECT_NE(x[0].values, w[0].values) << spec.name;
  }
}

TEST(SimulatedSensor, AFaultChangesOnlyTheSamplesThatItHits) {
  const model::Robot robot = model::read_robot(FATHOM_ROBOTS_DIR "/bluerov2-heavy.yaml");
  for (const model::Sensor& spec : robot.sensors()) {
    SimulatedSensor good(spec, 1, "x"), failing(spec, 1, "x");
    Truth before = sinking(0);
    std::map<double, std::vector<double>> expected;
    Sample sample;
    long failed_deliveries = 0, compared = 0;
    for (int k = 1; k <= 3000; ++k) {
      const Truth after = sinking(k * 0.01);
      if (k == 1000) failing.fail(20);
      good.step(before, after);
      failing.step(before, after);
      while (good.poll(after.t, sample))
        expected[sample.t_measured] = {sample.values.begin(), sample.values.end()};
      while (failing.poll(after.t, sample)) {
        failed_deliveries += sample.t_measured > 10 && sample.t_measured < 20 - 1e-9;
        ASSERT_EQ(expected.at(sample.t_measured),
                  std::vector<double>(sample.values.begin(), sample.values.end()));
        ++compared;
      }
      before = after;
    }
    EXPECT_EQ(failed_deliveries, 0) << spec.name;
    EXPECT_GT(compared, 50);
    EXPECT_NEAR(static_cast<double>(failing.counts().failed), 10 * spec.rate_hz->value, 1.1) << spec.name;
  }
}

TEST(SimulatedSensor, FreezesAndIsRepaired) {
  SimulatedSensor sensor(make_sensor(SensorKind::depth, 10), 1, "depth");
  Truth before = sinking(0);
  std::vector<double> values;
  for (int k = 1; k <= 60; ++k) {
    if (k == 21) sensor.freeze();
    if (k == 41) sensor.repair();
    const Truth after = sinking(k * 0.1);
    sensor.step(before, after);
    Sample sample;
    while (sensor.poll(after.t, sample)) values.push_back(sample.values[0]);
    before = after;
  }
  ASSERT_EQ(values.size(), 61u) << "frozen samples arrive like others";
  EXPECT_NEAR(values[20], 2.0, 1e-12);
  for (std::size_t k = 21; k <= 40; ++k) EXPECT_EQ(values[k], values[20]);
  EXPECT_NEAR(values[41], 4.1, 1e-12);
  EXPECT_EQ(sensor.counts().frozen, 20);
}

TEST(SimulatedSensor, ADvlNeedsTheBottomWithinItsAltitudesAndBeamsThatLookDown) {
  model::Sensor dvl = make_sensor(SensorKind::dvl, 10);
  dvl.altitude = model::AltitudeRange{1, 30};
  dvl.position_b.value = Vec3(0, 0, 0.5);
  SensorOptions options;
  options.bottom_depth = 40;
  SimulatedSensor sensor(dvl, 1, "dvl", options);
  const std::vector<Kept> samples = run(sensor, 45, 0.1, sinking);
  ASSERT_FALSE(samples.empty());
  EXPECT_NEAR(samples.front().t_measured, 9.5, 1e-9);  // 40 - 0.5 - 9.5 = 30
  EXPECT_NEAR(samples.back().t_measured, 38.5, 1e-9);
  EXPECT_EQ(samples.size(), 291u);
  EXPECT_EQ(sensor.counts().no_answer, 451 - 291);

  State rolled;
  rolled.p_nb_n.z() = 20;
  rolled.q_nb = quaternion_from_euler(Vec3(1.5, 0, 0));
  SimulatedSensor blind(dvl, 1, "dvl", options), sees(dvl, 1, "dvl");
  EXPECT_TRUE(run(blind, 1, 0.1, standing(rolled)).empty());
  EXPECT_EQ(run(sees, 1, 0.1, standing(rolled)).size(), 11u) << "without a bottom nothing is checked";
}

TEST(SimulatedSensor, QuantisedAnglesStayWithinPi) {
  model::Sensor ahrs = make_sensor(SensorKind::ahrs, 10);
  ahrs.quantisation["attitude"].value = 0.2;
  ahrs.quantisation["heading"].value = 0.21;  // 15 x 0.21 = 3.15 is beyond pi
  SimulatedSensor sensor(ahrs, 1, "ahrs");
  State state;
  state.q_nb = quaternion_from_euler(Vec3(0.31, -0.29, 3.14));
  const std::vector<Kept> samples = run(sensor, 1, 0.1, standing(state));
  EXPECT_NEAR(samples[0].values[0], 0.4, 1e-12);
  EXPECT_NEAR(samples[0].values[1], -0.2, 1e-12);
  EXPECT_NEAR(samples[0].values[2], 14 * 0.21, 1e-12);
}

TEST(SimulatedSensor, ReadsThrustersBetweenTheInstants) {
  model::Sensor tachometer = make_sensor(SensorKind::thruster_rate, 4);
  SensorOptions options;
  options.thruster_names = {"port", "starboard"};
  SimulatedSensor sensor(tachometer, 1, "rate", options);
  ASSERT_EQ(sensor.columns().size(), 2u);
  EXPECT_EQ(sensor.columns()[1].name, "rate_starboard");
  EXPECT_EQ(sensor.columns()[1].unit, "rad/s");
  const std::array<double, 2> start = {0, 10}, end = {100, -10};
  Truth before, after;
  before.shaft_rates = start;
  after.shaft_rates = end;
  after.t = 1;
  sensor.step(before, after);
  Sample sample;
  ASSERT_TRUE(sensor.poll(1, sample));
  ASSERT_TRUE(sensor.poll(1, sample));
  EXPECT_EQ(sample.t_measured, 0.25);
  EXPECT_EQ(sample.values[0], 25);
  EXPECT_EQ(sample.values[1], 5);
  after.shaft_rates = {};
  after.t = 2;
  EXPECT_THROW(sensor.step(before, after), InputError);
}

TEST(SimulatedSensor, RefusesWhatItCannotSimulate) {
  const auto error_text = [](const model::Sensor& sensor) -> std::string {
    try {
      SimulatedSensor made(sensor, 1, "x");
    } catch (const InputError& error) {
      return error.what();
    }
    return "(it is made)";
  };
  model::Sensor sensor = make_sensor(SensorKind::depth, 10);
  EXPECT_EQ(error_text(sensor), "(it is made)");
  sensor.rate_hz.reset();
  EXPECT_EQ(error_text(sensor),
            "sensor test.rate_hz is missing (samples per second, in the robot file or in SensorOptions)");
  EXPECT_EQ(error_text(make_sensor(SensorKind::thruster_rate, 10)),
            "sensor test.kind needs the thrusters' names (SensorOptions::thruster_names)");
  sensor = make_sensor(SensorKind::depth, 1e6);
  sensor.latency.emplace().value = 5;
  EXPECT_EQ(error_text(sensor),
            "sensor test.latency = 5 s at 1000000 Hz: more than a million samples under way (milliseconds?)");
}

TEST(SimulatedSensor, AnImuOnAnArmSeesTheSimulatedVehicleSAccelerationBetweenInstants) {
  const dynamics::Vehicle vehicle(model::read_robot(FATHOM_ROBOTS_DIR "/bluerov2-heavy.yaml"));
  model::Sensor imu = make_sensor(SensorKind::imu, 37);
  imu.position_b.value = Vec3(0.3, -0.2, 0.1);
  imu.attitude_rpy.value = Vec3(0.1, 0.2, 1);
  SimulatedSensor sensor(imu, 1, "imu");
  const Vec6 tau = (Vec6() << 20, 5, -5, 0.5, 0.3, 2).finished();
  const auto truth_of = [&](double t, const State& state) {
    Truth truth;
    truth.t = t;
    truth.state = state;
    truth.nu_dot_b = dynamics::forward_dynamics(vehicle, state, tau);
    return truth;
  };
  Truth before = truth_of(0, State());
  int checked = 0;
  for (int k = 1; k <= 300; ++k) {
    const Truth after = truth_of(k * 0.01, rk4_step(vehicle, before.state, tau, 0.01));
    sensor.step(before, after);
    Sample sample;
    while (sensor.poll(after.t, sample)) {
      const double part = sample.t_measured - before.t;
      if (part < 0) continue;
      const State state = rk4_step(vehicle, before.state, tau, part);
      const sensing::ImuReading reading =
          sensing::imu(imu.pose(), state, dynamics::forward_dynamics(vehicle, state, tau), Vec3(0, 0, 9.81));
      const Eigen::Map<const Vec3> f(sample.values.data()), omega(sample.values.data() + 3);
      EXPECT_LE((f - reading.specific_force_c).norm(), 2e-3);
      EXPECT_LE((omega - reading.rate_c).norm(), 1e-6);
      ++checked;
    }
    before = after;
  }
  EXPECT_GT(checked, 100);
}

TEST(MotionBetween, IsOfFourthOrderInPoseAndTwistAndOfSecondInAcceleration) {
  model::RobotSpec spec = dynamics::test::random_robot(3).spec();
  for (model::DragElement& element : spec.damping) element.quadratic = {};  // |nu| nu has a kink
  const dynamics::Vehicle vehicle(model::Robot::make(spec));
  RandomStream random(1, "order");
  const State start = dynamics::test::random_state(random, 0.7);
  const Vec6 tau = dynamics::test::random_vec6(random, 20);
  const auto after = [&](double t) {
    State state = start;
    for (int k = 0; k < 200; ++k) state = rk4_step(vehicle, state, tau, t / 200);
    Truth truth;
    truth.t = t;
    truth.state = state;
    truth.nu_dot_b = dynamics::forward_dynamics(vehicle, state, tau);
    return truth;
  };
  struct Errors {
    double p, q, nu, nu_dot;
  };
  const auto errors = [&](double h) -> Errors {
    const Truth exact = after(0.4 * h);
    const TrueMotion motion = motion_between(after(0), after(h), 0.4 * h);
    return {(motion.state.p_nb_n - exact.state.p_nb_n).norm(),
            log_rotation(motion.state.q_nb.conjugate() * exact.state.q_nb).norm(),
            (motion.state.nu_b - exact.state.nu_b).norm(), (motion.nu_dot_b - exact.nu_dot_b).norm()};
  };
  const Errors coarse = errors(0.02), fine = errors(0.01);
  EXPECT_NEAR(std::log2(coarse.p / fine.p), 4, 0.3) << coarse.p << ' ' << fine.p;
  EXPECT_NEAR(std::log2(coarse.q / fine.q), 4, 0.3) << coarse.q << ' ' << fine.q;
  EXPECT_NEAR(std::log2(coarse.nu / fine.nu), 4, 0.3) << coarse.nu << ' ' << fine.nu;
  EXPECT_NEAR(std::log2(coarse.nu_dot / fine.nu_dot), 2, 0.2) << coarse.nu_dot << ' ' << fine.nu_dot;
}

}  // namespace
}  // namespace fathom::simulate::sensor_test
