#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/fields/codec.hpp"
#include "fathom/fields/describe.hpp"
#include "fathom/log/description.hpp"
#include "fathom/log/internal/axes.hpp"
#include "fathom/log/internal/csv_header.hpp"
#include "fathom/log/unit.hpp"

namespace fathom::log {
namespace {

using fields::Codec;
using fields::Json;
using fields::Later;
using fields::Spec;
using internal::Axes;
using yaml::Field;

constexpr std::size_t largest_description = 1 << 20;
constexpr std::string_view description_format = "fathom-description-1";
constexpr double gravity = 9.81;  // m/s^2, that of environments

Json any_of(Json one, Json other) { return {{"anyOf", Json::array({std::move(one), std::move(other)})}}; }
Json required(const std::vector<std::string>& keys) { return {{"required", keys}}; }

/// Nothing writes descriptions.
struct ReadOnly {
  template <class T>
  static Json write(const T&, const Spec&) {
    return fields::absent();
  }
};

/// Calls `read(field, name)` for each entry of a map, in the order of the file.
template <class Read>
void read_in_order(const Field& field, const Read& read) {
  yaml::Map map(field);
  if (field.is_map())
    for (const auto& entry : field.node())
      if (entry.first.IsScalar())
        if (const auto value = map.take(entry.first.Scalar())) read(*value, entry.first.Scalar());
}

/// A column by its title, or by its number where it has no quotes.
std::optional<ColumnName> read_column_name(const Field& field) {
  const auto text = field.text();
  if (!text) return std::nullopt;
  ColumnName name{*text, 0, field.key()};
  const char* const end = text->data() + text->size();
  const bool is_number = std::from_chars(text->data(), end, name.number).ptr == end && !text->empty();
  if (!is_number || field.node().Tag() == "!") return ColumnName{*text, 0, field.key()};
  if (name.number >= 1) return name;
  field.error(fmt::format("= {}", *text), "numbers of columns begin at 1; a name of digits stands in quotes");
  return std::nullopt;
}

struct ColumnCodec : ReadOnly {
  static void read(const Field& field, const Spec&, ColumnName& out) {
    if (auto name = read_column_name(field)) out = *std::move(name);
  }
  static Json schema(const Spec&) {
    return {{"type", {"string", "number", "boolean"}}, {"not", {{"type", "integer"}, {"maximum", 0}}}};
  }
};

/// Columns of the file, as many as the key says.
struct ColumnsCodec : ReadOnly {
  static void read(const Field& field, const Spec& spec, std::vector<ColumnName>& out) {
    const std::vector<Field> items = field.items();
    if (field.is_list() && (items.size() < spec.least_entries || items.size() > spec.most_entries))
      return field.error(fmt::format("has {} entries", items.size()), std::string(spec.what));
    for (const Field& item : items)
      if (auto name = read_column_name(item)) out.push_back(*std::move(name));
    if (out.size() != items.size()) out.clear();
  }
  static Json schema(const Spec& spec) { return fields::list_schema(spec, ColumnCodec::schema(spec)); }
};
/// One column of times, or two of seconds and nanoseconds.
struct StampCodec : ColumnsCodec {
  static void read(const Field& field, const Spec& spec, std::vector<ColumnName>& out) {
    if (field.is_list()) return ColumnsCodec::read(field, spec, out);
    if (auto name = read_column_name(field)) out = {*std::move(name)};
  }
  static Json schema(const Spec& spec) { return any_of(ColumnCodec::schema(spec), ColumnsCodec::schema(spec)); }
};

struct UnitCodec : ReadOnly {
  static void read(const Field& field, const Spec&, const Unit*& out) {
    const auto word = field.text();
    if (word && !(out = find_unit(*word)))
      field.error(fmt::format("= {}, which is no unit here", in_quotes(*word)), units_like(*word));
  }
  static Json schema(const Spec&) {
    Json words = unit_words();
    words.push_back(1);
    return {{"enum", std::move(words)}};
  }
};

struct AxesCodec : ReadOnly {
  static void read(const Field& field, const Spec&, Axes& out) {
    out = internal::read_axes(field).value_or(out);
  }
  static Json schema(const Spec& spec) {
    return any_of(fields::word_schema(internal::axes_words()), fields::square_schema(spec, 3));
  }
};

/// A letter, or the name of one.
struct LetterCodec {
  static void read(const Field& field, const Spec& spec, char& out) {
    const auto text = field.text();
    if (!text) return;
    if (*text == "tab" || *text == "blank")
      out = *text == "tab" ? '\t' : ' ';
    else if (text->size() == 1)
      out = text->front();
    else
      field.error(fmt::format("= {}, expected one letter", in_quotes(*text)), std::string(spec.hint));
  }
  static Json write(char letter, const Spec&) { return std::string(1, letter); }
  static Json schema(const Spec&) {
    return any_of({{"type", "string"}, {"pattern", "^([\\t -~]|tab|blank)$"}},
                  {{"type", "integer"}, {"minimum", 0}, {"maximum", 9}});
  }
};

Json target_schema() {
  Json schema = fields::text_schema();
  schema["pattern"] = R"(^[^\s,;"\[\]#]([^\n\t,;"\[\]#]*[^\s,;"\[\]#])?$)";
  schema["not"] = {{"const", "t"}};
  return schema;
}
/// One word that gets endings, or a name for each column.
struct TargetCodec : Codec<Later> {
  static Json schema(const Spec& spec) {
    return any_of(target_schema(), fields::list_schema(spec, target_schema()));
  }
};
std::optional<std::vector<std::string>> read_targets(const Field& field,
                                                     const std::vector<std::string_view>& endings) {
  std::vector<std::string> names;
  if (field.is_scalar()) {
    for (const std::string_view ending : endings) names.push_back(fmt::format("{}_{}", *field.text(), ending));
    return names;
  }
  for (const Field& item : field.items())
    if (const auto name = item.text()) names.push_back(*name);
  if (names.size() == endings.size()) return names;
  field.error(fmt::format("has {} names, expected {}", names.size(), endings.size()),
              fmt::format("or one word, which becomes word_{}", join(endings, ", word_")));
  return std::nullopt;
}

struct ClockUnit : ReadOnly {
  static constexpr std::array<std::string_view, 5> words = {"s", "ms", "us", "ns", "date"};
  static void read(const Field& field, const Spec&, ClockDescription& clock) {
    if (clock.columns.size() == 2) field.error("stands beside two columns", "they are seconds and nanoseconds");
    const auto k = yaml::choice(field, {words.begin(), words.end()}).value_or(0);
    clock.date = k == 4;
    clock.power = k == 4 ? 0 : 9 - 3 * static_cast<int>(k);
  }
  static Json schema(const Spec&) { return fields::word_schema({words.begin(), words.end()}); }
};
struct ClockCodec : Codec<ClockDescription> {
  static void read(const Field& field, const Spec& spec, ClockDescription& clock) {
    using Kind = ClockDescription::Kind;
    Codec<ClockDescription>::read(field, spec, clock);
    const bool is_counted = clock.rate_hz > 0 && clock.columns.empty();
    if (is_counted && clock.kind == Kind::shared) clock.kind = Kind::own;
    if (clock.rate_hz > 0 && !is_counted && clock.kind != Kind::receive)
      field.error("has a rate beside a column of times",
                  "rate is for files without times, and for kind: receive");
  }
};

/// One column as the file states it.
struct ScalarEntry {
  ColumnName from;
  const Unit* unit = nullptr;
  std::optional<double> density, surface;
  double sign = 1, scale = 1, offset = 0;
};

ScalarColumn scalar_of(const Field& field, const std::string& name, const ScalarEntry& entry) {
  ScalarColumn column{{name, ""}, entry.from};
  const auto& [from, unit, density, surface, sign, scale, offset] = entry;
  if (unit) column = {{name, std::string(unit->si)}, from, unit->factor, unit->offset};
  if (density.has_value() != surface.has_value() || (density && (!unit || unit->si != "Pa"))) {
    field.error(
        "needs density, surface and a unit of pressure to become a depth",
        "{unit: mbar, density: 1025, surface: 1013}; surface in the same unit, 0 if it is taken off already");
  } else if (density) {  // of still water
    column.factor /= *density * gravity;
    column.offset = -*surface * column.factor;
    column.to.unit = "m";
  }
  column.factor *= scale * sign;
  column.offset = column.offset * (scale * sign) + offset;
  return column;
}

/// `depth:` alone, a column, or a map.
struct ScalarsCodec : ReadOnly {
  static void read(const Field& field, const Spec& spec, std::vector<ScalarColumn>& out) {
    read_in_order(field, [&](const Field& value, const std::string& name) {
      const std::size_t before = value.reading().findings().size();
      ScalarEntry entry{.from = {name, 0, value.key()}};
      if (value.is_map())
        Codec<ScalarEntry>::read(value, spec, entry);
      else if (!value.node().IsNull())
        ColumnCodec::read(value, spec, entry.from);
      if (value.reading().findings().size() == before) out.push_back(scalar_of(value, name, entry));
    });
  }
  static Json schema(const Spec& spec) {
    Json each = any_of(ColumnCodec::schema(spec), Codec<ScalarEntry>::schema(spec));
    each["anyOf"].push_back({{"type", "null"}});
    return {{"type", "object"}, {"propertyNames", target_schema()}, {"additionalProperties", std::move(each)}};
  }
};
struct SignCodec : Codec<double> {
  static void read(const Field& field, const Spec& spec, double& out) {
    Codec<double>::read(field, spec, out);
    if (std::abs(out) != 1) field.error(fmt::format("= {}, expected 1 or -1", out), "scale takes any number");
  }
  static Json schema(const Spec&) { return {{"enum", {1, -1}}}; }
};

struct VectorEntry {
  Later to;
  std::vector<ColumnName> from;
  const Unit* unit = nullptr;
  Axes axes;
};
struct VectorsCodec : ReadOnly {
  static void read(const Field& field, const Spec& spec, ChannelDescription& channel) {
    for (const Field& item : field.items()) {
      VectorEntry entry;
      Codec<VectorEntry>::read(item, spec, entry);
      const auto names = entry.to.field ? read_targets(*entry.to.field, {"x", "y", "z"}) : std::nullopt;
      if (channel.frame == "none" && !entry.axes.frame.empty()) channel.frame = entry.axes.frame;
      if (const Unit* unit = entry.unit; unit && unit->offset != 0)
        item.error(fmt::format("has unit {}", unit->word), "no unit of a vector");
      if (!names || entry.from.empty()) continue;
      VectorColumns vector{{}, {}, entry.axes.rotation, entry.unit ? entry.unit->factor : 1};
      for (std::size_t k = 0; k < 3; ++k) {
        vector.to[k] = {(*names)[k], std::string(entry.unit ? entry.unit->si : "")};
        vector.from[k] = entry.from[k];
      }
      channel.vectors.push_back(std::move(vector));
    }
  }
  static Json schema(const Spec& spec) { return fields::list_schema(spec, Codec<VectorEntry>::schema(spec)); }
};

struct AttitudeEntry {
  std::vector<ColumnName> from;
  Later order, to;
  const Unit* unit = nullptr;
  Axes body, world;
};
/// `FLU in ENU`.
struct AttitudeAxes : ReadOnly {
  static void read(const Field& field, const Spec&, AttitudeEntry& out) {
    const auto text = field.text();
    if (!text) return;
    const std::size_t in = std::min(text->find(" in "), text->size());
    const std::string body = text->substr(0, in), world = text->substr(std::min(in + 4, text->size()));
    const auto axes = [&](const std::string& word) {
      return *internal::read_axes(Field(YAML::Node(word), field.key(), field.reading()));
    };
    if ((body != "FRD" && body != "FLU") || (world != "NED" && world != "ENU" && world != "NWU"))
      return field.error(fmt::format("= {}, expected body axes in world axes", in_quotes(*text)),
                         "such as FLU in ENU (ROS) or FRD in NED; other rotations under body and world");
    out.body = axes(body);
    out.world = axes(world);
  }
  static Json schema(const Spec&) { return {{"type", "string"}, {"pattern", "^(FRD|FLU) in (NED|ENU|NWU)$"}}; }
};
struct OrderCodec : Codec<Later> {
  static Json schema(const Spec&) { return fields::word_schema({"wxyz", "xyzw"}); }
};

/// w first, whatever the order of the file.
void order_quaternion(const Field& field, AttitudeEntry& entry) {
  const auto& order = entry.order.field;
  if (entry.from.size() == 3 && order) order->error("stands beside three angles", "they are roll, pitch, yaw");
  if (entry.from.size() != 4) return;
  if (!order) return field.error("has four columns and no order", "order: xyzw (ROS) or order: wxyz");
  if (yaml::choice(*order, {"wxyz", "xyzw"}) == 1u)
    std::rotate(entry.from.begin(), entry.from.end() - 1, entry.from.end());
}

struct AttitudeCodec : ReadOnly {
  static void read(const Field& field, const Spec& spec, ChannelDescription& channel) {
    AttitudeEntry entry;
    Codec<AttitudeEntry>::read(field, spec, entry);
    channel.frame = "n";
    order_quaternion(field, entry);
    const bool is_quaternion = entry.from.size() == 4;
    if (const Unit* unit = entry.unit; unit && (is_quaternion || unit->si != "rad"))
      field.error(fmt::format("has the unit {}", unit->word),
                  "angles are in rad or deg; a quaternion has none");
    std::vector<std::string> names = {"roll", "pitch", "heading"};
    if (is_quaternion) names = {"attitude_w", "attitude_x", "attitude_y", "attitude_z"};
    if (const auto& to = entry.to.field) {
      const bool has_angles = to->is_list() && to->node().size() == 3;
      const auto endings = has_angles ? std::vector<std::string_view>{"roll", "pitch", "heading"}
                                      : std::vector<std::string_view>{"w", "x", "y", "z"};
      names = read_targets(*to, endings).value_or(names);
    }
    if (entry.from.empty()) return;
    AttitudeColumns attitude{
        {}, entry.from, entry.world.rotation, entry.body.rotation, entry.unit ? entry.unit->factor : 1};
    for (const std::string& name : names) attitude.to.push_back({name, names.size() == 3 ? "rad" : "1"});
    const bool is_turned = !attitude.world.isIdentity(0) || !attitude.body.isIdentity(0);
    if (is_quaternion || names.size() != 3 || is_turned) {
      channel.attitude = std::move(attitude);
      return;
    }
    for (std::size_t k = 0; k < 3; ++k)  // angles that nothing turns are plain columns
      channel.columns.push_back({attitude.to[k], attitude.from[k], attitude.factor, 0});
  }
  static Json schema(const Spec& spec) { return Codec<AttitudeEntry>::schema(spec); }
};

void check_channel(const Field& field, const ChannelDescription& channel) {
  const ClockDescription& clock = channel.clock;
  if (channel.columns.empty() && channel.vectors.empty() && !channel.attitude)
    field.error("has no columns", "columns, vectors or attitude say what is written");
  if (clock.columns.empty() && clock.rate_hz == 0 && channel.topic.empty())
    field.error("has no clock",
                "clock: {column: t, unit: s}; or clock: {rate: 100} where the file has no times");
  if (clock.kind == ClockDescription::Kind::receive && clock.columns.empty() && channel.topic.empty())
    field.error("has a clock of receive times without a column", "clock: {column: t, kind: receive}");
  yaml::check_under(field, [&] { internal::check_writable(channel.info()); });
}

Json channel_word() {
  Json schema = fields::text_schema();
  schema["pattern"] = "^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$";
  return schema;
}
struct FrameCodec : Codec<std::string> {
  static Json schema(const Spec&) { return channel_word(); }
};
struct ChannelsCodec : ReadOnly {
  static void read(const Field& field, const Spec& spec, std::vector<ChannelDescription>& out) {
    read_in_order(field, [&](const Field& value, const std::string& name) {
      ChannelDescription& channel = out.emplace_back();
      channel.name = name;
      Codec<ChannelDescription>::read(value, spec, channel);
      if (value.is_map()) check_channel(value, channel);
    });
    if (field.is_map() && out.empty()) field.error("names no channel", "such as rov.dvl: {...}");
  }
  static Json schema(const Spec& spec) {
    return {{"type", "object"},
            {"minProperties", 1},
            {"propertyNames", channel_word()},
            {"additionalProperties", Codec<ChannelDescription>::schema(spec)}};
  }
};

}  // namespace
}  // namespace fathom::log

