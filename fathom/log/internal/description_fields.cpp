#include "fathom/log/internal/description_fields.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/log/unit.hpp"

namespace fathom::log::internal {
namespace {

constexpr double gravity = 9.81;  // m/s^2, that of environments

const Unit* read_unit(yaml::Map& map) {
  const auto field = map.take("unit");
  const auto word = field ? field->text() : std::nullopt;
  if (!word) return nullptr;
  const Unit* unit = find_unit(*word);
  if (!unit) field->error(fmt::format("= {}, which is no unit here", in_quotes(*word)), units_like(*word));
  return unit;
}

/// A pressure becomes the depth of still water.
void read_depth(const yaml::Field& field, yaml::Map& map, const Unit* unit, ScalarColumn& column) {
  const auto density = map.take("density"), surface = map.take("surface");
  if (!density && !surface) return;
  if (!density || !surface || !unit || unit->si != "Pa") {
    field.error(
        "needs density, surface and a unit of pressure to become a depth",
        "{unit: mbar, density: 1025, surface: 1013}; surface in the same unit, 0 if it is taken off already");
    return;
  }
  const auto rho = density->number("kg/m^3"), p0 = surface->number(unit->word);
  if (!rho || !p0) return;
  if (!(*rho > 0)) return density->error(fmt::format("= {} kg/m^3, must be > 0", *rho), "fresh 1000, sea 1025");
  column.factor /= *rho * gravity;
  column.offset = -*p0 * column.factor;
  column.to.unit = "m";
}

void read_scale(yaml::Map& map, ScalarColumn& column) {
  double scale = 1;
  read(map, "scale", "", scale);
  if (const auto sign = map.take("sign"))
    if (const auto value = sign->number("")) {
      if (std::abs(*value) != 1)
        sign->error(fmt::format("= {}, expected 1 or -1", *value), "scale takes any number");
      scale *= *value;
    }
  column.factor *= scale;
  column.offset *= scale;
  double offset = 0;
  read(map, "offset", "", offset);
  column.offset += offset;
}

std::optional<ScalarColumn> read_scalar(const yaml::Field& field, const std::string& name) {
  ScalarColumn column;
  column.to.name = name;
  column.from = {name, 0, field.key()};
  if (field.node().IsNull()) return column;  // `depth:` alone
  if (!field.is_map()) {
    const auto from = read_column_name(field);
    if (!from) return std::nullopt;
    column.from = *from;
    return column;
  }
  yaml::Map map(field);
  if (const auto from = map.take("from"))
    if (const auto title = read_column_name(*from)) column.from = *title;
  const Unit* unit = read_unit(map);
  if (unit) {
    column.to.unit = unit->si;
    column.factor = unit->factor;
    column.offset = unit->offset;
  }
  read_depth(field, map, unit, column);
  read_scale(map, column);
  map.finish();
  return column;
}

/// `count` columns of the file.
std::optional<std::vector<ColumnName>> read_titles_list(const yaml::Field& field, std::size_t least,
                                                        std::size_t most, std::string_view what) {
  const std::vector<yaml::Field> items = field.items();
  if (field.is_list() && (items.size() < least || items.size() > most)) {
    field.error(fmt::format("has {} entries", items.size()), std::string(what));
    return std::nullopt;
  }
  std::vector<ColumnName> names;
  for (const yaml::Field& item : items)
    if (auto name = read_column_name(item)) names.push_back(std::move(*name));
  return names.size() >= least && names.size() == items.size() ? std::optional(names) : std::nullopt;
}

/// A word that gets endings, or that many names.
std::optional<std::vector<std::string>> read_targets(const yaml::Field& field,
                                                     const std::vector<std::string_view>& endings) {
  std::vector<std::string> names;
  if (field.is_scalar()) {
    for (const std::string_view ending : endings) names.push_back(fmt::format("{}_{}", *field.text(), ending));
    return names;
  }
  for (const yaml::Field& item : field.items())
    if (const auto name = item.text()) names.push_back(*name);
  if (names.size() == endings.size()) return names;
  field.error(fmt::format("has {} names, expected {}", names.size(), endings.size()),
              fmt::format("or one word, which becomes word_{}", join(endings, ", word_")));
  return std::nullopt;
}

void read_vector(const yaml::Field& field, std::vector<VectorColumns>& vectors, std::string& frame) {
  yaml::Map map(field);
  VectorColumns vector;
  const auto to = map.require("to", "the columns to write: [u, v, w], or velocity for velocity_x, _y, _z");
  const auto from = map.require("from", "three columns of the file: [vx, vy, vz]");
  const auto names = to ? read_targets(*to, {"x", "y", "z"}) : std::nullopt;
  const auto titles = from ? read_titles_list(*from, 3, 3, "three columns: x, y, z") : std::nullopt;
  const Unit* unit = read_unit(map);
  if (const auto axes = map.take("axes"))
    vector.rotation = read_axes(*axes, frame.empty() ? &frame : nullptr).value_or(vector.rotation);
  map.finish();
  if (unit && unit->offset != 0) field.error(fmt::format("has unit {}", unit->word), "no unit of a vector");
  if (!names || !titles) return;
  vector.factor = unit ? unit->factor : 1;
  for (std::size_t k = 0; k < 3; ++k) {
    vector.to[k] = {(*names)[k], std::string(unit ? unit->si : "")};
    vector.from[k] = (*titles)[k];
  }
  vectors.push_back(std::move(vector));
}

/// `FLU in ENU`.
void read_attitude_axes(const yaml::Field& field, AttitudeColumns& attitude) {
  const auto text = field.text();
  if (!text) return;
  const std::vector<std::string_view> body = {"FRD", "FLU"}, world = {"NED", "ENU", "NWU"};
  const std::size_t in = text->find(" in ");
  const auto part = [&](std::string_view word, const std::vector<std::string_view>& known, Mat3& rotation) {
    if (std::find(known.begin(), known.end(), word) == known.end()) return false;
    const yaml::Field named(YAML::Node(std::string(word)), field.key(), field.reading());
    rotation = read_axes(named, nullptr).value_or(rotation);
    return true;
  };
  const bool read = in != std::string::npos && part(text->substr(0, in), body, attitude.body) &&
                    part(text->substr(in + 4), world, attitude.world);
  if (!read)
    field.error(fmt::format("= {}, expected body axes in world axes", in_quotes(*text)),
                "such as FLU in ENU (ROS) or FRD in NED; other rotations under body and world");
}

/// w first, whatever the order of the file.
void order_quaternion(const yaml::Field& field, yaml::Map& map, std::vector<ColumnName>& from) {
  const auto order = map.take("order");
  if (from.size() == 3) {
    if (order) order->error("stands beside three angles", "they are roll, pitch, yaw");
    return;
  }
  if (!order) return field.error("has four columns and no order", "order: xyzw (ROS) or order: wxyz");
  const auto k = yaml::choice(*order, {"wxyz", "xyzw"});
  if (k && *k == 1) std::rotate(from.begin(), from.end() - 1, from.end());
}

/// Angles in our axes need no turning: three plain columns.
bool is_plain(const AttitudeColumns& attitude) {
  return attitude.from.size() == 3 && attitude.to.size() == 3 && attitude.world.isIdentity(0) &&
         attitude.body.isIdentity(0);
}

}  // namespace

std::vector<std::string> keys_in_order(const yaml::Field& field) {
  std::vector<std::string> keys;
  if (field.is_map())
    for (const auto& entry : field.node())
      if (entry.first.IsScalar()) keys.push_back(entry.first.Scalar());
  return keys;
}

std::optional<ColumnName> read_column_name(const yaml::Field& field) {
  const auto text = field.text();
  if (!text) return std::nullopt;
  ColumnName name{*text, 0, field.key()};
  const char* const end = text->data() + text->size();
  const bool quoted = field.node().Tag() == "!";
  int number = 0;
  if (!quoted && std::from_chars(text->data(), end, number).ptr == end && !text->empty()) {
    if (number < 1) {
      field.error(fmt::format("= {}", *text),
                  "numbers of columns begin at 1; a name of digits stands in quotes");
      return std::nullopt;
    }
    name.number = number;
  }
  return name;
}

void read_table(yaml::Map& map, TableOptions& table) {
  const auto letter = [&](std::string_view key, char& out, std::string_view hint) {
    const auto field = map.take(key);
    const auto text = field ? field->text() : std::nullopt;
    if (!text) return;
    if (*text == "tab")
      out = '\t';
    else if (*text == "blank")
      out = ' ';
    else if (text->size() == 1)
      out = text->front();
    else
      field->error(fmt::format("= {}, expected one letter", in_quotes(*text)), std::string(hint));
  };
  letter("separator", table.separator, R"(",", ";", "|", tab or blank)");
  letter("decimal", table.decimal, R"("." or ",")");
  const auto flag = [&](std::string_view key, bool& out) {
    if (const auto field = map.take(key)) out = field->yes_or_no().value_or(out);
  };
  flag("header", table.header);
  flag("drop_bad_lines", table.drop_bad_lines);
  if (const auto field = map.take("skip")) table.skip = yaml::whole(*field, 0, 1'000'000).value_or(0);
  if (const auto field = map.take("comment")) table.comment = field->text().value_or("#");
}

void read_clock(const yaml::Field& field, ClockDescription& clock) {
  yaml::Map map(field);
  if (const auto column = map.take("column")) {
    if (column->is_list())
      clock.columns = read_titles_list(*column, 2, 2, "a column of seconds and one of nanoseconds")
                          .value_or(std::vector<ColumnName>());
    else if (const auto name = read_column_name(*column))
      clock.columns = {*name};
  }
  if (const auto kind = map.take("kind"))
    clock.kind =
        static_cast<ClockDescription::Kind>(yaml::choice(*kind, {"shared", "own", "receive"}).value_or(0));
  if (const auto unit = map.take("unit")) {
    if (clock.columns.size() == 2) unit->error("stands beside two columns", "they are seconds and nanoseconds");
    const auto k = yaml::choice(*unit, {"s", "ms", "us", "ns", "date"}).value_or(0);
    clock.date = k == 4;
    clock.power = k == 4 ? 0 : 9 - 3 * static_cast<int>(k);
  }
  yaml::read_positive(map, "rate", "Hz", clock.rate_hz);
  yaml::read(map, "offset", "s", clock.offset);
  if (std::abs(clock.offset) > 1e9) field.error("has an offset of more than 30 years", "it is in seconds");
  const bool counted = clock.rate_hz > 0 && clock.columns.empty();
  if (counted && clock.kind == ClockDescription::Kind::shared) clock.kind = ClockDescription::Kind::own;
  if (clock.rate_hz > 0 && !counted && clock.kind != ClockDescription::Kind::receive)
    field.error("has a rate beside a column of times",
                "rate is for files without times, and for kind: receive");
  map.finish();
}

void read_scalars(const yaml::Field& field, std::vector<ScalarColumn>& columns) {
  const std::vector<std::string> names = keys_in_order(field);
  yaml::Map map(field);
  for (const std::string& name : names)
    if (const auto entry = map.take(name))
      if (auto column = read_scalar(*entry, name)) columns.push_back(std::move(*column));
}

void read_vectors(const yaml::Field& field, std::vector<VectorColumns>& vectors, std::string& frame) {
  for (const yaml::Field& item : field.items()) read_vector(item, vectors, frame);
}

void read_attitude(const yaml::Field& field, ChannelDescription& channel) {
  yaml::Map map(field);
  AttitudeColumns attitude;
  const auto from = map.require("from", "[roll, pitch, yaw], or four columns of a quaternion");
  const auto titles = from ? read_titles_list(*from, 3, 4, "three angles or a quaternion") : std::nullopt;
  attitude.from = titles.value_or(std::vector<ColumnName>());
  if (titles) order_quaternion(field, map, attitude.from);
  if (const Unit* unit = read_unit(map)) {
    attitude.factor = unit->factor;
    if (attitude.from.size() == 4 || unit->si != "rad")
      field.error(fmt::format("has the unit {}", unit->word),
                  "angles are in rad or deg; a quaternion has none");
  }
  if (const auto axes = map.take("axes")) read_attitude_axes(*axes, attitude);
  if (const auto body = map.take("body")) attitude.body = read_axes(*body, nullptr).value_or(attitude.body);
  if (const auto world = map.take("world"))
    attitude.world = read_axes(*world, nullptr).value_or(attitude.world);
  std::vector<std::string> names = {"roll", "pitch", "heading"};
  if (attitude.from.size() == 4) names = {"attitude_w", "attitude_x", "attitude_y", "attitude_z"};
  if (const auto to = map.take("to")) {
    const bool angles = to->is_list() && to->node().size() == 3;
    names = (angles ? read_targets(*to, {"roll", "pitch", "heading"}) : read_targets(*to, {"w", "x", "y", "z"}))
                .value_or(names);
  }
  map.finish();
  for (const std::string& name : names) attitude.to.push_back({name, names.size() == 3 ? "rad" : "1"});
  if (attitude.from.empty()) return;
  if (!is_plain(attitude)) {
    channel.attitude = std::move(attitude);
    return;
  }
  for (std::size_t k = 0; k < 3; ++k)
    channel.columns.push_back({attitude.to[k], attitude.from[k], attitude.factor, 0});
}

}  // namespace fathom::log::internal
