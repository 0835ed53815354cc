// What sensors measured, brought to body axes and measuring times, against the motion itself.
#include "fathom/identify/vehicle/internal/recording_sensors.hpp"

#include <array>
#include <numbers>

#include <gtest/gtest.h>

#include "fathom/identify/vehicle/test/recording_logs.hpp"

namespace fathom::identify::recording_sensors_test {
namespace {

using filter::Readings;
using internal::SensorData;
using internal::Source;
using test::exact_sensor;
using test::Swim;
using test::swim;

/// Sensors without errors, all of them askew and late.
model::Robot askew() {
  model::Sensor beams =
      exact_sensor("beams", model::SensorKind::dvl, 10, Vec3(0.2, 0.1, 0.3), Vec3(0.3, -0.2, 1), 0.1);
  beams.beams.emplace().per_beam = true;
  model::Sensor bare =
      exact_sensor("fix", model::SensorKind::position, 20, Vec3(-0.4, 0.1, 0.2), Vec3(0, 0.4, -2), 0.04);
  return test::with_sensors(
      test::heavy(),
      {exact_sensor("imu", model::SensorKind::imu, 100, Vec3(0.1, 0, 0), Vec3(3.1, 0.2, 1.5), 0.005),
       exact_sensor("ahrs", model::SensorKind::ahrs, 20, Vec3(0.1, 0, 0), Vec3(0.5, -0.4, 2.5), 0.03),
       exact_sensor("depth", model::SensorKind::depth, 10, Vec3(-0.3, 0.2, 0.1), Vec3::Zero(), 0.02),
       exact_sensor("dvl", model::SensorKind::dvl, 5, Vec3(0, -0.1, 0.2), Vec3(0.1, 0.2, -0.7), 0.1), beams,
       bare});
}

simulate::TrueMotion motion_at(const Swim& swum, double t) {
  const auto k = std::min(static_cast<std::size_t>(std::max(0.0, t) / swum.step), swum.truth.size() - 2);
  return simulate::motion_between(swum.truth[k], swum.truth[k + 1], t);
}

SensorData read(const Swim& swum, const model::Robot& robot, const RecordingOptions& options = {}) {
  return internal::read_sensors(Source(swum.log, "swim"), "rov.", robot, options);
}

double largest_error(const Swim& swum, const Readings& readings,
                     const std::function<Eigen::VectorXd(const dynamics::State&)>& expected) {
  double largest = 0;
  for (std::size_t k = 0; k < readings.t.size(); ++k) {
    const Eigen::VectorXd value = readings.values.col(static_cast<Eigen::Index>(k));
    largest = std::max(largest, (value - expected(motion_at(swum, readings.t[k]).state)).norm());
  }
  return largest;
}

/// Of the rotation between the two.
double largest_turn(const Swim& swum, const Readings& readings) {
  double largest = 0;
  for (std::size_t k = 0; k < readings.t.size(); ++k) {
    const Eigen::Vector4d q = readings.values.col(static_cast<Eigen::Index>(k));
    const Quat error = motion_at(swum, readings.t[k]).state.q_nb.conjugate() * Quat(q[0], q[1], q[2], q[3]);
    largest = std::max(largest, log_rotation(error).norm());
  }
  return largest;
}

TEST(RecordingSensors, RatesAddUpToAnAttitudeWhereNothingElseShowsIt) {
  const model::Robot robot = test::with_sensors(
      test::heavy(), {exact_sensor("gyro", model::SensorKind::imu, 50, Vec3::Zero(), Vec3(0, 0, 1), 0.01),
                      exact_sensor("dvl", model::SensorKind::dvl, 10, Vec3::Zero(), Vec3::Zero(), 0)});
  const Swim swum = swim(robot, 20, 0.005);  // from a level start
  const SensorData data = read(swum, robot);
  ASSERT_EQ(data.measurements.attitude.size(), 1u);
  EXPECT_LT(largest_turn(swum, data.measurements.attitude[0]), 0.02);
  bool is_told = false;
  for (const Finding& warning : data.warnings)
    is_told = is_told || warning.message.find("level at the first sample") != std::string::npos;
  EXPECT_TRUE(is_told);
}

TEST(RecordingSensors, AskewAndLateGiveTheMotionOfTheBody) {
  const model::Robot robot = askew();
  const Swim swum = swim(robot, 8, 0.005);
  ASSERT_GT(swum.truth.back().state.nu_b.tail<3>().norm(), 0.05) << "it must turn, or levers show nothing";
  const SensorData data = read(swum, robot);
  const filter::Measurements& m = data.measurements;
  ASSERT_EQ(m.position.size(), 1u);
  ASSERT_EQ(m.attitude.size(), 2u);
  ASSERT_EQ(m.rate.size(), 1u);
  ASSERT_EQ(m.depth.size(), 1u);
  ASSERT_EQ(m.velocity.size(), 2u);
  const auto point = [](const Readings& readings) {
    return [&](const dynamics::State& s) { return (s.p_nb_n + s.q_nb * readings.lever_b).eval(); };
  };
  EXPECT_LT(largest_error(swum, m.position[0], point(m.position[0])), 1e-9);
  EXPECT_LT(largest_error(swum, m.depth[0],
                          [&](const dynamics::State& s) {
                            return Eigen::VectorXd::Constant(1, point(m.depth[0])(s).z());
                          }),
            1e-9);
  EXPECT_LT(largest_error(swum, m.rate[0], [](const dynamics::State& s) { return s.nu_b.tail<3>().eval(); }),
            1e-9);
  for (const Readings& velocity : m.velocity)
    EXPECT_LT(largest_error(swum, velocity,
                            [&](const dynamics::State& s) {
                              return (s.nu_b.head<3>() + s.nu_b.tail<3>().cross(velocity.lever_b)).eval();
                            }),
              1e-9);
  for (const Readings& attitude : m.attitude) EXPECT_LT(largest_turn(swum, attitude), 1e-9);
  EXPECT_EQ(m.position[0].lever_b, Vec3(-0.4, 0.1, 0.2));
  EXPECT_NEAR(m.position[0].t[1], 0.05, 1e-12) << "measured, not arrived";
  EXPECT_EQ(data.names.at("attitude 1"), "fix attitude");
  EXPECT_EQ(data.names.at("velocity 0"), "dvl velocity");
}

TEST(RecordingSensors, HaveTheSigmasOfTheRobotFileAndOfItsRounding) {
  const model::Robot robot = test::heavy();
  const SensorData data = read(swim(robot, 8, 0.01), robot);
  const filter::Measurements& m = data.measurements;
  EXPECT_NEAR(m.position.at(0).sigma[1], std::sqrt(4e-6 + 1e-8 / 12), 1e-15);
  EXPECT_NEAR(m.depth.at(0).sigma[0], std::sqrt(25e-6 + 4e-6 / 12), 1e-15);
  EXPECT_NEAR(m.rate.at(0).sigma[2], std::hypot(5e-3, 2.66e-4 / std::sqrt(12.0)), 1e-15);
  for (const Finding& warning : data.warnings) EXPECT_EQ(warning.severity, Severity::note) << warning.text();
}

/// Tilt about the sensor's x and y, heading about the vertical: on its side, an AHRS knows its pitch axis
/// worst.
TEST(RecordingSensors, SigmaOfAnAhrsFollowsTheVertical) {
  constexpr double quarter = std::numbers::pi / 2;
  for (const double roll : {0.0, quarter}) {
    model::Sensor ahrs = exact_sensor("ahrs", model::SensorKind::ahrs, 20, Vec3::Zero(), Vec3(roll, 0, 0), 0);
    ahrs.noise["attitude"].value = 0.01;
    ahrs.noise["heading"].value = 0.035;
    const model::Robot robot = test::with_sensors(
        test::heavy(),
        {ahrs, exact_sensor("fix", model::SensorKind::position, 20, Vec3::Zero(), Vec3::Zero(), 0)});
    Swim still = swim(robot, 6, 0.01);
    for (const double body_roll : {0.0, quarter}) {
      still.log = test::changed(still.log, "rov.ahrs", [&](log::Channel& channel) {
        for (std::size_t k = 0; k < channel.size(); ++k)
          for (std::size_t i = 0; i < 3; ++i)
            channel.values[3 * k + i] = std::array{body_roll + roll, 0.0, 0.3}[i];
      });
      const Eigen::VectorXd sigma = read(still, robot).measurements.attitude.at(0).sigma;
      const Vec3 tilt = roll == 0 ? Vec3(0.01, 0.01, 0) : Vec3(0.01, 0, 0.01);
      const Vec3 heading = body_roll == 0 ? Vec3(0, 0, 0.035) : Vec3(0, 0.035, 0);
      const Vec3 expected = (tilt.cwiseAbs2() + heading.cwiseAbs2()).cwiseSqrt().cwiseMax(0.01);
      EXPECT_LT((sigma - expected).norm(), 1e-9) << roll << " " << body_roll << "\n" << sigma.transpose();
    }
  }
}

TEST(RecordingSensors, SigmaOfBeamsIsThatOfTheirLeastSquares) {
  model::Sensor dvl = exact_sensor("dvl", model::SensorKind::dvl, 10, Vec3::Zero(), Vec3::Zero(), 0);
  dvl.beams.emplace().per_beam = true;  // four at 30 degrees
  dvl.noise["velocity"].value = 0.02;
  const model::Robot robot = test::with_sensors(
      test::heavy(), {dvl, exact_sensor("ahrs", model::SensorKind::ahrs, 20, Vec3::Zero(), Vec3::Zero(), 0)});
  const SensorData data = read(swim(robot, 8, 0.01), robot);
  // Four Janus beams: sigma / (sqrt(2) sin 30) along x and y, sigma / (2 cos 30) along z.
  const Eigen::VectorXd sigma = data.measurements.velocity.at(0).sigma;
  EXPECT_NEAR(sigma[0], 0.02 / (std::sqrt(2.0) * 0.5), 1e-12);
  EXPECT_NEAR(sigma[1], 0.02 / (std::sqrt(2.0) * 0.5), 1e-12);
  EXPECT_NEAR(sigma[2], 0.02 / std::sqrt(3.0), 1e-12);
}

TEST(RecordingSensors, WithoutNoiseGetAUsualSigmaAndAWarning) {
  const model::Robot robot = askew();
  const SensorData data = read(swim(robot, 8, 0.01), robot);
  EXPECT_EQ(data.measurements.velocity.at(0).sigma, Eigen::VectorXd(Vec3::Constant(0.01)));
  const auto warned = [&](const std::string& message) {
    return std::any_of(data.warnings.begin(), data.warnings.end(), [&](const Finding& finding) {
      return finding.severity == Severity::warning && finding.message == message;
    });
  };
  EXPECT_TRUE(warned("the robot file gives sensor 'dvl' no noise of velocity; 0.01 is taken"));
  EXPECT_TRUE(warned("the robot file gives sensor 'ahrs' no noise of heading; 0.03 is taken"));
}

TEST(RecordingSensors, ABeamThatIsDeadDoesNotCostTheVelocity) {
  const model::Robot robot = askew();
  Swim swum = swim(robot, 8, 0.005);
  swum.log = test::changed(swum.log, "rov.beams", [](log::Channel& beams) {
    for (std::size_t k = 0; k < beams.size(); ++k) beams.values[4 * k + 2] = std::nan("");
    for (std::size_t k = 0; k < 7; ++k) beams.values[4 * k] = std::nan("");
  });
  const SensorData data = read(swum, robot);
  const Readings& velocity = data.measurements.velocity.at(1);
  EXPECT_TRUE(velocity.values.leftCols(7).array().isNaN().all());
  for (Eigen::Index k = 7; k < velocity.values.cols(); ++k) {
    const dynamics::State s = motion_at(swum, velocity.t[static_cast<std::size_t>(k)]).state;
    ASSERT_LT((velocity.values.col(k) - s.nu_b.head<3>() - s.nu_b.tail<3>().cross(velocity.lever_b)).norm(),
              1e-9);
  }
  ASSERT_EQ(data.dropped.size(), 1u);
  EXPECT_EQ(data.dropped[0].why, "beams: samples of too few beams");
  EXPECT_EQ(data.dropped[0].samples, 7u);
}

TEST(RecordingSensors, LeaveTheTruthAloneUnlessItIsNamed) {
  const model::Robot robot = askew();
  const Swim swum = swim(robot, 8, 0.005);
  const SensorData data = read(swum, robot);
  for (const auto& [key, name] : data.names) EXPECT_EQ(name.find("state"), std::string::npos) << key;

  RecordingOptions options;
  options.sensors = {"state"};
  const SensorData truth = read(swum, robot, options);
  const filter::Measurements& m = truth.measurements;
  ASSERT_EQ(m.position.size() + m.attitude.size() + m.rate.size() + m.velocity.size(), 4u);
  EXPECT_EQ(m.depth.size(), 0u);
  EXPECT_EQ(
      largest_error(swum, m.velocity[0], [](const dynamics::State& s) { return s.nu_b.head<3>().eval(); }), 0);
  EXPECT_EQ(largest_error(swum, m.rate[0], [](const dynamics::State& s) { return s.nu_b.tail<3>().eval(); }),
            0);
  EXPECT_LT(largest_turn(swum, m.attitude[0]), 1e-12);
  EXPECT_LT(m.position[0].sigma.maxCoeff(), 1e-4);
}

TEST(RecordingSensors, OutsideFromAndUntilAreDroppedAndCounted) {
  const model::Robot robot = askew();
  const Swim swum = swim(robot, 14, 0.01);
  RecordingOptions options;
  options.sensors = {"fix"};
  options.from = 4;
  options.until = 10;
  const SensorData data = read(swum, robot, options);
  const std::vector<double>& t = data.measurements.position.at(0).t;
  EXPECT_NEAR(t.front(), 2, 1e-9) << "two seconds of margin for the smoother";
  EXPECT_NEAR(t.back(), 12, 1e-9);
  ASSERT_EQ(data.dropped.size(), 1u);
  EXPECT_EQ(data.dropped[0].why, "fix: samples outside from and until");
  EXPECT_EQ(data.dropped[0].samples, 40u + 39u);
}

TEST(RecordingSensors, TellOfChannelsThatTheyDoNotKnowAndOfGaps) {
  const model::Robot robot = askew();
  Swim swum = swim(robot, 8, 0.01);
  swum.log = test::changed(swum.log, "rov.fix", [](log::Channel& fix) {
    fix.t.erase(fix.t.begin() + 40, fix.t.begin() + 59);  // of 20 Hz
    fix.values.erase(fix.values.begin() + 40 * 7, fix.values.begin() + 59 * 7);
  });
  log::Channel extra = swum.log.channel("rov.depth");
  extra.info.name = "rov.deph";
  swum.log.add(extra);
  const SensorData data = read(swum, robot);
  std::vector<std::string> texts;
  for (const Finding& finding : data.warnings) texts.push_back(finding.text());
  const auto told = [&](const std::string& part) {
    return std::any_of(texts.begin(), texts.end(),
                       [&](const std::string& text) { return text.find(part) != std::string::npos; });
  };
  EXPECT_TRUE(told("channel 'rov.deph' is of no sensor of robot")) << testing::PrintToString(texts);
  EXPECT_TRUE(told("did you mean 'depth'?"));
  EXPECT_TRUE(told("fix position: 1 gaps, the longest 1 s, at a step of 0.05 s"));
}

}  // namespace
}  // namespace fathom::identify::recording_sensors_test
