#include "fathom/excite/internal/problem_file.hpp"

#include <numbers>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/model_file/fields.hpp"

namespace fathom::excite::internal {
namespace {

constexpr std::string_view format_word = "fathom-excitation-1";

}  // namespace

YAML::Node problem_document(const std::string& text, const std::string& file) {
  return yaml::parse_document(text, file, "one problem per file",
                              fmt::format("begin with 'format: {}'", format_word));
}

void read_problem_keys(const yaml::Field& root, const fields::Keys& keys, void* file) {
  yaml::Map map(root);
  yaml::check_format(map, format_word,
                     {{"fathom-robot-1", "this is a robot, not a problem", "name it under robot: ..."},
                      {"fathom-arm-1", "this is an arm, not a problem", "name it under arm: ..."},
                      {"fathom-scenario-1", "this is a scenario, not a problem", "fathom simulate"},
                      {"fathom-trajectory-1", "this is a path that was designed, not a problem",
                       "a scenario can follow it: fathom simulate"}});
  fields::read_keys(map, root, keys, file);
  map.finish();
}

fields::Json with_format(fields::Json schema) {
  schema["properties"]["format"] = {{"description", "Format of the file."}, {"const", format_word}};
  schema["required"].push_back("format");
  return schema;
}

void check_duration(std::optional<double> duration) {
  if (duration && !(*duration > 0 && *duration <= longest))
    reject("duration", fmt::format("= {} s, must be > 0 and at most 1e7", *duration));
}

void throw_errors(yaml::Reading& reading, const Findings& findings) {
  reading.add(findings);
  if (has_errors(reading.findings())) throw InputError(reading.findings());
}

void Direction::read(const yaml::Field& field, const fields::Spec& spec, Vec3& out) {
  Vec3 direction = Vec3::Zero();
  const std::size_t before = field.reading().findings().size();
  fields::Spec entries = spec;
  entries.must = {};
  Codec::read(field, entries, direction);
  if (direction.norm() > 1e-6)
    out = direction.normalized();
  else if (field.reading().findings().size() == before)
    field.error(std::string(spec.must), std::string(spec.hint));
}

}  // namespace fathom::excite::internal

