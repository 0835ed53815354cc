#include "fathom/model/internal/drag_reader.hpp"

#include <fmt/format.h>

#include "fathom/model/dof.hpp"
#include "fathom/model/fields.hpp"
#include "fathom/model/internal/value_reader.hpp"

namespace fathom::model::internal {
namespace {

using yaml::Field;
using yaml::Map;

constexpr std::string_view matrix_rows =
    "rows and columns X Y Z K M N, u v w p q r; body axes forward, starboard, down";

// How each kind of value is written; `sign` is -1 where the key says that the file has SNAME's signs.
struct AsMat6 {
  double sign = 1;
  std::optional<Mat6> operator()(const Field& field) const {
    const auto v = field.square(6, matrix_rows);
    if (!v) return std::nullopt;
    const Mat6 m = Eigen::Map<const Eigen::Matrix<double, 6, 6, Eigen::RowMajor>>(v->data());
    return sign > 0 ? m : Mat6(Mat6::Zero() - m);  // 0 - m: no negative zeros
  }
};

struct AsQuadratic {
  double sign = 1;
  std::optional<QuadraticDrag> operator()(const Field& field) const {
    QuadraticDrag drag;
    if (!field.is_map()) {
      const auto diagonal =
          field.numbers(6, "one for each of u|u| ... r|r|, or a map from u, v, w, p, q, r to 6x6 matrices");
      if (!diagonal) return std::nullopt;
      for (std::size_t j = 0; j < 6; ++j)
        drag.by_speed[j](static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(j)) =
            sign > 0 ? (*diagonal)[j] : 0 - (*diagonal)[j];
      return drag;
    }
    Map map(field);
    bool complete = true;
    for (std::size_t j = 0; j < 6; ++j) {
      const auto entry = map.take(velocity_names[j]);
      if (!entry) continue;
      const auto Q = AsMat6{sign}(*entry);
      complete = complete && Q;
      if (Q) drag.by_speed[j] = *Q;
    }
    map.finish();
    if (!complete) return std::nullopt;
    return drag;
  }
};

double diagonal_entry(const Mat6& m, int i) { return m(i, i); }
double diagonal_entry(const QuadraticDrag& drag, int i) {
  return drag.by_speed[static_cast<std::size_t>(i)](i, i);
}

/// hull.sname_added_mass -> hull.added_mass, the name under which checks know it.
std::string plain_key(std::string key, std::string_view sname_name, std::string_view name) {
  return key.replace(key.size() - sname_name.size(), sname_name.size(), name);
}

/// `name`, or `sname_name` with the signs of SNAME's derivatives; not both.
template <class T, class Parse>
void read_signed(Map& map, std::string_view name, std::string_view sname_name, bool required,
                 std::string_view unit, Value<T>& out) {
  const auto plain =
      required && !map.has(sname_name)
          ? map.require(name, fmt::format("6 numbers or 6x6, positive; or {} with SNAME's signs", sname_name))
          : map.take(name);
  const auto sname = map.take(sname_name);
  if (plain && sname) sname->error(fmt::format("stands beside {}", name), "give one of them");
  if (plain) return read_value(*plain, unit, Parse{1}, out);
  if (!sname) return;
  read_value(*sname, unit, Parse{-1}, Parse{1}, out);
  sname->also_known_as(plain_key(sname->key(), sname_name, name));
  for (int i = 0; i < 6; ++i)
    if (const double entry = diagonal_entry(out.value, i); entry < 0)
      sname->entry_error(i, fmt::format("= {}, must be <= 0", -entry), fmt::format("positive? use {}", name));
}

}  // namespace

void take_added_mass(Map& map, bool required, Value<Mat6>& out) {
  read_signed<Mat6, AsMat6>(map, "added_mass", "sname_added_mass", required, "SI", out);
}

DragElement read_drag(const Field& field) {
  DragElement element;
  Map map(field);
  element.name = take_name(map);
  const yaml::Origin origin = yaml::take_origin(map);
  element.position_b = read_position(map);
  element.attitude_rpy = read_attitude(map);
  read_signed<Mat6, AsMat6>(map, "linear", "sname_linear", false, "SI", element.linear);
  read_signed<QuadraticDrag, AsQuadratic>(map, "quadratic", "sname_quadratic", false, "SI", element.quadratic);
  map.finish();
  inherit(element.linear, origin);
  inherit(element.quadratic, origin);
  return element;
}

}  // namespace fathom::model::internal
