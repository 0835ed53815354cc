#include "fathom/model_file/internal/link_reader.hpp"

#include <fmt/format.h>

#include "fathom/fields/yaml_values.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/model/lump.hpp"
#include "fathom/model/shape_drag.hpp"
#include "fathom/model_file/internal/drag_reader.hpp"
#include "fathom/model_file/internal/shape_reader.hpp"
#include "fathom/model_file/internal/value_reader.hpp"

namespace fathom::model::internal {
namespace {

using yaml::Field;
using yaml::Map;

constexpr AsVec3 link_point{"x, y, z in m, in the link's frame"};

struct LinkShape {
  Shape shape;
  Vec3 position = Vec3::Zero(), attitude_rpy = Vec3::Zero();  ///< of its middle and axes in the link's frame
  double density = fresh_water;  ///< kg/m^3, of the water that added mass and drag are of
};

/// `{cylinder: {length, diameter}, position, attitude_deg, density}`
std::optional<LinkShape> read_link_shape(const Field& field) {
  LinkShape result;
  Map map(field);
  result.shape = take_shape(field, map);
  result.position = read_position(map).value;
  result.attitude_rpy = read_attitude(map).value;
  check_turns(field, result.attitude_rpy);
  yaml::read_positive(map, "density", "kg/m^3", result.density);
  map.finish();
  yaml::check_under(field, [&] { check_shape(result.shape); });
  if (has_errors(field.reading().findings())) return std::nullopt;
  return result;
}

const char* word_of(const Shape& shape) {
  if (std::holds_alternative<Cuboid>(shape)) return "box";
  return std::holds_alternative<Cylinder>(shape) ? "cylinder" : "ellipsoid";
}

/// Everything of a link but its mass, of an evenly filled shape: docs/prior.md eqs. 1, 4 to 8, 11 and 12.
void fill_from(const LinkShape& given, Link& link) {
  const Shape& shape = given.shape;
  const Pose pose = {quaternion_from_euler(given.attitude_rpy), given.position};
  const auto guess = [&](const auto& value, const char* how) {
    return Value<std::decay_t<decltype(value)>>{value, fmt::format("from a {}{}", word_of(shape), how), true,
                                                std::nullopt};
  };
  Hull& body = link.body;
  body.volume = guess(volume_of(shape), "");
  body.centre_of_buoyancy = guess(given.position, "");
  body.centre_of_mass = guess(given.position, " that is filled evenly");
  const Vec3 moments = body.mass.value * gyration_of(shape);
  const Lump filled = seen_in(pose, {body.mass.value, Vec3::Zero(), moments.asDiagonal()});
  body.inertia = guess(filled.inertia, " that is filled evenly");
  const Mat6 H = twist_transform(pose);
  const Mat6 added = H.transpose() * added_mass_of_shape(shape, given.density).asDiagonal() * H;
  body.added_mass = guess(Mat6(0.5 * (added + added.transpose()) + Mat6::Zero()),
                          fmt::format(" in water of {:g} kg/m^3", given.density).c_str());
  DragElement drag;
  drag.name = "shape";
  drag.position_b.value = given.position;
  drag.attitude_rpy.value = given.attitude_rpy;
  const Vec6 quadratic = quadratic_drag_of(shape, HullKind::closed, given.density).value;
  QuadraticDrag by_speed;
  for (int j = 0; j < 6; ++j) by_speed.by_speed[static_cast<std::size_t>(j)](j, j) = quadratic[j];
  drag.quadratic = guess(by_speed, fmt::format(" in water of {:g} kg/m^3", given.density).c_str());
  link.damping = {drag};
}

/// Reads the key if it is there; reports it if it must be and is not.
template <class T, class Parse>
void take_link_value(Map& map, std::string_view key, std::string_view unit, bool required,
                     std::string_view hint, const Parse& parse, const yaml::Origin& origin, Value<T>& out) {
  const auto field = required ? map.require(key, hint) : map.take(key);
  if (!field) return;
  out = {};
  read_value(*field, unit, parse, out);
  inherit(out, origin);
}

struct Payload {
  Lump dry;
  double volume = 0;  ///< m^3, around the same centre
};

Payload read_payload(const Field& field) {
  Payload payload;
  Map map(field);
  if (const auto f = map.require("mass", "kg, dry"))
    if (const auto mass = f->number("kg")) {
      payload.dry.mass = *mass;
      if (!(*mass > 0)) f->error(fmt::format("= {} kg, must be > 0", *mass), "leave payload out without one");
    }
  if (const auto f = map.require("position", "m, of its centre in the link's frame"))
    if (const auto centre = link_point(*f)) payload.dry.centre = *centre;
  if (const auto f = map.take("inertia"))
    if (const auto inertia = AsMat3{}(*f)) payload.dry.inertia = *inertia;
  if (const auto f = map.take("volume"))
    if (const auto volume = f->number("m^3")) {
      payload.volume = *volume;
      if (!(*volume >= 0)) f->error(fmt::format("= {} m^3, must be >= 0", *volume), "of displaced water");
    }
  map.finish();
  return payload;
}

template <class T>
void change(Value<T>& value, const T& to) {
  value.value = to;
  value.sigma.reset();  // that of the empty hand
  value.source += value.source.empty() ? "with payload" : ", with payload";
}

void merge(const Payload& payload, Hull& body) {
  const Lump dry = joined({{body.mass.value, body.centre_of_mass.value, body.inertia.value}, payload.dry});
  change(body.mass, dry.mass);
  change(body.centre_of_mass, dry.centre);
  change(body.inertia, dry.inertia);
  if (payload.volume == 0) return;
  const double volume = body.volume.value + payload.volume;
  const Vec3 moment = body.volume.value * body.centre_of_buoyancy.value + payload.volume * payload.dry.centre;
  change(body.volume, volume);
  change(body.centre_of_buoyancy, Vec3(moment / volume));
}

}  // namespace

Link read_link(const Field& field, const std::string& name_of_joint) {
  Link link;
  Map map(field);
  link.name = name_of_joint;
  if (const auto f = map.take("name")) link.name = f->text().value_or("");
  const yaml::Origin origin = yaml::take_origin(map);
  Hull& body = link.body;
  take_link_value(map, "mass", "kg", true, "kg, dry", AsNumber{"kg"}, origin, body.mass);
  const auto shape_field = map.take("shape");
  const auto shape = shape_field ? read_link_shape(*shape_field) : std::nullopt;
  if (shape) fill_from(*shape, link);
  const bool all = !shape_field;  // a shape knows the rest
  take_link_value(map, "inertia", "kg m^2", all, "kg m^2 about the centre of mass; or shape", AsMat3{}, origin,
                  body.inertia);
  take_link_value(map, "centre_of_mass", "m", all, "m, in the link's frame; or shape", link_point, origin,
                  body.centre_of_mass);
  take_link_value(map, "volume", "m^3", all, "m^3 of displaced water, 0 in air; or shape", AsNumber{"m^3"},
                  origin, body.volume);
  take_link_value(map, "centre_of_buoyancy", "m", all && body.volume.value > 0,
                  "m, in the link's frame; or shape", link_point, origin, body.centre_of_buoyancy);
  if (map.has("added_mass") || map.has("sname_added_mass")) {
    body.added_mass = {};
    take_added_mass(map, field, false, body.added_mass);
    inherit(body.added_mass, origin);
  }
  if (const auto f = map.take("damping")) {
    link.damping.clear();
    for (const Field& item : f->items()) link.damping.push_back(read_drag(item));
  }
  const auto payload = map.take("payload");
  const std::optional<Payload> held = payload ? std::optional(read_payload(*payload)) : std::nullopt;
  map.finish();
  // Volumes that were fitted may be next to nothing; those of a shape are what somebody measured.
  constexpr double densest = 1e5;  // kg/m^3, four times osmium
  if (shape && body.volume.value > 0 && body.mass.value > densest * body.volume.value)
    field.error(fmt::format("has {:g} kg in {:g} m^3, {:.2g} kg/m^3: denser than any metal", body.mass.value,
                            body.volume.value, body.mass.value / body.volume.value),
                "grams? Fathom wants kg; dimensions of the shape in m");
  if (held && !has_errors(field.reading().findings())) merge(*held, body);
  return link;
}

}  // namespace fathom::model::internal
