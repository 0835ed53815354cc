// What each measurement is, by means other than its own formula.
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <sstream>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/geometry/test/random_geometry.hpp"
#include "fathom/sensing/attitude.hpp"
#include "fathom/sensing/columns.hpp"
#include "fathom/sensing/dvl.hpp"
#include "fathom/sensing/imu.hpp"
#include "fathom/sensing/position.hpp"
#include "fathom/sensing/usbl.hpp"

namespace fathom::sensing::measurement_test {
namespace {

using dynamics::State;
using dynamics::test::random_state;
using fathom::test::random_matrix;
using fathom::test::random_pose;

constexpr double pi = std::numbers::pi;
const Vec3 gravity(0, 0, 9.81);

/// A motion in closed form: the pose is a smooth function of t, and everything else follows by differences.
struct Path {
  static Vec3 p(double t) { return {std::sin(0.7 * t), 0.5 * std::cos(1.1 * t), 2 + 0.3 * std::sin(0.9 * t)}; }
  static Quat q(double t) {
    return quaternion_from_euler(Vec3(0.4 * std::sin(1.3 * t), 0.3 * std::cos(0.8 * t), 2 * t));
  }
};

template <class F>
auto derivative(const F& f, double t, double h = 1e-2) -> decltype(f(t)) {  // sixth order
  const auto difference = [&](double step) -> decltype(f(t)) { return f(t + step) - f(t - step); };
  return (difference(3 * h) - 9 * difference(2 * h) + 45 * difference(h)) / (60 * h);
}

Vec3 omega_of_path(double t) {
  return derivative([&](double s) -> Vec3 { return log_rotation(Path::q(t).conjugate() * Path::q(s)); }, t);
}
Vec6 nu_of_path(double t) {
  Vec6 nu;
  nu << Path::q(t).conjugate() * Vec3(derivative([](double s) -> Vec3 { return Path::p(s); }, t)),
      omega_of_path(t);
  return nu;
}

TEST(Imu, SeesTheAccelerationOfItsOwnPoint) {
  RandomStream random(1, "imu path");
  for (int k = 0; k < 20; ++k) {
    const Pose mount = random_pose(random);
    const double t = random.uniform(-3, 3);
    State state{Path::q(t), Path::p(t), nu_of_path(t)};
    const Vec6 nu_dot = derivative([](double s) -> Vec6 { return nu_of_path(s); }, t);
    // Twice differentiated: where the sensor's point is in the world. No body axes, no lever-arm formula.
    const auto point = [&](double s) -> Vec3 { return Path::p(s) + Path::q(s) * mount.p_pc_p; };
    const auto speed = [&](double s) -> Vec3 { return derivative(point, s); };
    const Vec3 acceleration_n = derivative(speed, t);
    const Vec3 expected = (Path::q(t) * mount.q_pc).conjugate() * Vec3(acceleration_n - gravity);
    const ImuReading reading = imu(mount, state, nu_dot, gravity);
    EXPECT_LE((reading.specific_force_c - expected).norm(), 1e-7) << "at t = " << t;
    EXPECT_LE((mount.q_pc * reading.rate_c - omega_of_path(t)).norm(), 1e-12);
    // The velocity of the same point, as a DVL there has it.
    const Vec3 v_c = (Path::q(t) * mount.q_pc).conjugate() * speed(t);
    EXPECT_LE((dvl_velocity(mount, state) - v_c).norm(), 1e-9);
    EXPECT_LE((position(mount, state) - point(t)).norm(), 1e-15);
    EXPECT_NEAR(depth(mount, state), point(t).z(), 1e-14);
  }
}

TEST(Imu, AtRestReadsMinusGravity) {
  const ImuReading level = imu({}, {}, Vec6::Zero(), gravity);
  EXPECT_EQ(level.specific_force_c, Vec3(0, 0, -9.81));
  EXPECT_EQ(level.rate_c, Vec3::Zero());
  State rolled;
  rolled.q_nb = quaternion_from_euler(Vec3(pi / 2, 0, 0.3));  // starboard side down: gravity along +y
  EXPECT_LE((imu({}, rolled, Vec6::Zero(), gravity).specific_force_c - Vec3(0, -9.81, 0)).norm(), 1e-14);
  // Mounted upside down, it reads gravity along +z.
  const Pose upside_down{quaternion_from_euler(Vec3(pi, 0, 0)), Vec3(1, 2, 3)};
  EXPECT_LE((imu(upside_down, {}, Vec6::Zero(), gravity).specific_force_c - Vec3(0, 0, 9.81)).norm(), 1e-14);
}

TEST(Imu, OnAnArmOfASpinningBodyReadsTheCentripetalAcceleration) {
  State state;
  state.nu_b[5] = 2;  // rad/s about z
  const Pose mount{Quat::Identity(), Vec3(0.5, 0, 0)};
  EXPECT_LE((imu(mount, state, Vec6::Zero(), gravity).specific_force_c - Vec3(-2, 0, -9.81)).norm(), 1e-14);
  Vec6 nu_dot = Vec6::Zero();
  nu_dot[5] = 3;  // and faster and faster: 3 x 0.5 towards y
  EXPECT_LE((imu(mount, state, nu_dot, gravity).specific_force_c - Vec3(-2, 1.5, -9.81)).norm(), 1e-14);
}

TEST(Dvl, BeamsLeanByTheTiltAndGiveTheVelocityBack) {
  RandomStream random(1, "beams");
  const std::array<double, 5> azimuths = {0, 1, 2, 3, 5};
  for (const Beams& beams : {janus_beams(30 * degree), janus_beams(20 * degree), tilted_beams(0.4, azimuths)})
    for (int k = 0; k < 20; ++k) {
      const Pose mount = random_pose(random);
      const State state = random_state(random);
      BeamVector velocities = beam_velocities(beams, mount, state);
      EXPECT_LE((velocity_from_beams(beams, velocities) - dvl_velocity(mount, state)).norm(), 1e-13);
      velocities[1] = std::numeric_limits<double>::quiet_NaN();  // three beams are enough
      EXPECT_LE((velocity_from_beams(beams, velocities) - dvl_velocity(mount, state)).norm(), 1e-12);
    }
  for (Eigen::Index i = 0; i < 4; ++i) {
    const Vec3 d = janus_beams(30 * degree).directions_c.col(i);
    EXPECT_NEAR(d.norm(), 1, 1e-15);
    EXPECT_NEAR(d.z(), std::cos(30 * degree), 1e-15);
  }
  EXPECT_TRUE(
      velocity_from_beams(janus_beams(0.4), BeamVector::Constant(4, std::nan(""))).array().isNaN().all());
  EXPECT_THROW(tilted_beams(0.4, {}), InputError);
  EXPECT_THROW(tilted_beams(0.4, std::vector<double>(9, 0.0)), InputError);
}

TEST(Dvl, SinkingMakesEveryBeamPositiveAndSurgeTheForeBeams) {
  State state;
  state.nu_b[2] = 1;
  const Beams beams = janus_beams(30 * degree);
  EXPECT_LE((beam_velocities(beams, {}, state) - BeamVector::Constant(4, std::cos(30 * degree))).norm(), 1e-15);
  state.nu_b << 1, 0, 0, 0, 0, 0;
  const double k = std::sin(30 * degree) * std::sqrt(0.5);
  EXPECT_LE((beam_velocities(beams, {}, state) - BeamVector(Eigen::Vector4d(k, -k, -k, k))).norm(), 1e-15);
}

TEST(Dvl, RangesEndOnTheBottom) {
  RandomStream random(1, "ranges");
  const Beams beams = janus_beams(25 * degree);
  int met = 0;
  for (int k = 0; k < 50; ++k) {
    const Pose mount = random_pose(random);
    State state = random_state(random);
    state.p_nb_n = random_matrix<Vec3>(random);
    const BeamVector ranges = beam_ranges(beams, mount, state, 10);
    for (Eigen::Index i = 0; i < 4; ++i) {
      const Vec3 d_n = state.q_nb * (mount.q_pc * Vec3(beams.directions_c.col(i)));
      if (d_n.z() > 0) {
        ++met;
        EXPECT_NEAR((position(mount, state) + ranges[i] * d_n).z(), 10, 1e-8 * ranges[i]);
      } else {
        EXPECT_EQ(ranges[i], std::numeric_limits<double>::infinity());
      }
    }
  }
  EXPECT_GT(met, 50);
}

TEST(Ahrs, GivesTheAnglesOfTheMountedAxes) {
  const Vec3 rpy(0.1, -0.2, 2.5);
  State state;
  state.q_nb = quaternion_from_euler(rpy);
  EXPECT_LE((ahrs({}, state) - rpy).norm(), 1e-15);
  const Pose turned{quaternion_from_euler(Vec3(0, 0, 1)), Vec3::Zero()};
  State level;
  level.q_nb = quaternion_from_euler(Vec3(0, 0, 2.5));
  EXPECT_NEAR(heading(turned, level), 3.5 - 2 * pi, 1e-15);
}

TEST(Usbl, InverseGivesThePlaceBack) {
  RandomStream random(1, "usbl");
  for (int k = 0; k < 100; ++k) {
    const Pose mount = random_pose(random), transceiver = random_pose(random);
    State state = random_state(random);
    state.p_nb_n = 20 * random_matrix<Vec3>(random);
    const Vec3 place = usbl_position(usbl(mount, state, transceiver), transceiver);
    EXPECT_LE((place - position(mount, state)).norm(), 1e-13 * (1 + place.norm()));
  }
}

TEST(Usbl, SeesAVehicleEastAndBelow) {
  State state;
  state.p_nb_n = Vec3(0, 30, 40);
  const UsblReading reading = usbl({}, state);
  EXPECT_NEAR(reading.range, 50, 1e-14);
  EXPECT_NEAR(reading.azimuth, pi / 2, 1e-15);
  EXPECT_NEAR(reading.elevation, std::atan2(40, 30), 1e-15);
  state.p_nb_n = Vec3(0, 0, 10);  // straight below: no azimuth, but a place
  EXPECT_NEAR(usbl({}, state).elevation, pi / 2, 1e-15);
  EXPECT_LE((usbl_position(usbl({}, state)) - Vec3(0, 0, 10)).norm(), 1e-14);
}

/// Words in backticks.
std::string words_of(const std::string& cell) {
  std::string words;
  for (std::size_t at = cell.find('`'); at != std::string::npos; at = cell.find('`', at + 1)) {
    const std::size_t end = cell.find('`', at + 1);
    words += cell.substr(at + 1, end - at - 1) + ' ';
    at = end;
  }
  return words;
}

/// Rows of the table of kinds in docs/sensors.md: kind, frame, channels, columns.
std::map<std::string, std::array<std::string, 3>> documented_kinds() {
  std::map<std::string, std::array<std::string, 3>> rows;
  std::istringstream lines(read_file(FATHOM_SOURCE_DIR "/docs/sensors.md"));
  for (std::string line; std::getline(lines, line) && line != "## Inertial unit";) {
    if (!line.starts_with("| `")) continue;
    std::istringstream cells(line.substr(2));
    std::string kind, frame, channels, columns;
    for (std::string* cell : {&kind, &frame, &channels, &columns}) std::getline(cells, *cell, '|');
    rows[words_of(kind)] = {frame, words_of(channels), words_of(columns)};
  }
  return rows;
}

TEST(Columns, AreThoseOfTheDocumentation) {
  const auto documented = documented_kinds();
  ASSERT_EQ(documented.size(), model::sensor_kinds.size());
  const std::vector<std::string> thrusters = {"<thruster>"};
  for (const model::SensorKind kind : model::sensor_kinds) {
    model::Sensor sensor;
    sensor.kind = kind;
    std::string channels, columns;
    for (const model::NoiseChannel& channel : model::noise_channels(kind))
      channels += std::string(channel.name) + ' ';
    for (const Column& column : columns_of(sensor, thrusters)) columns += column.name + ' ';
    const std::string frame = frame_of(sensor).empty() ? "none" : frame_of(sensor);
    const std::array<std::string, 3> expected = {" " + frame + " ", channels, columns};
    EXPECT_EQ(documented.at(std::string(model::name_of(kind)) + ' '), expected);
  }
}

TEST(Columns, FollowTheBeamsAndThrusters) {
  model::Sensor current;
  current.kind = model::SensorKind::thruster_current;
  const std::vector<Column> currents = columns_of(current, std::vector<std::string>{"port", "aft"});
  EXPECT_EQ(currents, (std::vector<Column>{{"current_port", "A"}, {"current_aft", "A"}}));
  model::Sensor dvl;
  dvl.kind = model::SensorKind::dvl;
  dvl.beams.emplace().per_beam = true;
  EXPECT_EQ(columns_of(dvl).size(), 4u);
  EXPECT_EQ(columns_of(dvl)[3].name, "beam_4");
}

}  // namespace
}  // namespace fathom::sensing::measurement_test