// The keys, one to a line.
// clang-format off
namespace fathom::fields {

using namespace log;

template <> const Words<ClockDescription::Kind>& words<ClockDescription::Kind>() {
  using enum ClockDescription::Kind;
  static const Words<ClockDescription::Kind> all{{"shared", shared}, {"own", own}, {"receive", receive}};
  return all;
}
template <> const Keys& Table<ClockDescription>::fields() {
  using T = ClockDescription;
  static const Keys keys{
      field<&T::columns, StampCodec>("column").entries(2, 2).what("a column of seconds and one of nanoseconds")
          .doc("Column of times; or two, seconds and nanoseconds."),
      field<&T::kind>("kind").doc("Clock that all channels share, one of its own, or times of receipt."),
      self<T, ClockUnit>("unit").doc("Unit of the times; date is 2022-12-01T15:40:08.877Z."),
      field<&T::rate_hz>("rate").unit("Hz").above(0).doc("Rate of a file without times, or of a sender."),
      field<&T::offset>("offset").unit("s").at_least(-1e9).at_most(1e9).hint("it is in seconds")
          .doc("Added to all times.")};
  return keys;
}
template <> void Table<ClockDescription>::refine(Json& schema) {
  const Json two = {{"column", {{"type", "array"}}}}, receive = {{"kind", {{"const", "receive"}}}};
  schema["properties"]["rate"].erase("default");
  schema["allOf"] = {{{"not", {{"required", {"column", "unit"}}, {"properties", two}}}},
                     {{"if", required({"rate", "column"})},
                      {"then", {{"required", {"kind"}}, {"properties", receive}}}}};
}
template <> const Keys& Table<ScalarEntry>::fields() {
  using T = ScalarEntry;
  static const Keys keys{
      field<&T::from, ColumnCodec>("from").doc("Column of the file; absent, that of the same name."),
      field<&T::unit, UnitCodec>("unit").doc("Unit of the file; SI is written."),
      field<&T::density>("density").unit("kg/m^3").above(0).hint("fresh 1000, sea 1025")
          .doc("Density of the water; a pressure becomes a depth."),
      field<&T::surface>("surface").doc("Pressure at the surface, in the unit of the column."),
      field<&T::sign, SignCodec>("sign").doc("Sign of the column."),
      field<&T::scale>("scale").doc("Factor of the column, besides its sign."),
      field<&T::offset>("offset").doc("Added, in SI.")};
  return keys;
}
template <> void Table<ScalarEntry>::refine(Json& schema) {
  Json depth = required({"density", "surface", "unit"});
  depth["properties"]["unit"]["enum"] = unit_words("Pa");
  schema["if"]["anyOf"] = {required({"density"}), required({"surface"})};
  schema["then"] = std::move(depth);
}
template <> const Keys& Table<VectorEntry>::fields() {
  using T = VectorEntry;
  static const Keys keys{
      field<&T::to, TargetCodec>("to").entries(3, 3)
          .required("the columns to write: [u, v, w], or velocity for velocity_x, _y, _z")
          .doc("Three names; or one word: velocity is velocity_x, _y, _z."),
      field<&T::from, ColumnsCodec>("from").entries(3, 3).what("three columns: x, y, z")
          .required("three columns of the file: [vx, vy, vz]").doc("Three columns of the file: x, y, z."),
      field<&T::unit, UnitCodec>("unit").doc("Unit of all three."),
      field<&T::axes, AxesCodec>("axes").doc("Axes of the file; absent, ours.")};
  return keys;
}
template <> void Table<VectorEntry>::refine(Json& schema) {
  schema["properties"]["unit"]["not"]["const"] = "C";  // no vector begins at 273.15 K
}
template <> const Keys& Table<AttitudeEntry>::fields() {
  using T = AttitudeEntry;
  static const Keys keys{
      field<&T::from, ColumnsCodec>("from").entries(3, 4).what("three angles or a quaternion")
          .required("[roll, pitch, yaw], or four columns of a quaternion")
          .doc("Roll, pitch, yaw (z-y-x); or four columns of a quaternion (Hamilton, body to world)."),
      field<&T::order, OrderCodec>("order").doc("Order of a quaternion; that of ROS is xyzw."),
      field<&T::unit, UnitCodec>("unit").doc("Unit of angles; absent, rad."),
      self<T, AttitudeAxes>("axes").doc("Body axes in world axes; FLU in ENU is ROS."),
      field<&T::body, AxesCodec>("body").doc("Body axes that have no word."),
      field<&T::world, AxesCodec>("world").doc("World axes that have no word."),
      field<&T::to, TargetCodec>("to").entries(3, 4)
          .doc("Three names get angles; four, or one word, w, x, y, z.")};
  return keys;
}
template <> void Table<AttitudeEntry>::refine(Json& schema) {
  schema["properties"]["unit"]["enum"] = unit_words("rad");
  schema["if"]["properties"]["from"] = {{"type", "array"}, {"minItems", 4}};
  schema["then"] = {{"required", {"order"}}, {"not", required({"unit"})}};
  schema["else"] = {{"not", required({"order"})}};
}
template <> const Keys& Table<TableOptions>::fields() {
  using T = TableOptions;
  static const Keys keys{
      field<&T::separator, LetterCodec>("separator").hint(R"(",", ";", "|", tab or blank)")
          .doc("Letter between columns, tab, or blank for any number of blanks and tabs."),
      field<&T::decimal, LetterCodec>("decimal").hint(R"("." or ",")").doc("Decimal point."),
      field<&T::header>("header").doc("The first line names the columns; else they go by number, from 1."),
      field<&T::drop_bad_lines>("drop_bad_lines").doc("Leaves out and counts lines that cannot be read."),
      field<&T::skip>("skip").at_least(0).at_most(1'000'000).doc("Lines above the header."),
      field<&T::comment>("comment").doc("Lines that begin with it are left out.")};
  return keys;
}
template <> const Keys& Table<Condition>::fields() {
  static const Keys keys{
      field<&Condition::column, ColumnCodec>("column").required("the column that tells which rows count")
          .doc("Column that selects rows."),
      field<&Condition::is>("is").doc("Value of the column in the rows that count.")};
  return keys;
}
template <> const Keys& Table<ChannelDescription>::fields() {
  using T = ChannelDescription;
  static const Keys keys{
      field<&T::file>("file").doc("File, seen from the folder --log; {run} in it stands for --run."),
      field<&T::topic>("topic").doc("Topic of a bag; columns are those of its messages."),
      field<&T::about>("about").doc("Text for people."), spread<&T::table>(),
      field<&T::clock, ClockCodec>("clock").doc("Times of the rows."),
      field<&T::invalid>("invalid").or_infinity().doc("Numbers that stand for missing values."),
      field<&T::drop_old>("drop_old").doc("Leaves out and counts rows no later than the one before."),
      field<&T::where>("where").doc("Leaves out other rows."),
      field<&T::columns, ScalarsCodec>("columns").doc("Columns that are written, by name."),
      self<T, VectorsCodec>("vectors").doc("Triples of columns that turn together."),
      self<T, AttitudeCodec>("attitude").doc("Angles or a quaternion, as body axes in world axes."),
      field<&T::frame, FrameCodec>("frame").doc("Frame in the header of the channel; absent, by the axes.")};
  return keys;
}
template <> void Table<ChannelDescription>::refine(Json& schema) {
  const auto not_empty = [](const char* key, const char* least) {
    return Json{{"required", {key}}, {"properties", {{key, {{least, 1}}}}}};
  };
  const Json receive = {{"required", {"kind"}}, {"properties", {{"kind", {{"const", "receive"}}}}}};
  Json clock = required({"clock"});
  clock["properties"]["clock"]["anyOf"] = {required({"column"}), {{"required", {"rate"}}, {"not", receive}}};
  const auto one_of = [](Json forms) { return Json{{"if", {{"anyOf", std::move(forms)}}}, {"else", false}}; };
  schema["allOf"] = {one_of({not_empty("columns", "minProperties"), not_empty("vectors", "minItems"),
                             required({"attitude"})}),
                     one_of({required({"topic"}), std::move(clock)})};
}
template <> const Keys& Table<Description>::fields() {
  using T = Description;
  static const Keys keys{
      field<&T::about>("about").doc("One line for people."),
      field<&T::messages>("messages").doc("Text of .msg files, by type such as brov_msgs/msg/Control."),
      field<&T::channels, ChannelsCodec>("channels").required("the channels to write, by name")
          .doc("Channels that are written, by name, such as rov.dvl.")};
  return keys;
}

}  // namespace fathom::fields
// clang-format on

