#include "fathom/model_file/internal/shape_reader.hpp"

#include "fathom/model_file/internal/shape_table.hpp"

namespace fathom::model::internal {

Shape take_shape(const yaml::Field& field, yaml::Map& map) {
  Shape shape = Cuboid{};
  fields::read_union(map, field, fields::Choice<Shape>::alternatives(), &shape);
  return shape;
}

}  // namespace fathom::model::internal
