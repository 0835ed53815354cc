// Drag elements, sensors and connectors: what has a pose on its part gets one on the whole.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "fathom/assembly/internal/merge_parts.hpp"
#include "fathom/base/constants.hpp"

namespace fathom::assembly::internal {
namespace {

using model::Sensor;
using model::Value;

constexpr double place_rounding = 1e-14;
constexpr double no_derivative = 1e-9;  // a derivative that is this small against the others is rounding
constexpr double near_lock = 1e-6;      // cos of a pitch at which roll and yaw cannot be told apart

/// |J| sigma in the sense of independent errors: an infinite one reaches what depends on it.
Vec3 carried(const Mat3& J, const Vec3& sigma) {
  Vec3 result;
  for (int i = 0; i < 3; ++i) {
    double variance = 0;
    for (int j = 0; j < 3; ++j)
      if (std::abs(J(i, j)) > no_derivative) variance += std::pow(J(i, j) * sigma[j], 2);
    result[i] = std::sqrt(variance);
  }
  return result;
}

void tell_moved(Value<Vec3>& value) {
  if (!value.source.empty()) value.source += "; moved with its module";
}

/// omega = E d/dt [roll pitch yaw], in the turned frame: the inverse of euler_rate_matrix, good at any pitch.
Mat3 rate_of_euler(const Vec3& rpy) {
  const double sr = std::sin(rpy.x()), cr = std::cos(rpy.x()), sp = std::sin(rpy.y()), cp = std::cos(rpy.y());
  Mat3 E;
  E << 1, 0, -sp, 0, cr, sr * cp, 0, -sr, cr * cp;
  return E;
}

/// euler_from_quaternion with a yaw that belongs to the roll, so that near a pitch of 90 degrees, where either
/// alone is little but rounding, both together still are the rotation. Roll is zero at 90 degrees to rounding.
Vec3 euler_to_rounding(const Quat& q) {
  const Mat3 R = q.toRotationMatrix();
  const double roll = std::hypot(R(2, 1), R(2, 2)) > place_rounding ? std::atan2(R(2, 1), R(2, 2)) : 0;
  const double pitch = euler_from_quaternion(q).y();
  const Quat rest = q * quaternion_from_euler({roll, pitch, 0}).conjugate();
  return {roll, pitch, std::remainder(2 * std::atan2(rest.z(), rest.w()), 2 * std::numbers::pi)};
}

}  // namespace

double without_rounding(double value, double scale) {
  return std::abs(value) <= place_rounding * scale ? 0.0 : value;
}
Vec3 without_rounding(const Vec3& value, double scale) {
  return value.unaryExpr([scale](double x) { return without_rounding(x, scale); });
}

std::string Names::take(const std::string& part, const std::string& thing) {
  const std::string name = part + '-' + thing;
  std::string result = name;
  for (int k = 2; !taken_.insert(result).second; ++k) result = fmt::format("{}-{}", name, k);
  return result;
}

void move_position(const Pose& pose, Value<Vec3>& position) {
  const double scale = position.value.norm() + pose.p_pc_p.norm();
  position.value = without_rounding(pose * position.value, scale);
  if (position.sigma) position.sigma = carried(pose.q_pc.toRotationMatrix(), *position.sigma);
  tell_moved(position);
}

void turn_direction(const Pose& pose, Value<Vec3>& direction) {
  direction.value = without_rounding(pose.q_pc * direction.value, direction.value.norm());
  if (direction.sigma) direction.sigma = carried(pose.q_pc.toRotationMatrix(), *direction.sigma);
  tell_moved(direction);
}

void turn_attitude(const Pose& pose, Value<Vec3>& attitude_rpy) {
  const Vec3 before = attitude_rpy.value;
  const Vec3 after = euler_to_rounding(pose.q_pc * quaternion_from_euler(before));
  attitude_rpy.value = without_rounding(after, 1);
  tell_moved(attitude_rpy);
  if (!attitude_rpy.sigma || attitude_rpy.sigma->isZero(0)) return;
  // The turn in the mounted frame is the same in both, omega = E(before) d before = E(after) d after.
  if (std::abs(std::cos(after.y())) < near_lock)
    attitude_rpy.sigma =
        Vec3(infinity, carried(rate_of_euler(before), *attitude_rpy.sigma).maxCoeff(), infinity);
  else
    attitude_rpy.sigma = carried(euler_rate_matrix(after) * rate_of_euler(before), *attitude_rpy.sigma);
}

void merge_drag(std::span<const MergePart> parts, model::RobotSpec& spec) {
  Names names;
  for (const MergePart& part : parts)
    for (model::DragElement element : part.robot->damping()) {
      element.name = names.take(part.name, element.name);
      move_position(part.pose, element.position_b);
      turn_attitude(part.pose, element.attitude_rpy);
      spec.damping.push_back(std::move(element));
    }
}

void merge_connectors(std::span<const MergePart> parts, model::RobotSpec& spec) {
  Names names;
  for (const MergePart& part : parts)
    for (model::Connector connector : part.connectors) {
      connector.name = names.take(part.name, connector.name);
      move_position(part.pose, connector.position_b);
      turn_attitude(part.pose, connector.attitude_rpy);
      spec.connectors.push_back(std::move(connector));
    }
}

namespace {

/// Numbers of two sensors, apart from where they are and who says so.
bool measure_alike(const Sensor& a, const Sensor& b) {
  const auto same = [](const std::optional<Value<double>>& x, const std::optional<Value<double>>& y) {
    return x.has_value() == y.has_value() && (!x || x->value == y->value);
  };
  bool alike = same(a.rate_hz, b.rate_hz) && same(a.latency, b.latency) &&
               a.drop_out.has_value() == b.drop_out.has_value() &&
               (!a.drop_out || (a.drop_out->probability == b.drop_out->probability &&
                                a.drop_out->mean_length == b.drop_out->mean_length));
  for (const model::ChannelTable& table : model::channel_tables) {
    const model::ByChannel &x = a.*table.values, &y = b.*table.values;
    alike = alike && x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), [](auto& p, auto& q) {
              return p.first == q.first && p.second.value == q.second.value;
            });
  }
  return alike;
}

