// A GPS from its key in a robot file to the clocks and tracks that its fixes show.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "fathom/base/derivative.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/identify/vehicle/internal/recording_sensors.hpp"
#include "fathom/identify/vehicle/log_alignment.hpp"
#include "fathom/identify/vehicle/test/recording_logs.hpp"
#include "fathom/sensing/position.hpp"
#include "fathom/simulate/test/sensors.hpp"
#include "fathom/simulate/test/statistics.hpp"

namespace fathom::identify::gps_test {
namespace {

using dynamics::State;
using internal::SensorData;
using internal::Source;
using simulate::SimulatedSensor;
using simulate::Truth;
using simulate::test::column;
using simulate::test::Kept;
using test::exact_sensor;
using test::Swim;

/// With a GPS on a mast that stays above the water, 3 m above the vehicle's start.
const char* const robot_text = R"(format: fathom-robot-1
name: small
hull: {mass: 11.5, inertia: [0.16, 0.17, 0.18], centre_of_mass: [0, 0, 0.02], volume: 0.0115,
  centre_of_buoyancy: [0, 0, 0], added_mass: [6, 7, 18, 0.2, 0.2, 0.2]}
damping: []
sensors:
  - name: gps
    kind: gps
    position: [0.3, 0, -0.4]
    rate_hz: 10
    latency: 0.2
    noise: {horizontal: 1.5, vertical: 3}
)";

model::Sensor gps() { return model::parse_robot(robot_text, "small.yaml").sensors().at(0); }

/// Pitch 0.2 rad, heading 1 rad, a dive to 3 m and back in 20 s.
Truth dive(double t) {
  constexpr double omega = std::numbers::pi / 10;
  Truth truth;
  truth.t = t;
  truth.state.q_nb = quaternion_from_euler(Vec3(0, 0.2, 1));
  truth.state.p_nb_n = Vec3(4, -7, 1.5 - 1.5 * std::cos(omega * t));
  truth.state.nu_b.head<3>() = truth.state.q_nb.conjugate() * Vec3(0, 0, 1.5 * omega * std::sin(omega * t));
  truth.nu_dot_b.head<3>() =
      truth.state.q_nb.conjugate() * Vec3(0, 0, 1.5 * omega * omega * std::cos(omega * t));
  truth.nu_dot_b.tail<3>().setZero();
  return truth;
}

TEST(Gps, IsReadFromARobotFileWithItsChannels) {
  const model::Sensor sensor = gps();
  EXPECT_EQ(sensor.kind, model::SensorKind::gps);
  EXPECT_EQ(sensor.noise.at("horizontal").value, 1.5);
  EXPECT_EQ(sensor.noise.at("vertical").value, 3);
  std::string wrong = robot_text;
  wrong.replace(wrong.find("horizontal"), 10, "horizntal");
  EXPECT_NE(
      fathom::test::error_text([&] {
        model::parse_robot(wrong, "small.yaml");
      }).find("small.yaml:12: sensors[0].noise has the unknown key 'horizntal' (did you mean horizontal?)"),
      std::string::npos);
}

TEST(Gps, OfADivingVehicleHasFixesAtTheSurfaceAlone) {
  model::Sensor exact = gps();
  exact.noise.clear();
  SimulatedSensor sensor(exact, 1, "gps");
  const std::vector<Kept> samples = simulate::test::run(sensor, 20, 0.1, dive);
  // The antenna in closed form: x_b and z_b of pitch 0.2, heading 1.
  const Vec3 ahead_n(std::cos(1) * std::cos(0.2), std::sin(1) * std::cos(0.2), -std::sin(0.2));
  const Vec3 down_n(std::cos(1) * std::sin(0.2), std::sin(1) * std::sin(0.2), std::cos(0.2));
  const Vec3 lever_n = 0.3 * ahead_n - 0.4 * down_n;
  std::size_t fixes = 0;
  long due = 0, wet = 0;
  for (int k = 0; k <= 200; ++k) {
    const double t = 0.1 * k;
    const Vec3 antenna_n = dive(t).state.p_nb_n + lever_n;
    ++due;
    if (antenna_n.z() > 0.2) {
      ++wet;
    } else if (t + 0.2 <= 20) {  // what has arrived
      ASSERT_LT(fixes, samples.size());
      EXPECT_NEAR(samples[fixes].t_measured, t, 1e-9);
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(samples[fixes].values[i], antenna_n[static_cast<Eigen::Index>(i)], 1e-12) << t;
      ++fixes;
    }
  }
  EXPECT_EQ(samples.size(), fixes);
  EXPECT_GT(fixes, 50u);
  EXPECT_GT(wet, 80);
  EXPECT_EQ(sensor.counts().due, due);
  EXPECT_EQ(sensor.counts().no_answer, wet);
  EXPECT_EQ(sensor.counts().dropped, 0);
}

TEST(Gps, HasItsHorizontalAndVerticalNoise) {
  SimulatedSensor sensor(gps(), 1, "gps");
  const std::vector<Kept> samples =
      simulate::test::run(sensor, 400, 0.1, simulate::test::standing(dive(0).state));
  const Vec3 antenna_n = sensing::position(gps().pose(), dive(0).state);
  ASSERT_GT(samples.size(), 3900u);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<double> errors = column(samples, i, antenna_n[static_cast<Eigen::Index>(i)]);
    simulate::test::expect_noise(errors, i < 2 ? 1.5 : 3, sensor.columns()[i].name.c_str());
    simulate::test::expect_white(errors, sensor.columns()[i].name.c_str());
  }
}