namespace fathom::log {

nlohmann::ordered_json description_schema() {
  return fields::schema_file(fields::schema_of<Description>(), "urn:fathom:description:1",
                             "Fathom log description", description_format);
}

ChannelInfo ChannelDescription::info() const {
  ChannelInfo info{name, frame, {}, about};
  for (const ScalarColumn& column : columns) info.columns.push_back(column.to);
  for (const VectorColumns& vector : vectors)
    info.columns.insert(info.columns.end(), vector.to.begin(), vector.to.end());
  if (attitude) info.columns.insert(info.columns.end(), attitude->to.begin(), attitude->to.end());
  return info;
}

Description parse_description(const std::string& text, const std::string& file) {
  yaml::Reading reading(file);
  const Field root(yaml::parse_document(text, file, "one description per file",
                                        fmt::format("begin with 'format: {}'", description_format)),
                   "", reading);
  Description description;
  yaml::Map map(root);
  yaml::check_format(map, description_format, {});
  fields::read_keys(map, root, fields::Table<Description>::fields(), &description);
  map.finish();
  if (!reading.findings().empty()) throw InputError(reading.findings());
  description.file = file;
  description.lines = reading.lines();
  return description;
}

Description read_description(const std::filesystem::path& path) {
  return parse_description(read_file(path, largest_description), path.string());
}

}  // namespace fathom::log
