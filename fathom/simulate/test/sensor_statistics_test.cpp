// The errors of simulated sensors have the statistics that the robot file states.
#include <numbers>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/sensing/usbl.hpp"
#include "fathom/simulate/test/sensors.hpp"
#include "fathom/simulate/test/statistics.hpp"

namespace fathom::simulate::sensor_statistics_test {
namespace {

using dynamics::State;
using model::SensorKind;
using test::allan_variance;
using test::column;
using test::expect_independent;
using test::expect_noise;
using test::expect_variance;
using test::expect_white;
using test::Kept;
using test::make_sensor;
using test::run;
using test::standing;

constexpr double pi = std::numbers::pi;

State tilted() {
  State state;
  state.q_nb = quaternion_from_euler(Vec3(0.3, -0.2, 1));
  state.p_nb_n = Vec3(3, -4, 5);
  state.nu_b << 0.5, -0.2, 0.1, 0.3, -0.1, 0.2;
  return state;
}

TEST(SensorStatistics, NoiseOfAnImuIsWhiteAndAsLargeAsStated) {
  model::Sensor imu = make_sensor(SensorKind::imu, 100);
  imu.noise["acceleration"].value = 0.05;
  imu.noise["rate"].value = 5e-3;
  SimulatedSensor sensor(imu, 1, "imu");
  SimulatedSensor exact(make_sensor(SensorKind::imu, 100), 1, "exact");
  const std::vector<Kept> samples = run(sensor, 300, 0.01, standing(tilted()));
  const std::vector<double> truth = run(exact, 0.01, 0.01, standing(tilted())).front().values;
  ASSERT_EQ(samples.size(), 30001u);
  for (std::size_t k = 0; k < 6; ++k) {
    const std::vector<double> errors = column(samples, k, truth[k]);
    expect_noise(errors, k < 3 ? 0.05 : 5e-3, sensor.columns()[k].name.c_str());
    expect_white(errors, sensor.columns()[k].name.c_str());
    for (std::size_t j = 0; j < k; ++j) expect_independent(errors, column(samples, j, truth[j]), "two axes");
  }
}

TEST(SensorStatistics, TurnOnBiasDiffersBetweenRunsAndStaysInOne) {
  model::Sensor depth = make_sensor(SensorKind::depth, 10);
  depth.bias["depth"].value = 0.02;
  std::vector<double> biases;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    SimulatedSensor sensor(depth, seed, "depth");
    const std::vector<Kept> samples = run(sensor, 0.5, 0.1, standing(State()));
    for (const Kept& sample : samples) ASSERT_EQ(sample.values[0], samples[0].values[0]);
    EXPECT_EQ(samples[0].values[0], sensor.bias()[0]);
    biases.push_back(samples[0].values[0]);
  }
  expect_noise(biases, 0.02, "bias");
}

TEST(SensorStatistics, BiasWalkSpreadsWithTimeWhateverTheRate) {
  constexpr double walk = 0.01, duration = 12;
  for (const double rate : {3.0, 50.0}) {
    model::Sensor depth = make_sensor(SensorKind::depth, rate);
    depth.bias_walk["depth"].value = walk;
    double squares = 0;
    constexpr int runs = 2000;
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
      SimulatedSensor sensor(depth, seed, "depth");
      const double last = run(sensor, duration, 0.25, standing(State())).back().values[0];
      squares += last * last;
    }
    expect_variance(squares, runs, walk * walk * duration, "walk");
  }
}