namespace fathom::fields {
namespace {

using namespace excite;
using namespace excite::internal;
using excite::Range;
using yaml::Field;
using Inertia = model::StructureOptions::Inertia;
using Linear = model::StructureOptions::Linear;
using Quadratic = StatedStructure::Quadratic;

constexpr double farthest = 1e5;  // m: beyond it squares lose the centimetres
constexpr double least_sigma = 1e-9, most_sigma = 1e9;
constexpr double steepest = 85;  // degrees: rates of roll and yaw are singular at 90
constexpr std::size_t most_corners = 64, most_segments = 200;
constexpr std::string_view place = "m north, east, down", body = "m forward, starboard, down";
constexpr std::string_view millimetres = "metres, not millimetres?";

Key number(Key key, std::string_view unit, double least, double most, std::string_view doc) {
  return key.unit(unit).between(least, most).doc(doc);
}
Key point(Key key, std::string_view what, std::string_view doc) {
  return number(key.what(what).hint(millimetres), "m", -farthest, farthest, doc);
}
Key angle(Key key, std::string_view unit, std::string_view what, std::string_view doc) {
  return key.unit(unit).what(what).doc(doc).beside(keep_one);
}

}  // namespace

template <>
const Words<Criterion>& words<Criterion>() {
  static const Words<Criterion> all{{"a-optimal", Criterion::a_optimal},
                                    {"d-optimal", Criterion::d_optimal},
                                    {"condition", Criterion::condition}};
  return all;
}
template <>
const Words<Shape::Kind>& words<Shape::Kind>() {
  static const Words<Shape::Kind> all{{"bezier", Shape::Kind::bezier}, {"spline", Shape::Kind::spline}};
  return all;
}
template <>
const Words<Inertia>& words<Inertia>() {
  static const Words<Inertia> all{
      {"full", Inertia::full}, {"planes", Inertia::planes}, {"diagonal", Inertia::diagonal}};
  return all;
}
template <>
const Words<Linear>& words<Linear>() {
  static const Words<Linear> all{{"none", Linear::none},
                                 {"full", Linear::full},
                                 {"planes", Linear::planes},
                                 {"diagonal", Linear::diagonal}};
  return all;
}
template <>
const Words<Quadratic>& words<Quadratic>() {
  static const Words<Quadratic> all{{"none", Quadratic::none}, {"diagonal", Quadratic::diagonal}};
  return all;
}

template <>
const Keys& Table<Water>::fields() {
  static const Keys keys{
      field<&Water::density>("density")
          .unit("kg/m^3")
          .between(500, 2000)
          .hint("fresh 1000, sea 1025")
          .doc("Density of the water."),
      field<&Water::gravity>("gravity").unit("m/s^2").above(0).doc("Acceleration of gravity.")};
  return keys;
}

namespace {

struct DofCodec : ReadOnly {
  static void read(const Field& field, const Spec&, model::Dof& out) {
    out = model::read_dof(field).value_or(out);
  }
  static Json schema(const Spec&) { return {{"enum", {3, 4, 6}}}; }
};

struct QuadraticTerms : Codec<std::vector<std::string>> {
  static void read(const Field& field, const Spec& spec, std::vector<std::string>& out) {
    Codec::read(field, spec, out);
    for (std::size_t k = 0; k < out.size(); ++k)
      if (const auto term = model::term_by_name(out[k]); !term || term->kind != model::Term::Kind::quadratic)
        field.entry_error(int(k),
                          fmt::format("= {}, expected a quadratic term such as q26|6|", in_quotes(out[k])),
                          "row, velocity and speed count from 1 in u v w p q r");
  }
  static Json schema(const Spec& spec) {
    return list_schema(spec, {{"type", "string"}, {"pattern", R"(^q[1-6][1-6]\|[1-6]\|$)"}});
  }
};

}  // namespace

template <>
const Keys& Table<StatedStructure>::fields() {
  using S = StatedStructure;
  static const Keys keys{
      field<&S::dof, DofCodec>("dof").required("3, 4 or 6").doc("Degrees of freedom; 4: level, 3: planar."),
      field<&S::inertia>("inertia").doc("Entries of M; planes: those that the robot's symmetry leaves."),
      field<&S::linear>("linear").doc("Entries of the linear damping."),
      field<&S::quadratic>("quadratic").doc("Entries (Q_j)_jj of the quadratic damping."),
      field<&S::cross, QuadraticTerms>("cross").doc("Further quadratic damping: row, velocity, |speed|.")};
  return keys;
}

namespace {

/// The name of a structure, or its keys.
struct StructureCodec : ReadOnly {
  static void read(const Field& field, const Spec& spec, StatedStructure& out) {
    if (field.is_map()) return Codec<StatedStructure>::read(field, spec, out);
    const auto names = model::structure_names();
    if (const auto k = yaml::choice(field, names)) out.name = names[*k];
  }
  static Json schema(const Spec&) {
    return {{"anyOf", {word_schema(model::structure_names()), schema_of<StatedStructure>()}}};
  }
};

/// One number for all axes, or one for each.
struct ClearanceCodec : ReadOnly {
  static void read(const Field& field, const Spec& spec, std::optional<Vec3>& out) {
    if (!field.is_list()) {
      if (const auto all = read_number(field, spec)) out = Vec3::Constant(*all);
    } else if ((out = yaml::vec3(field, "m along north, east, down")) && out->minCoeff() < 0) {
      field.error("has an entry below 0", "m between the body's origin and a wall");
    }
  }
  static Json schema(const Spec& spec) { return {{"anyOf", {number_schema(spec), numbers_schema(spec, 3)}}}; }
};

}  // namespace

template <>
const Keys& Table<StatedTank>::fields() {
  using S = StatedTank;
  constexpr std::string_view what = "m north, east, down; down is positive";
  static const Keys keys{
      field<&S::min>("min").required(what).what(what).at_least(-1e4).hint(millimetres).doc("Corner [m]."),
      field<&S::max>("max")
          .required(what)
          .what(what)
          .at_most(1e4)
          .hint(millimetres)
          .doc("Opposite corner [m]."),
      number(field<&S::clearance, ClearanceCodec>("clearance"), "m", 0, 1e4,
             "Distance of the body's origin from the walls, or one per axis. Default: reach of the hull.")};
  return keys;
}

template <>
const Keys& Table<StatedPose>::fields() {
  using S = StatedPose;
  using AttitudeDeg = OptionalCodec<Vec3, Degrees<Vec3>>;
  using YawDeg = OptionalCodec<double, Degrees<double>>;
  constexpr std::string_view rpy = "Roll, pitch, yaw.", yaw = "Heading, level.";
  static const Keys keys{point(field<&S::position>("position").required(place), place, "North, east, down."),
                         angle(field<&S::attitude>("attitude"), "rad", "roll, pitch, yaw in rad", rpy)
                             .or_key(angle(field<&S::attitude, AttitudeDeg>("attitude_deg"), "deg",
                                           "roll, pitch, yaw in degrees", rpy)),
                         angle(field<&S::yaw>("yaw"), "rad", "", yaw)
                             .or_key(angle(field<&S::yaw, YawDeg>("yaw_deg"), "deg", "", yaw))};
  return keys;
}
template <>
void Table<StatedPose>::refine(Json& schema) {
  for (const char* const attitude : {"attitude", "attitude_deg"})
    for (const char* const yaw : {"yaw", "yaw_deg"})
      schema["allOf"].push_back({{"not", {{"required", {attitude, yaw}}}}});
}

namespace {

constexpr double unit_of_key(bool in_degrees) { return in_degrees ? degree : 1; }

/// [min, max]; reports a range that is empty.
std::optional<Range> read_range(const Field& field, std::string_view what) {
  const auto v = field.numbers(2, what);
  if (!v || (*v)[0] < (*v)[1]) return v ? std::optional(Range{(*v)[0], (*v)[1]}) : std::nullopt;
  field.error(fmt::format("= [{}, {}], where min is not below max", (*v)[0], (*v)[1]), std::string(what));
  return std::nullopt;
}

template <std::size_t k, bool in_degrees>
struct PoseBound : ReadOnly {
  static void read(const Field& field, const Spec& spec, StatedLimits& out) {
    constexpr double unit = unit_of_key(in_degrees);
    const auto range = read_range(field, spec.what);
    if (!range) return;
    if (const double largest = std::max(-range->min, range->max), most = *spec.range.at_most; largest <= most)
      out.pose[k] = StatedRange{{range->min * unit, range->max * unit}};
    else
      field.error(fmt::format("reaches {}, at most {}", of_coordinate(k, largest * unit),
                              of_coordinate(k, most * unit)),
                  std::string(spec.hint));
  }
  static Json schema(const Spec& spec) { return numbers_schema(spec, 2); }
};

/// A number for both signs, or [min, max] about rest.
std::optional<Range> read_rate(const Field& field, const Spec& spec) {
  if (!field.is_list()) {
    const auto value = read_number(field, spec);
    return value ? std::optional(Range{-*value, *value}) : std::nullopt;
  }
  const auto range = read_range(field, fmt::format("[min, max] in {}", spec.unit));
  if (!range || (spec.range.holds(-range->min) && spec.range.holds(range->max))) return range;
  field.error(fmt::format("= [{:g}, {:g}], must be below and above 0, from {:g} to {:g}", range->min,
                          range->max, *spec.range.at_least, *spec.range.at_most),
              "the path begins and ends at rest");
  return std::nullopt;
}

/// Limits of three coordinates: one for all, or a map by coordinate.
template <std::size_t first, auto table, bool in_degrees>
struct RateBounds : ReadOnly {
  static void read(const Field& field, const Spec& spec, StatedLimits& out) {
    constexpr double unit = unit_of_key(in_degrees);
    const bool is_own = field.is_map();
    const auto all = is_own ? std::nullopt : read_rate(field, spec);
    std::optional<yaml::Map> map;
    if (is_own) map.emplace(field);
    for (std::size_t k = first; k < first + 3; ++k) {
      const auto one = map ? map->take(coordinate_names[k]) : std::nullopt;
      if (const auto range = one ? read_rate(*one, spec) : all)
        (out.*table)[k] = StatedRange{{range->min * unit, range->max * unit}, is_own};
    }
    if (map) map->finish();
  }
  static Json schema(const Spec& spec) {
    Spec below = spec;
    below.range = {.at_least = -*spec.range.at_most, .at_most = -*spec.range.at_least};
    const Json pair = {{"type", "array"},
                       {"prefixItems", {number_schema(below), number_schema(spec)}},
                       {"minItems", 2},
                       {"maxItems", 2}};
    Json one = {{"description", "Of this coordinate."}, {"anyOf", {number_schema(spec), pair}}};
    Json map = {{"type", "object"}, {"additionalProperties", false}};
    for (std::size_t k = first; k < first + 3; ++k) map["properties"][std::string(coordinate_names[k])] = one;
    return {{"anyOf", {std::move(one), std::move(map)}}};
  }
};

template <std::size_t k, bool in_degrees = false>
Key bound(std::string_view name, double most, std::string_view hint, std::string_view doc) {
  constexpr std::string_view unit = k < 3 ? "m" : in_degrees ? "deg" : "rad";
  constexpr std::string_view what = k < 3        ? "[min, max] in m"
                                    : in_degrees ? "[min, max] in degrees"
                                                 : "[min, max] in rad";
  return number(self<StatedLimits, PoseBound<k, in_degrees>>(name), unit, -most, most, doc)
      .what(what)
      .hint(hint)
      .beside(keep_one);
}
template <std::size_t first, auto table, bool in_degrees = false>
Key rates(std::string_view name, std::string_view unit) {
  constexpr std::string_view doc =
      "Of each of the three coordinates: a number, a range, or a map by coordinate.";
  return number(self<StatedLimits, RateBounds<first, table, in_degrees>>(name), unit, 1e-6, 1e3, doc)
      .beside(keep_one);
}

}  // namespace

template <>
const Keys& Table<StatedLimits>::fields() {
  using S = StatedLimits;
  constexpr std::string_view origin = "Range of the body's origin. Default: the tank less its clearance.";
  constexpr std::string_view tilt = "Range of the angle; only with 6 degrees of freedom. Default: 20 deg.";
  constexpr std::string_view turn = "Range of the heading. Default: one turn to each side of the start.";
  constexpr std::string_view steep = "at 90 degrees roll and yaw are one";
  // Of a key in rad, [-180, 180] is meant in degrees.
  constexpr double most_deg = 36000, most_rad = 20 * std::numbers::pi;
  static const Keys keys{
      bound<0>("x", 1e4, "", origin),
      bound<1>("y", 1e4, "", origin),
      bound<2>("z", 1e4, "", origin),
      bound<3>("roll", most_rad, "degrees? the unit is rad; degrees have the key roll_deg", tilt)
          .or_key(bound<3, true>("roll_deg", most_deg, "", tilt)),
      bound<4>("pitch", steepest * degree, steep, tilt)
          .or_key(bound<4, true>("pitch_deg", steepest, steep, tilt)),
      bound<5>("yaw", most_rad, "degrees? the unit is rad; degrees have the key yaw_deg", turn)
          .or_key(bound<5, true>("yaw_deg", most_deg, "", turn)),
      rates<0, &S::rate>("speed", "m/s"),
      rates<3, &S::rate>("turn_rate", "rad/s").or_key(rates<3, &S::rate, true>("turn_rate_deg", "degrees")),
      rates<0, &S::acceleration>("acceleration", "m/s^2"),
      rates<3, &S::acceleration>("turn_acceleration", "rad/s^2")
          .or_key(rates<3, &S::acceleration, true>("turn_acceleration_deg", "degrees"))};
  return keys;
}

template <>
const Keys& Table<StatedSegment>::fields() {
  using S = StatedSegment;
  static const Keys keys{
      field<&S::name, PlainName>("name").doc("Name of the segment. Default: segment-<number>."),
      field<&S::share>("share")
          .above(0)
          .at_most(1)
          .hint("shares are divided by their sum")
          .doc("Share of the time.")
          .or_key(number(field<&S::duration>("duration"), "s", 1e-6, longest, "Duration.").beside(keep_one)),
      field<&S::limits>("limits").doc("Limits that differ from the problem's.")};
  return keys;
}

template <>
const Keys& Table<Shape>::fields() {
  constexpr auto is_bezier = [](const void* s) {
    return static_cast<const Shape*>(s)->kind == Shape::Kind::bezier;
  };
  constexpr auto is_spline = [](const void* s) {
    return static_cast<const Shape*>(s)->kind == Shape::Kind::spline;
  };
  static const Keys keys{field<&Shape::kind>("kind")
                             .required("bezier or spline")
                             .doc("A Bezier curve per segment, or one spline."),
                         number(field<&Shape::degree>("degree"), "", 6, 60, "Degree of each Bezier curve.")
                             .only_if(is_bezier, "kind"),
                         number(field<&Shape::parts>("parts"), "", 1, 64,
                                "Parts of each control polygon for the bounds; 1: Panetsos.")
                             .only_if(is_bezier, "kind"),
                         number(field<&Shape::interval>("interval"), "s", 1e-3, 1e6,
                                "Largest interval between knots of the spline.")
                             .only_if(is_spline, "kind")};
  return keys;
}
template <>
void Table<Shape>::refine(Json& schema) {
  schema["if"]["properties"]["kind"]["const"] = "bezier";
  schema["then"]["properties"]["interval"] = false;
  schema["else"]["properties"] = {{"degree", false}, {"parts", false}};
}

template <>
const Keys& Table<Noise>::fields() {
  static const Keys keys{
      // without noise of the wrench, one sample would determine all
      number(field<&Noise::force>("force"), "N", least_sigma, most_sigma, "Of a force."),
      number(field<&Noise::torque>("torque"), "N m", least_sigma, most_sigma, "Of a torque."),
      number(field<&Noise::velocity>("velocity"), "m/s", 0, most_sigma, "Of a velocity."),
      number(field<&Noise::turn_rate>("turn_rate"), "rad/s", 0, most_sigma, "Of a turn rate.")};
  return keys;
}

template <>
const Keys& Table<ThrusterShare>::fields() {
  static const Keys keys{field<&ThrusterShare::share>("share")
                             .above(0)
                             .at_most(1)
                             .hint("the share of each thruster's limits to use")
                             .required("of each thruster's limits, such as 0.8")
                             .doc("Share of each thruster's limits that the predicted wrench may take.")};
  return keys;
}

namespace {

/// At one depth.
struct Rectangle {
  Eigen::Vector2d min = Eigen::Vector2d::Zero(), max = Eigen::Vector2d::Zero();
  double depth = 0;
};

}  // namespace

template <>
const Keys& Table<Rectangle>::fields() {
  constexpr std::string_view what = "[north, east] in m", deep = "m, positive down";
  static const Keys keys{point(field<&Rectangle::min>("min").required(what), what, "A corner."),
                         point(field<&Rectangle::max>("max").required(what), what, "The opposite corner."),
                         point(field<&Rectangle::depth>("depth").required(deep), "", "Depth.")};
  return keys;
}

namespace {

/// Corners, or a rectangle.
struct AreaCodec : Codec<std::vector<Vec3>> {
  static void read(const Field& field, const Spec& spec, std::vector<Vec3>& out) {
    if (field.is_map()) return read_rectangle(field, out);
    const std::size_t count = field.node().size();
    if (field.is_list() && (count == 0 || count > most_corners))
      field.error(fmt::format("has {} corners, expected 1 to {}", count, most_corners), "");
    else
      Codec::read(field, spec, out);
  }
  static void read_rectangle(const Field& field, std::vector<Vec3>& out) {
    Rectangle r;
    fields::read(field, r);
    if (!has_errors(field.reading().findings()) && !(r.min.array() < r.max.array()).all())
      field.error("has a side where min is not below max", "[north, east] in m");
    for (const auto& [x, y] : {std::pair{r.min.x(), r.min.y()},
                               {r.max.x(), r.min.y()},
                               {r.max.x(), r.max.y()},
                               {r.min.x(), r.max.y()}})
      out.emplace_back(x, y, r.depth);
  }
  static Json schema(const Spec& spec) { return {{"anyOf", {Codec::schema(spec), schema_of<Rectangle>()}}}; }
};

struct SegmentsCodec : Codec<std::vector<StatedSegment>> {
  static Json write(const std::vector<StatedSegment>&, const Spec&) { return absent(); }
  static void read(const Field& field, const Spec& spec, std::vector<StatedSegment>& out) {
    const std::size_t count = field.node().size();
    if (field.is_list() && (count == 0 || count > most_segments))
      field.error(fmt::format("has {} entries, expected 1 to {}", count, most_segments),
                  "leave it out for one segment");
    else
      Codec::read(field, spec, out);
  }
};

}  // namespace

template <>
const Keys& Table<View>::fields() {
  constexpr double widest = View::widest / degree;
  constexpr std::string_view must = "must be 1 to 85 degrees", half = "Half angle of the cone in view.";
  static_assert(View::widest == 85 * degree);
  static const Keys keys{
      point(field<&View::position_b>("position"), body, "Camera in the body frame."),
      field<&View::axis_b, Direction>("axis")
          .between(-farthest, farthest)
          .what("forward, starboard, down")
          .must("has no direction")
          .hint("[0, 0, 1] looks down")
          .doc("Direction of view, of any length but zero."),
      number(field<&View::half_angle, Degrees<double>>("half_angle_deg"), "", 1, widest, half)
          .must(must)
          .hint("half the narrower field of view")
          .required("half the narrower field of view, in degrees")
          .or_key(number(field<&View::half_angle>("half_angle"), "", degree * (1 - 1e-12),
                         View::widest * (1 + 1e-12), half)
                      .must(must)
                      .hint("the unit is rad; degrees: half_angle_deg")
                      .beside(keep_one)),
      point(field<&View::area_n, AreaCodec>("area").entries(1, most_corners), place,
            "Corners of the area to keep in view, or a rectangle at one depth.")
          .required("corners [north, east, down], or {min: [x, y], max: [x, y], depth: z}")};
  return keys;
}

template <>
const Keys& Table<TetherReach>::fields() {
  using T = TetherReach;
  static const Keys keys{
      point(field<&T::anchor_n>("anchor").required(place), place, "Anchor in the world frame."),
      point(field<&T::attachment_b>("attachment"), body, "Attachment in the body frame."),
      number(field<&T::length>("length").required("m"), "m", 1e-3, farthest, "Length of the tether.")};
  return keys;
}

template <>
const Keys& Table<ProblemFile>::fields() {
  using P = ProblemFile;
  using ShareCodec = OptionalCodec<ThrusterShare, ScalarOrMap<ThrusterShare>>;
  static const std::string structures =
      fmt::format("one of {}, or {{dof: 4, ...}}", join(model::structure_names(), ", "));
  static const Keys keys{
      field<&P::name, PlainName>("name").required(name_hint).doc("Name, also of the folder of its results."),
      field<&P::title>("title").doc("One line for people."),
      field<&P::robot, NameOrPath>("robot")
          .required("the name of a robot (fathom models), or the path of a robot file; of an arm, arm: NAME")
          .doc("A name of `fathom models`, or the path of a robot file, relative to this file."),
      field<&P::structure, StructureCodec>("structure").required(structures).doc("Parameters to identify."),
      field<&P::environment>("environment").doc("The water."),
      field<&P::tank>("tank").doc("Walls and floor. Every segment stays inside, less the clearance."),
      field<&P::start>("start")
          .required("{position: [north, east, down], yaw_deg: 0}, at rest")
          .doc("Pose in which the path begins, at rest."),
      field<&P::end>("end").doc("Pose in which the path ends, at rest. Default: the start."),
      number(field<&P::duration>("duration"), "s", 1e-6, longest,
             "Duration of the whole path. Required unless every segment states its own."),
      number(field<&P::sampling>("sampling"), "s", 1e-6, 1e6, "Interval of the samples."),
      field<&P::limits>("limits").doc("Limits of every segment that does not state its own."),
      field<&P::segments, SegmentsCodec>("segments")
          .entries(1, most_segments)
          .doc("Successive stretches of time with limits of their own. Default: one."),
      field<&P::shape, ScalarOrMap<Shape>>("shape").doc("Shape of the path."),
      field<&P::criterion>("criterion").doc("Mean variance, confidence volume, or condition number."),
      field<&P::noise>("noise").doc("Standard deviation of one sample of the measurements."),
      number(field<&P::priors>("priors"), "", least_sigma, most_sigma,
             "Prior sigma by the name of a parameter."),
      field<&P::thruster_errors>("thruster_errors")
          .doc("Whether the criterion counts what lag, delay and maps of the thrusters leave uncertain."),
      field<&P::thrusters, ShareCodec>("thrusters").doc("Share of the thrusters' limits. Default: no limit."),
      field<&P::view>("view").doc("A camera that keeps an area in view."),
      field<&P::tether>("tether").doc("A tether of limited reach."),
      number(field<&P::starts>("starts"), "", 1, 100000, "Random initial guesses; the best result is kept.")};
  return keys;
}
template <>
void Table<ProblemFile>::refine(Json& schema) {
  schema["properties"]["priors"]["propertyNames"]["pattern"] =
      R"(^(m[1-6][1-6]|d[1-6][1-6]|q[1-6][1-6]\|[1-6]\||W-B|W|B|xgW-xbB|ygW-ybB|zgW-zbB)$)";
}

}  // namespace fathom::fields
