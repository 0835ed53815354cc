// Any bytes as a robot file: they load or are rejected with an InputError. What loads can be written and read
// back to the same robot, and its equation of motion gives finite numbers.
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/error.hpp"
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/model_file/robot_file.hpp"

#include "fuzz/verdict.hpp"

namespace {

using namespace fathom;
using fuzz::check_messages;
using fuzz::fail;

template <class T>
bool same_origin(const model::Value<T>& a, const model::Value<T>& b) {
  return a.source == b.source && a.assumed == b.assumed && a.sigma.has_value() == b.sigma.has_value();
}

template <class T>
bool same(const model::Value<T>& a, const model::Value<T>& b) {
  return same_origin(a, b) && a.value == b.value && (!a.sigma || *a.sigma == *b.sigma);
}

bool same(const model::Value<model::QuadraticDrag>& a, const model::Value<model::QuadraticDrag>& b) {
  return same_origin(a, b) && a.value.by_speed == b.value.by_speed &&
         (!a.sigma || a.sigma->by_speed == b.sigma->by_speed);
}

bool same(const model::Hull& a, const model::Hull& b) {
  const auto bits = [](const model::Symmetry& s) {
    return 4 * s.port_starboard + 2 * s.fore_aft + s.top_bottom;
  };
  return same(a.mass, b.mass) && same(a.inertia, b.inertia) && same(a.centre_of_mass, b.centre_of_mass) &&
         same(a.volume, b.volume) && same(a.centre_of_buoyancy, b.centre_of_buoyancy) &&
         same(a.added_mass, b.added_mass) && a.size.has_value() == b.size.has_value() &&
         (!a.size || same(*a.size, *b.size)) && bits(a.symmetry) == bits(b.symmetry);
}

bool same(const model::DragElement& a, const model::DragElement& b) {
  return a.name == b.name && same(a.position_b, b.position_b) && same(a.attitude_rpy, b.attitude_rpy) &&
         same(a.linear, b.linear) && same(a.quadratic, b.quadratic);
}

bool same(const model::Thruster& a, const model::Thruster& b) {
  const auto range = [](const model::Thruster& t) { return std::pair(t.force->value.min, t.force->value.max); };
  return a.name == b.name && same(a.position_b, b.position_b) && same(a.direction_b, b.direction_b) &&
         a.force.has_value() == b.force.has_value() &&
         (!a.force || (same_origin(*a.force, *b.force) && range(a) == range(b)));
}

bool same(const std::optional<model::Value<double>>& a, const std::optional<model::Value<double>>& b) {
  return a.has_value() == b.has_value() && (!a || same(*a, *b));
}

bool same(const model::DropOut& a, const model::DropOut& b) {
  return a.probability == b.probability && a.mean_length == b.mean_length;
}

bool same(const model::DvlBeams& a, const model::DvlBeams& b) {
  return a.tilt_deg == b.tilt_deg && a.azimuth_deg == b.azimuth_deg && a.per_beam == b.per_beam;
}

bool same(const model::Sensor& a, const model::Sensor& b) {
  for (const model::ChannelTable& table : model::channel_tables) {
    const model::ByChannel &left = a.*table.values, &right = b.*table.values;
    if (left.size() != right.size()) return false;
    for (const auto& [channel, value] : left)
      if (!right.contains(channel) || !same(value, right.at(channel))) return false;
  }
  if (a.drop_out.has_value() != b.drop_out.has_value() || a.beams.has_value() != b.beams.has_value() ||
      a.altitude.has_value() != b.altitude.has_value())
    return false;
  return a.name == b.name && a.kind == b.kind && same(a.position_b, b.position_b) &&
         same(a.attitude_rpy, b.attitude_rpy) && same(a.rate_hz, b.rate_hz) && same(a.latency, b.latency) &&
         (!a.drop_out || same(*a.drop_out, *b.drop_out)) && (!a.beams || same(*a.beams, *b.beams)) &&
         (!a.altitude || (a.altitude->min == b.altitude->min && a.altitude->max == b.altitude->max)) &&
         a.source == b.source && a.assumed == b.assumed;
}

bool same(const model::Connector& a, const model::Connector& b) {
  return a.name == b.name && same(a.position_b, b.position_b) && same(a.attitude_rpy, b.attitude_rpy);
}

template <class Item>
bool same(const std::vector<Item>& a, const std::vector<Item>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!same(a[k], b[k])) return false;
  return true;
}

bool same(const std::optional<model::IdentifiedParameters>& a,
          const std::optional<model::IdentifiedParameters>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  const auto names = [](const model::ParameterVector& p) {
    std::vector<std::string> result;
    for (const model::Parameter& parameter : p.entries()) result.push_back(parameter.name);
    return result;
  };
  return a->structure == b->structure && a->density == b->density && a->gravity == b->gravity &&
         a->source == b->source && names(a->parameters) == names(b->parameters) &&
         a->parameters.values() == b->parameters.values() &&
         a->parameters.covariance() == b->parameters.covariance();
}

void check_round_trip(const model::Robot& robot) {
  const std::string text = model::robot_to_yaml(robot);
  try {
    const model::Robot again = model::parse_robot(text, "again.yaml");
    const model::RobotSpec &a = robot.spec(), &b = again.spec();
    if (a.name != b.name || a.title != b.title || a.notes != b.notes)
      fail("text changes when written and read", text);
    if (!same(a.hull, b.hull)) fail("the hull changes when written and read", text);
    if (!same(a.damping, b.damping)) fail("the damping changes when written and read", text);
    if (!same(a.thrusters, b.thrusters)) fail("the thrusters change when written and read", text);
    if (!same(a.sensors, b.sensors)) fail("the sensors change when written and read", text);
    if (!same(a.connectors, b.connectors)) fail("the connectors change when written and read", text);
    if (!same(a.identified, b.identified)) fail("what was identified changes when written and read", text);
    if (model::robot_to_yaml(again) != text) fail("a second writing differs from the first", text);
  } catch (const InputError& error) {
    fail(error.what(), text);
  }
}

void check_motion(const model::Robot& robot) {
  const dynamics::Vehicle vehicle(robot);
  dynamics::State state;
  state.q_nb = quaternion_from_euler(Vec3(0.1, -0.2, 0.3));
  state.nu_b << 0.1, -0.2, 0.3, -0.1, 0.2, -0.3;
  dynamics::ForwardJacobian jacobian;
  const Vec6 nu_dot = dynamics::forward_dynamics(vehicle, state, Vec6::Constant(0.1), {}, &jacobian);
  const bool finite = nu_dot.allFinite() && jacobian.by_attitude.allFinite() && jacobian.by_twist.allFinite();
  if (!finite) fail("a robot that loads does not move in finite numbers", model::robot_to_yaml(robot));
  for (Eigen::Index i = 0; i < vehicle.allocation().cols(); ++i) {
    const Vec6 column = vehicle.allocation().col(i);
    if (!column.allFinite() || std::abs(column.head<3>().norm() - 1) > 1e-9)
      fail("a thruster of a robot that loads has no direction", model::robot_to_yaml(robot));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const model::Robot robot =
        model::parse_robot(std::string(reinterpret_cast<const char*>(data), size), "fuzz.yaml");
    check_round_trip(robot);
    check_motion(robot);
  } catch (const InputError& error) {
    check_messages(error);
  }
  return 0;
}