/// A sensor with a number for each thruster watches all of the merged robot's: one of each part, all alike, are
/// one such sensor.
void merge_watching(std::span<const MergePart> parts, model::SensorKind kind, model::RobotSpec& spec,
                    std::vector<std::string>& losses) {
  std::vector<const Sensor*> found;
  std::size_t driven = 0, watched = 0;
  for (const MergePart& part : parts) {
    const std::size_t before = found.size();
    for (const Sensor& sensor : part.robot->sensors())
      if (sensor.kind == kind) found.push_back(&sensor);
    driven += !part.robot->thrusters().empty();
    watched += found.size() == before + 1 && !part.robot->thrusters().empty();
  }
  if (found.empty()) return;
  const bool alike = std::all_of(found.begin(), found.end(),
                                 [&](const Sensor* other) { return measure_alike(*found.front(), *other); });
  if (alike && driven == watched && found.size() == watched) {
    Sensor sensor = *found.front();
    const auto taken = [&] {
      return std::any_of(spec.sensors.begin(), spec.sensors.end(),
                         [&](const Sensor& other) { return other.name == sensor.name; });
    };
    while (taken()) sensor.name += "-all";
    spec.sensors.push_back(std::move(sensor));
    return;
  }
  losses.push_back(
      fmt::format("sensors of kind {} are left out: in a robot file one watches all thrusters, here not every "
                  "module has the same",
                  name_of(kind)));
}

}  // namespace

void merge_sensors(std::span<const MergePart> parts, model::RobotSpec& spec, std::vector<std::string>& losses) {
  Names names;
  for (const MergePart& part : parts)
    for (Sensor sensor : part.robot->sensors()) {
      if (model::watches_thrusters(sensor.kind)) continue;
      sensor.name = names.take(part.name, sensor.name);
      move_position(part.pose, sensor.position_b);
      turn_attitude(part.pose, sensor.attitude_rpy);
      spec.sensors.push_back(std::move(sensor));
    }
  for (const model::SensorKind kind : model::sensor_kinds)
    if (model::watches_thrusters(kind)) merge_watching(parts, kind, spec, losses);
}

}  // namespace fathom::assembly::internal
