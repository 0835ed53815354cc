#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "fathom/geometry/test/random_geometry.hpp"
#include "fathom/model/robot.hpp"
#include "fathom/model/structure.hpp"
#include "fathom/model/test/random_thruster_map.hpp"

namespace fathom::model::test {

using fathom::test::random_matrix;

/// A positive definite matrix with full entries.
template <class Matrix>
Matrix random_definite(RandomStream& random) {
  const Matrix a = random_matrix<Matrix>(random);
  return Matrix(a * a.transpose() + 0.1 * Matrix::Identity());
}

/// Entries >= 0, some of them zero, some infinite.
template <class Matrix>
Matrix random_sigma(RandomStream& random) {
  return random_matrix<Matrix>(random).cwiseMax(0).unaryExpr(
      [](double x) { return x > 1.5 ? std::numeric_limits<double>::infinity() : x; });
}

/// A covariance of full rank with sigmas of many sizes; with `some_unknown`, every fifth variance is infinite.
inline Eigen::MatrixXd random_covariance(std::size_t size, bool some_unknown, RandomStream& random) {
  const auto n = static_cast<Eigen::Index>(size);
  Eigen::MatrixXd root(n, n);
  for (double& entry : root.reshaped()) entry = random.normal();
  Eigen::VectorXd sigma(n);
  for (double& entry : sigma) entry = std::pow(10, random.uniform(-6, 2));
  Eigen::MatrixXd covariance = sigma.asDiagonal() * root * root.transpose() * sigma.asDiagonal();
  covariance = (0.5 * (covariance + covariance.transpose())).eval();
  for (Eigen::Index k = 2; some_unknown && k < n; k += 5) {
    covariance.row(k).setZero();
    covariance.col(k).setZero();
    covariance(k, k) = std::numeric_limits<double>::infinity();
  }
  return covariance;
}

/// Text with everything that YAML gives a meaning to.
inline std::string random_text(RandomStream& random) {
  static const std::array<const char*, 27> pieces = {
      "plain words", "\"", "'",  "\\", "\n", "\t",           ": ",     " #",     "- ",
      "{",           "}",  "[",  "]",  ",",  "\r",           "é µ",    "深",     "🤖",
      "|",           ">",  "  ", "%",  "&",  "\x01\x1f\x7f", "\u0085", "\u2028", "\ufeff"};
  std::string text;
  for (int k = static_cast<int>(random.uniform(1, 12)); k > 0; --k)
    text += pieces[static_cast<std::size_t>(random.uniform(0, pieces.size()))];
  return text;
}

/// Sometimes a source, sometimes an assumption, sometimes a sigma.
template <class T>
void decorate(Value<T>& value, const T& sigma, RandomStream& random) {
  const double kind = random.uniform();
  if (kind < 0.4) value.source = random_text(random);
  if (kind > 0.7) {
    value.assumed = true;
    if (kind > 0.8) value.source = random_text(random);
  }
  if (random.uniform() < 0.5) value.sigma = sigma;
}

inline QuadraticDrag random_drag(RandomStream& random, double share) {
  QuadraticDrag drag;
  for (Mat6& Q : drag.by_speed) {
    if (random.uniform() > share) continue;
    const Mat6 turn = random_matrix<Mat6>(random);
    Q = random_definite<Mat6>(random) + (turn - turn.transpose());  // a skew part takes no power
  }
  return drag;
}

inline DragElement random_element(const std::string& name, RandomStream& random) {
  DragElement element;
  element.name = name;
  if (random.uniform() < 0.7) element.position_b.value = random_matrix<Vec3>(random);
  if (random.uniform() < 0.7) element.attitude_rpy.value = random_matrix<Vec3>(random);  // of no round degrees
  decorate(element.position_b, random_sigma<Vec3>(random), random);
  decorate(element.attitude_rpy, random_sigma<Vec3>(random), random);
  element.linear.value = random_definite<Mat6>(random);
  decorate(element.linear, random_sigma<Mat6>(random), random);
  element.quadratic.value = random_drag(random, 0.7);
  QuadraticDrag sigma;
  for (Mat6& Q : sigma.by_speed) Q = random_sigma<Mat6>(random);
  decorate(element.quadratic, sigma, random);
  return element;
}

inline Hull random_hull(RandomStream& random) {
  Hull hull;
  hull.mass.value = std::pow(10, random.uniform(-3, 6));
  decorate(hull.mass, random.uniform(), random);
  const Mat3 spread =
      random_definite<Mat3>(random);  // second moments of mass: any definite matrix is some body
  hull.inertia.value = hull.mass.value * (spread.trace() * Mat3::Identity() - spread);
  decorate(hull.inertia, random_sigma<Mat3>(random), random);
  hull.centre_of_mass.value = 1e-3 * random_matrix<Vec3>(random);
  decorate(hull.centre_of_mass, random_sigma<Vec3>(random), random);
  hull.volume.value = hull.mass.value / 1000 * random.uniform(0.9, 1.1);
  decorate(hull.volume, random.uniform(), random);
  hull.centre_of_buoyancy.value = 1e-12 * random_matrix<Vec3>(random);
  decorate(hull.centre_of_buoyancy, random_sigma<Vec3>(random), random);
  hull.added_mass.value = hull.mass.value * random_definite<Mat6>(random);
  decorate(hull.added_mass, random_sigma<Mat6>(random), random);
  if (random.uniform() < 0.5) {
    hull.size.emplace();
    hull.size->value = Vec3(1.1, 1.2, 1.3) * std::cbrt(hull.volume.value);
    decorate(*hull.size, random_sigma<Vec3>(random), random);
  }
  return hull;
}

inline Thruster random_thruster(const std::string& name, RandomStream& random) {
  Thruster thruster;
  thruster.name = name;
  thruster.position_b.value = random_matrix<Vec3>(random);
  decorate(thruster.position_b, random_sigma<Vec3>(random), random);
  thruster.direction_b.value = random_matrix<Vec3>(random);
  decorate(thruster.direction_b, random_sigma<Vec3>(random), random);
  if (random.uniform() < 0.5) {
    thruster.force.emplace();
    thruster.force->value = {-random.uniform(), random.uniform()};
    decorate(*thruster.force, ForceRange{random.uniform(), 0}, random);
  }
  const double kind = random.uniform();
  if (kind < 0.2) {
    random_motor(thruster, random);
    if (random.uniform() < 0.3) thruster.transient->law = *motor_rates(thruster.transient);
  } else if (kind < 0.8) {
    thruster.map = random_map(random);
    if (random.uniform() < 0.5) {
      thruster.map->source = random_text(random);
      thruster.map->assumed = random.uniform() < 0.5;
    }
  }
  if (kind > 0.5) thruster.transient = Transient{FirstOrder{std::exp(random.uniform(-7, 1))}, "", false};
  if (thruster.transient && random.uniform() < 0.3) thruster.transient->flow = random_flow(random);
  if (thruster.map && random.uniform() < 0.3) thruster.map_name = "map of " + name;
  if (thruster.transient && random.uniform() < 0.3) thruster.transient_name = random_text(random) + name;
  return thruster;
}

inline Sensor random_sensor(const std::string& name, RandomStream& random) {
  Sensor sensor;
  sensor.name = name;
  sensor.kind = sensor_kinds[static_cast<std::size_t>(random.uniform(0, sensor_kinds.size()))];
  for (const ChannelTable& table : channel_tables)
    for (const NoiseChannel& channel : noise_channels(sensor.kind))
      if (random.uniform() < 0.7) {
        Value<double>& value = (sensor.*table.values)[std::string(channel.name)];
        value.value = std::exp(random.uniform(-40, 5));
        decorate(value, random.uniform(), random);
      }
  if (random.uniform() < 0.5) {
    sensor.latency.emplace().value = random.uniform(0, 10);
    decorate(*sensor.latency, random.uniform(), random);
  }
  if (random.uniform() < 0.5) sensor.drop_out.emplace().probability = random.uniform(0, 0.5);
  if (sensor.drop_out && random.uniform() < 0.5) sensor.drop_out->mean_length = random.uniform(1, 20);
  if (sensor.kind == SensorKind::dvl) {
    sensor.beams.emplace().tilt_deg = random.uniform(1, 89);
    for (double& azimuth : sensor.beams->azimuth_deg) azimuth = random.uniform(-180, 360);
    if (random.uniform() < 0.5) sensor.beams->azimuth_deg.pop_back();
    sensor.beams->per_beam = random.uniform() < 0.5;
    sensor.altitude = {random.uniform(), random.uniform(1, 100)};
  }
  if (random.uniform() < 0.5) {
    sensor.rate_hz.emplace().value = random.uniform(0.1, 1000);
    decorate(*sensor.rate_hz, random.uniform(), random);
  }
  if (random.uniform() < 0.5) sensor.position_b.value = random_matrix<Vec3>(random);
  if (random.uniform() < 0.5) sensor.attitude_rpy.value = random_matrix<Vec3>(random);
  decorate(sensor.position_b, random_sigma<Vec3>(random), random);
  decorate(sensor.attitude_rpy, random_sigma<Vec3>(random), random);
  if (random.uniform() < 0.7) sensor.source = random_text(random);
  sensor.assumed = random.uniform() < 0.5;
  return sensor;
}

inline Connector random_connector(const std::string& name, RandomStream& random) {
  Connector connector;
  connector.name = name;
  if (random.uniform() < 0.7) connector.position_b.value = random_matrix<Vec3>(random);
  if (random.uniform() < 0.7) connector.attitude_rpy.value = random_matrix<Vec3>(random);
  decorate(connector.position_b, random_sigma<Vec3>(random), random);
  decorate(connector.attitude_rpy, random_sigma<Vec3>(random), random);
  return connector;
}

/// Of no robot in particular.
inline IdentifiedParameters random_identified(RandomStream& random) {
  const Structure structure = structure_by_name(random.uniform() < 0.5 ? "vehicle-23" : "vehicle-27");
  Eigen::VectorXd values(static_cast<Eigen::Index>(structure.size()));
  for (double& value : values) value = random.normal() * std::pow(10, random.uniform(-9, 9));
  return {random.uniform() < 0.5 ? structure.name : random_text(random), random.uniform(900, 1100),
          random.uniform(9, 10),
          ParameterVector(structure.parameters(values), random_covariance(structure.size(), true, random)),
          random_text(random)};
}

/// By a wrench, which every robot with thrusters takes; with a dead band where they take newton.
inline CommandPath random_command_path(const std::vector<Thruster>& thrusters, RandomStream& random) {
  CommandPath command_path;
  const auto number = [&](double least, double most) {
    Value<double> value{random.uniform(least, most), "", false, std::nullopt};
    decorate(value, random.uniform(0, 2), random);
    return value;
  };
  const bool take_newton =
      std::none_of(thrusters.begin(), thrusters.end(), [](const Thruster& t) { return t.map.has_value(); });
  if (take_newton && random.uniform() < 0.7) command_path.dead_band = number(0, 10);
  if (random.uniform() < 0.5) command_path.gain = number(0.1, 2);
  if (take_newton && random.uniform() < 0.5) command_path.saturation = number(5, 100);
  return command_path;
}

/// A robot that nature allows, with full matrices and numbers that have no short decimals.
inline RobotSpec random_spec(RandomStream& random) {
  RobotSpec spec;
  spec.name = "random_" + std::to_string(static_cast<int>(random.uniform(0, 1e6)));
  if (random.uniform() < 0.5) spec.title = random_text(random);
  if (random.uniform() < 0.5) spec.notes = random_text(random);
  spec.hull = random_hull(random);
  const auto count = [&] { return static_cast<int>(random.uniform(0, 4)); };
  for (int k = count(); k > 0; --k)
    spec.damping.push_back(random_element("drag: " + std::to_string(k), random));
  for (int k = count(); k > 0; --k) spec.thrusters.push_back(random_thruster("t#" + std::to_string(k), random));
  for (int k = count(); k > 0; --k) spec.sensors.push_back(random_sensor("'s' " + std::to_string(k), random));
  for (int k = count(); k > 0; --k)
    spec.connectors.push_back(random_connector("c-" + std::to_string(k), random));
  if (random.uniform() < 0.3) spec.identified = random_identified(random);
  if (!spec.thrusters.empty() && random.uniform() < 0.5)
    spec.command_path = random_command_path(spec.thrusters, random);
  return spec;
}

}  // namespace fathom::model::test