// sigma_A^2 = N^2 / tau + K^2 tau / 3, N^2 = noise^2 / rate. Differences of neighbouring clusters are
// correlated; half their number is a safe count of degrees of freedom for both kinds of noise (Lesage and
// Audoin 1973).
TEST(SensorStatistics, AllanVarianceHasTheLevelAndTheSlopesOfNoiseAndWalk) {
  constexpr double rate = 10, noise = 0.1, walk = 0.0055;
  model::Sensor depth = make_sensor(SensorKind::depth, rate);
  depth.noise["depth"].value = noise;
  depth.bias_walk["depth"].value = walk;
  SimulatedSensor sensor(depth, 1, "depth");
  const std::vector<double> samples = column(run(sensor, 1e5, 0.1, standing(State())), 0);
  ASSERT_EQ(samples.size(), 1000001u);
  const auto theory = [&](double tau) { return noise * noise / rate / tau + walk * walk * tau / 3; };
  for (const std::size_t m : {5u, 20u, 100u, 500u, 1500u, 4000u}) {
    double clusters = 0;
    const double tau = static_cast<double>(m) / rate, measured = allan_variance(samples, m, &clusters);
    const double degrees = clusters / 2;
    expect_variance(degrees * measured, degrees, theory(tau), "Allan variance");
  }
  const double short_slope = std::log2(allan_variance(samples, 8) / allan_variance(samples, 4));
  EXPECT_NEAR(short_slope, -1, 0.02);
  const double long_slope = std::log2(allan_variance(samples, 4000) / allan_variance(samples, 1000)) / 2;
  EXPECT_NEAR(long_slope, 1, 0.15);
}

TEST(SensorStatistics, QuantisationLeavesAGridAndAddsATwelfthOfAStepSquared) {
  model::Sensor depth = make_sensor(SensorKind::depth, 100);
  depth.noise["depth"].value = 0.004;
  depth.quantisation["depth"].value = 0.005;
  SimulatedSensor sensor(depth, 1, "depth");
  State state;
  state.p_nb_n.z() = 7.0013;
  const std::vector<double> values = column(run(sensor, 500, 0.01, standing(state)), 0);
  double squares = 0;
  for (const double value : values) {
    ASSERT_NEAR(value / 0.005, std::round(value / 0.005), 1e-9);
    squares += (value - 7.0013) * (value - 7.0013);
  }
  expect_variance(squares, static_cast<double>(values.size()), 0.004 * 0.004 + 0.005 * 0.005 / 12,
                  "noise and rounding");
}

TEST(SensorStatistics, DropOutsAreBinomial) {
  model::Sensor depth = make_sensor(SensorKind::depth, 100);
  depth.drop_out.emplace().probability = 0.05;
  SimulatedSensor sensor(depth, 1, "depth");
  const std::vector<Kept> samples = run(sensor, 1000, 0.01, standing(State()));
  const SimulatedSensor::Counts& counts = sensor.counts();
  const double n = 100001;
  EXPECT_EQ(counts.due, 100001);
  EXPECT_EQ(counts.dropped + counts.delivered, counts.due);
  EXPECT_EQ(counts.delivered, static_cast<long>(samples.size()));
  EXPECT_NEAR(static_cast<double>(counts.dropped), 0.05 * n, test::z * std::sqrt(n * 0.05 * 0.95));
  // Independent: a loss follows a loss no more often than an arrival.
  long pairs = 0;
  for (std::size_t k = 1; k < samples.size(); ++k)
    pairs += std::max(0L, std::lround((samples[k].t_measured - samples[k - 1].t_measured) * 100) - 2);
  EXPECT_NEAR(static_cast<double>(pairs), 0.05 * 0.05 * n, test::z * std::sqrt(n * 0.0025 * 1.2));
}

TEST(SensorStatistics, DropOutsComeInRunsOfTheStatedLength) {
  constexpr double p = 0.1, length = 5;
  model::Sensor depth = make_sensor(SensorKind::depth, 100);
  depth.drop_out = model::DropOut{p, length};
  SimulatedSensor sensor(depth, 1, "depth");
  const std::vector<Kept> samples = run(sensor, 2000, 0.01, standing(State()));
  const auto n = static_cast<double>(sensor.counts().due);
  double runs = 0, lost = 0;
  for (std::size_t k = 1; k < samples.size(); ++k) {
    const double gap = std::round((samples[k].t_measured - samples[k - 1].t_measured) * 100) - 1;
    runs += gap > 0;
    lost += gap;
  }
  EXPECT_NEAR(lost / runs, length, test::z * std::sqrt(length * (length - 1) / runs));
  const double memory =
      1 - 1 / length - p / (1 - p) / length;  // of the chain: variance grows by (1 + m) / (1 - m)
  EXPECT_NEAR(static_cast<double>(sensor.counts().dropped), p * n,
              test::z * std::sqrt(n * p * (1 - p) * (1 + memory) / (1 - memory)));
}

