#pragma once
#include <numbers>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/fields/yaml.hpp"
#include "fathom/fields/yaml_values.hpp"
#include "fathom/model/robot.hpp"

// Values of a robot file, with unit, source and sigma.
namespace fathom::model::internal {

struct AsNumber {
  std::string_view unit;
  std::optional<double> operator()(const yaml::Field& field) const { return field.number(unit); }
};

struct AsVec3 {
  std::string_view what;
  std::optional<Vec3> operator()(const yaml::Field& field) const {
    const auto v = field.numbers(3, what);
    if (!v) return std::nullopt;
    return Vec3((*v)[0], (*v)[1], (*v)[2]);
  }
};

struct AsMat3 {
  std::optional<Mat3> operator()(const yaml::Field& field) const {
    const auto v = field.square(3, "kg m^2 about the centre of mass, body axes");
    if (!v) return std::nullopt;
    return Mat3(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(v->data()));
  }
};

template <class T>
void inherit(Value<T>& value, const yaml::Origin& origin) {
  if (!value.source.empty() || value.assumed) return;
  value.source = origin.source;
  value.assumed = origin.assumed;
}

/// `13.5`, or `{value: 13.5, unit: kg, source: ..., sigma: 0.1}`.
template <class T, class Parse>
void read_value(const yaml::Field& field, std::string_view unit, const Parse& parse_value,
                const Parse& parse_sigma, Value<T>& out) {
  if (!field.has("value")) {
    if (const auto value = parse_value(field)) out.value = *value;
    return;
  }
  yaml::Map map(field);
  if (const auto entry = map.take("value")) {
    entry->also_known_as(field.key());
    if (const auto value = parse_value(*entry)) out.value = *value;
  }
  if (const auto entry = map.take("unit")) {
    const auto given = entry->text();
    if (given && *given != unit)
      entry->error(fmt::format("= {}, expected {}", in_quotes(*given), unit),
                   "convert the number; Fathom's files are in SI");
  }
  if (const auto entry = map.take("sigma"))
    if (const auto sigma = parse_sigma(entry->where_unknown_is_allowed())) out.sigma = *sigma;
  yaml::take_origin(map, out);
  map.finish();
}

template <class T, class Parse>
void read_value(const yaml::Field& field, std::string_view unit, const Parse& parse_value, Value<T>& out) {
  read_value(field, unit, parse_value, parse_value, out);
}

/// `attitude` [rad] or `attitude_deg`: roll, pitch, yaw.
inline Value<Vec3> read_attitude(yaml::Map& map) {
  Value<Vec3> attitude;
  const auto radians = map.take("attitude");
  const auto degrees = map.take("attitude_deg");
  if (radians && degrees) degrees->error("stands beside attitude", "give one of them");
  const AsVec3 parse_angles{"roll, pitch, yaw"};
  if (radians) {
    read_value(*radians, "rad", parse_angles, attitude);
  } else if (degrees) {
    read_value(*degrees, "deg", parse_angles, attitude);
    attitude.value *= degree;
    if (attitude.sigma) *attitude.sigma *= degree;
  }
  return attitude;
}

/// More in a key in rad is meant in degrees: an attitude of 90.
constexpr double most_turn_in_rad = 20 * std::numbers::pi;

/// Of the parts of arms, which no rule of `fathom lint` looks at.
inline void check_turns(const yaml::Field& field, const Vec3& attitude_rpy) {
  if (attitude_rpy.cwiseAbs().maxCoeff() > most_turn_in_rad)
    field.error(fmt::format("has an attitude of [{:g}, {:g}, {:g}] rad", attitude_rpy[0], attitude_rpy[1],
                            attitude_rpy[2]),
                "degrees? use attitude_deg");
}

inline Value<Vec3> read_position(yaml::Map& map) {
  Value<Vec3> position;
  if (const auto field = map.take("position"))
    read_value(*field, "m", AsVec3{"x, y, z in m, body axes"}, position);
  return position;
}

}  // namespace fathom::model::internal
