#include "fathom/model/internal/shape_reader.hpp"

#include <fmt/format.h>

#include "fathom/fields/yaml_values.hpp"

namespace fathom::model::internal {
namespace {

void read_size(const yaml::Field& field, Vec3& out) {
  if (const auto size = yaml::vec3(field, "length, width, height in m")) out = *size;
}

Cylinder read_cylinder(const yaml::Field& field) {
  Cylinder cylinder;
  yaml::Map map(field);
  for (const auto& [key, out] : {std::pair{"length", &cylinder.length}, {"diameter", &cylinder.diameter}})
    if (const auto f = map.require(key, "m")) *out = f->number("m").value_or(0);
  map.finish();
  return cylinder;
}

}  // namespace

Shape take_shape(const yaml::Field& field, yaml::Map& map) {
  Shape shape = Cuboid{};
  int count = 0;
  if (const auto f = map.take("box")) {
    read_size(*f, shape.emplace<Cuboid>().size);
    ++count;
  }
  if (const auto f = map.take("ellipsoid")) {
    read_size(*f, shape.emplace<Ellipsoid>().size);
    ++count;
  }
  if (const auto f = map.take("cylinder")) {
    shape = read_cylinder(*f);
    ++count;
  }
  if (count != 1)
    field.error(count == 0 ? "names no shape" : fmt::format("names {} shapes", count),
                "one of box: [l, w, h], ellipsoid: [l, w, h], cylinder: {length, diameter}");
  return shape;
}

Shape read_shape(const yaml::Field& field) {
  yaml::Map map(field);
  Shape shape = take_shape(field, map);
  map.finish();
  yaml::check_under(field, [&] { check_shape(shape); });
  return shape;
}

}  // namespace fathom::model::internal