TEST(SensorStatistics, DropOutOfNoneAndOfAll) {
  model::Sensor depth = make_sensor(SensorKind::depth, 10);
  depth.drop_out.emplace().probability = 1;
  SimulatedSensor all(depth, 1, "depth");
  EXPECT_TRUE(run(all, 10, 0.1, standing(State())).empty());
  depth.drop_out->probability = 0;
  SimulatedSensor none(depth, 1, "depth");
  EXPECT_EQ(run(none, 10, 0.1, standing(State())).size(), 101u);
}

/// Small rotations from the true attitude, axis by axis.
std::array<std::vector<double>, 3> turns(const std::vector<Kept>& samples, const Quat& truth, bool as_angles) {
  std::array<std::vector<double>, 3> result;
  for (const Kept& sample : samples) {
    const std::vector<double>& v = sample.values;
    const Quat q = as_angles ? quaternion_from_euler(Vec3(v[0], v[1], v[2])) : Quat(v[3], v[4], v[5], v[6]);
    const Vec3 turn = log_rotation(truth.conjugate() * q);
    for (std::size_t k = 0; k < 3; ++k) result[k].push_back(turn[static_cast<Eigen::Index>(k)]);
  }
  return result;
}

TEST(SensorStatistics, HeadingWrapsAndKeepsItsNoise) {
  model::Sensor ahrs = make_sensor(SensorKind::ahrs, 100);
  ahrs.noise["attitude"].value = 0.01;
  ahrs.noise["heading"].value = 0.05;
  SimulatedSensor sensor(ahrs, 1, "ahrs");
  State state;
  state.q_nb = quaternion_from_euler(Vec3(0, 0, pi - 0.01));
  const std::vector<Kept> samples = run(sensor, 200, 0.01, standing(state));
  std::vector<double> errors;
  long wrapped = 0;
  for (const double heading : column(samples, 2)) {
    ASSERT_LE(std::abs(heading), pi);
    wrapped += heading < 0;
    errors.push_back(wrap_angle(heading - (pi - 0.01)));
  }
  EXPECT_GT(wrapped, 1000);
  expect_noise(errors, 0.05, "heading");
  expect_noise(column(samples, 0), 0.01, "roll");
  expect_noise(column(samples, 1), 0.01, "pitch");
}

TEST(SensorStatistics, AnAhrsIsAsGoodNoseDownAsLevel) {
  model::Sensor ahrs = make_sensor(SensorKind::ahrs, 100);
  ahrs.noise["attitude"].value = 0.01;
  ahrs.noise["heading"].value = 0.01;
  SimulatedSensor sensor(ahrs, 1, "ahrs");
  State state;
  state.q_nb = quaternion_from_euler(Vec3(0, -pi / 2, 0));  // body x up: the vertical is about body -x
  const auto errors = turns(run(sensor, 200, 0.01, standing(state)), state.q_nb, true);
  expect_noise(errors[0], 0.01 * std::sqrt(2), "about x: roll and heading together");
  expect_noise(errors[1], 0.01, "about y");
  for (const double e : errors[2]) ASSERT_LE(std::abs(e), 1e-3);  // second order only
}

TEST(SensorStatistics, APositionFixHasItsNoiseInNAndOnTheRightOfItsAttitude) {
  model::Sensor fix = make_sensor(SensorKind::position, 100);
  fix.noise["position"].value = 0.002;
  fix.noise["attitude"].value = 0.005;
  fix.position_b.value = Vec3(0.5, 0.1, -0.2);
  fix.attitude_rpy.value = Vec3(0.1, 0.2, 3);
  SimulatedSensor sensor(fix, 1, "fix");
  const State state = tilted();
  const std::vector<Kept> samples = run(sensor, 200, 0.01, standing(state));
  const Vec3 place = state.p_nb_n + state.q_nb * Vec3(0.5, 0.1, -0.2);
  const auto errors = turns(samples, state.q_nb * fix.pose().q_pc, false);
  for (std::size_t k = 0; k < 3; ++k) {
    expect_noise(column(samples, k, place[static_cast<Eigen::Index>(k)]), 0.002, "position");
    expect_noise(errors[k], 0.005, "attitude");
    expect_white(errors[k], "attitude");
  }
}

