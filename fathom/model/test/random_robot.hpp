#pragma once
#include <array>
#include <cmath>
#include <string>

#include "fathom/geometry/test/random_geometry.hpp"
#include "fathom/model/robot.hpp"
#include "fathom/model/test/random_thruster_map.hpp"

namespace fathom::model::test {

using fathom::test::random_matrix;

/// A positive definite matrix with full entries.
template <class Matrix>
Matrix random_definite(RandomStream& random) {
  const Matrix a = random_matrix<Matrix>(random);
  return Matrix(a * a.transpose() + 0.1 * Matrix::Identity());
}

/// Entries >= 0, some of them zero.
template <class Matrix>
Matrix random_sigma(RandomStream& random) {
  return random_matrix<Matrix>(random).cwiseMax(0);
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
  } else if (kind < 0.8) {
    thruster.map = random_map(random);
    if (random.uniform() < 0.5) {
      thruster.map->source = random_text(random);
      thruster.map->assumed = random.uniform() < 0.5;
    }
  }
  if (kind > 0.5) thruster.transient = Transient{FirstOrder{std::exp(random.uniform(-7, 1))}, "", false};
  if (thruster.map && random.uniform() < 0.3) thruster.map_name = "map of " + name;
  if (thruster.transient && random.uniform() < 0.3) thruster.transient_name = random_text(random) + name;
  return thruster;
}

inline Sensor random_sensor(const std::string& name, RandomStream& random) {
  Sensor sensor;
  sensor.name = name;
  auto kind = sensor_kinds().begin();
  std::advance(kind, static_cast<int>(random.uniform(0, static_cast<double>(sensor_kinds().size()))));
  sensor.kind = kind->first;
  for (const NoiseChannel& channel : kind->second)
    if (random.uniform() < 0.7) {
      Value<double>& noise = sensor.noise[std::string(channel.name)];
      noise.value = std::exp(random.uniform(-40, 5));
      decorate(noise, random.uniform(), random);
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

/// A robot that nature allows, with full matrices and numbers that have no short decimals.
inline RobotSpec random_spec(RandomStream& random) {
  RobotSpec spec;
  spec.name = random_text(random);
  if (random.uniform() < 0.5) spec.title = random_text(random);
  if (random.uniform() < 0.5) spec.notes = random_text(random);
  spec.hull = random_hull(random);
  const auto count = [&] { return static_cast<int>(random.uniform(0, 4)); };
  for (int k = count(); k > 0; --k)
    spec.damping.push_back(random_element("drag: " + std::to_string(k), random));
  for (int k = count(); k > 0; --k) spec.thrusters.push_back(random_thruster("t#" + std::to_string(k), random));
  for (int k = count(); k > 0; --k) spec.sensors.push_back(random_sensor("'s' " + std::to_string(k), random));
  return spec;
}

}  // namespace fathom::model::test
