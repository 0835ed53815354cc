#include "fathom/model_file/internal/drag_reader.hpp"

#include "fathom/model_file/internal/robot_table.hpp"
#include "fathom/model_file/internal/value_codec.hpp"

namespace fathom::model::internal {

void take_added_mass(yaml::Map& map, const yaml::Field& field, bool required, Value<Mat6>& out) {
  Hull hull;
  fields::read_keys(map, field, {fields::added_mass(required)}, &hull);
  out = hull.added_mass;
}

DragElement read_drag(const yaml::Field& field) {
  DragElement element;
  fields::read(field, element);
  return element;
}

}  // namespace fathom::model::internal