TEST(SensorStatistics, AUsblHasItsBearingErrorAcrossTheLineOfSight) {
  model::Sensor usbl = make_sensor(SensorKind::usbl, 10);
  usbl.noise["range"].value = 0.1;
  usbl.noise["bearing"].value = 0.01;
  SensorOptions options;
  options.transceiver = {quaternion_from_euler(Vec3(0.1, 0.2, 0.3)), Vec3(1, 2, 3)};
  for (const Vec3& place : {Vec3(30, -20, 25), Vec3(1, 2, 40)}) {  // aside, and nearly below
    SimulatedSensor sensor(usbl, 1, "usbl", options);
    State state;
    state.p_nb_n = place;
    const Vec3 sight = (place - options.transceiver.p_pc_p).normalized();
    const Vec3 across = sight.unitOrthogonal(), other = sight.cross(across);
    const double range = (place - options.transceiver.p_pc_p).norm();
    std::vector<double> along, sideways, upwards;
    for (const Kept& sample : run(sensor, 2000, 0.1, standing(state))) {
      const sensing::UsblReading reading{sample.values[0], sample.values[1], sample.values[2]};
      const Vec3 error = sensing::usbl_position(reading, options.transceiver) - place;
      along.push_back(reading.range - range);
      sideways.push_back(error.dot(across) / range);
      upwards.push_back(error.dot(other) / range);
    }
    expect_noise(along, 0.1, "range");
    expect_noise(sideways, 0.01, "bearing");
    expect_noise(upwards, 0.01, "bearing");
  }
}

TEST(SensorStatistics, BeamsOfADvlGiveTheVelocityWithTheCovarianceOfLeastSquares) {
  model::Sensor dvl = make_sensor(SensorKind::dvl, 10);
  dvl.noise["velocity"].value = 0.01;
  dvl.beams.emplace().per_beam = true;
  dvl.beams->tilt_deg = 22.5;
  dvl.position_b.value = Vec3(-0.1, 0.2, 0.3);
  SimulatedSensor sensor(dvl, 1, "dvl");
  const sensing::Beams beams = sensing::beams_of(dvl);
  const State state = tilted();
  const Vec3 truth = sensing::dvl_velocity(dvl.pose(), state);
  std::array<std::vector<double>, 3> errors;
  for (const Kept& sample : run(sensor, 2000, 0.1, standing(state))) {
    const Eigen::Map<const Eigen::Vector4d> velocities(sample.values.data());
    const Vec3 error = sensing::velocity_from_beams(beams, velocities) - truth;
    for (std::size_t k = 0; k < 3; ++k) errors[k].push_back(error[static_cast<Eigen::Index>(k)]);
  }
  const double tilt = 22.5 * degree;  // (D D')^-1 of four beams at 45 degrees is diagonal
  expect_noise(errors[0], 0.01 / std::sqrt(2) / std::sin(tilt), "surge");
  expect_noise(errors[1], 0.01 / std::sqrt(2) / std::sin(tilt), "sway");
  expect_noise(errors[2], 0.01 / 2 / std::cos(tilt), "heave");
}

TEST(SensorStatistics, PurposesAndSeedsAreIndependent) {
  model::Sensor depth = make_sensor(SensorKind::depth, 100);
  depth.noise["depth"].value = 1;
  SimulatedSensor a(depth, 1, "rov/depth"), b(depth, 1, "rov2/depth"), c(depth, 2, "rov/depth");
  const std::vector<double> x = column(run(a, 300, 0.01, standing(State())), 0);
  expect_independent(x, column(run(b, 300, 0.01, standing(State())), 0), "purpose");
  expect_independent(x, column(run(c, 300, 0.01, standing(State())), 0), "seed");
}

}  // namespace
}  // namespace fathom::simulate::sensor_statistics_test