TEST(Gps, HasTheJacobianOfItsAntenna) {
  const Pose mount = gps().pose();
  const State state = dive(3).state;
  sensing::Jacobian<3> jacobian;
  sensing::position(mount, state, &jacobian);
  const auto moved = [&](const Eigen::VectorXd& x) -> Eigen::VectorXd {
    State other = state;
    other.q_nb = state.q_nb * exp_rotation(x.head<3>());
    other.p_nb_n += x.segment<3>(3);
    other.nu_b += x.segment<6>(6);
    return sensing::position(mount, other);
  };
  const DerivativeCheck check = check_derivative(moved, Eigen::VectorXd::Zero(12), jacobian.all(), 0.02, 1e-8);
  EXPECT_TRUE(check.ok) << check.text();
}

/// From 3 m of depth, with an antenna and a DVL 4 m above the body, so that both have one speed.
std::pair<model::Robot, Swim> swim_with_mast(double latency, double duration) {
  model::Sensor mast = exact_sensor("gps", model::SensorKind::gps, 10, Vec3(0.2, 0, -4), Vec3::Zero(), latency);
  mast.noise["horizontal"].value = 0.02;
  mast.noise["vertical"].value = 0.04;
  const model::Robot robot = test::with_sensors(
      test::heavy(), {mast, exact_sensor("ahrs", model::SensorKind::ahrs, 20, Vec3::Zero(), Vec3::Zero(), 0),
                      exact_sensor("dvl", model::SensorKind::dvl, 10, Vec3(0.2, 0, -4), Vec3::Zero(), 0)});
  return {robot, test::swim(robot, duration, 0.01)};
}

SensorData read(const log::Dataset& log, const model::Robot& robot) {
  return internal::read_sensors(Source(log, "swim"), "rov.", robot, {});
}

TEST(Gps, FixesArePositionsOfTheSmoother) {
  const auto [robot, swum] = swim_with_mast(0.1, 8);
  const SensorData data = read(swum.log, robot);
  ASSERT_EQ(data.measurements.position.size(), 1u);
  const filter::Readings& fixes = data.measurements.position[0];
  EXPECT_EQ(fixes.sigma, Eigen::VectorXd(Vec3(0.02, 0.02, 0.04)));
  EXPECT_EQ(fixes.lever_b, Vec3(0.2, 0, -4));
  EXPECT_EQ(data.names.at("position 0"), "gps position");
  EXPECT_NEAR(fixes.t[1], 0.1, 1e-12) << "measured, not arrived";
  const Recording recording = make_recording(swum.log, "swim", robot, model::Environment());
  const auto at_4_s = static_cast<Eigen::Index>(std::lround((4 - recording.track.t(0)) / recording.track.dt));
  EXPECT_LT((recording.track.p_nb_n.col(at_4_s) - swum.truth[400].state.p_nb_n).norm(), 0.05);
}

/// A position fix that pauses for longer than it was logged has a clock that was set anew; a GPS was under
/// water.
TEST(Gps, MayPauseForALongDive) {
  const auto [robot, swum] = swim_with_mast(0, 8);
  const log::Dataset paused = test::changed(swum.log, "rov.gps", [](log::Channel& channel) {
    for (std::size_t k = channel.size() / 2; k < channel.size(); ++k) channel.t[k] += 1000;
  });
  EXPECT_EQ(read(paused, robot).measurements.position.size(), 1u);
  model::RobotSpec spec = robot.spec();
  spec.sensors[0].kind = model::SensorKind::position;
  spec.sensors[0].noise.clear();
  const model::Robot other = model::Robot::make(std::move(spec));
  EXPECT_NE(fathom::test::error_text([&] { read(paused, other); }).find("was the clock set anew?"),
            std::string::npos);
}

TEST(Gps, ShowsItsClock) {
  const auto [robot, swum] = swim_with_mast(0, 40);
  const log::Dataset late = test::changed(swum.log, "rov.gps", [](log::Channel& channel) {
    for (double& t : channel.t) t += 0.3;
  });
  const filter::Alignment alignment = filter::align_clocks(shared_motion(late, &robot), "rov.dvl");
  bool found = false;
  for (const filter::ChannelOffset& offset : alignment.channels)
    if (offset.channel == "rov.gps") {
      found = true;
      EXPECT_EQ(offset.why_not, "");
      EXPECT_NEAR(offset.seconds, 0.3, std::max(0.01, 4 * offset.sigma));
    }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace fathom::identify::gps_test
