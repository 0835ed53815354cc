#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/fields/codec.hpp"
#include "fathom/fields/describe.hpp"

namespace fathom::fields {
namespace {

struct Line {
  double slope = 0;
  std::optional<double> offset;
};
struct Points {
  std::vector<double> x, y;
};
struct Off {};
using Law = std::variant<Off, Line, Points>;
struct Circle {
  double radius = 1;
};
struct Box {
  Eigen::Vector3d size = Eigen::Vector3d::Ones();
};
using Shape = std::variant<Circle, Box>;
enum class Unit { newton, volt };
struct Loss {
  double probability = 0;
  std::optional<double> length;
};
struct Extra {
  bool loud = false;
};
struct Cable {
  double length = 0, mass = 0, density = 0;
  std::vector<Line> taps;
};
struct Motor {
  std::string name;
  double mass = 1;
  Unit unit = Unit::newton;
  Law law;
  Shape shape;
  Eigen::Vector3d turn = Eigen::Vector3d::Zero();
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
  std::optional<Loss> loss;
  std::vector<Line> lines;
  std::map<std::string, Line> named;
  int count = 3;
  double result = 0;
  double sigma = 0;
  Extra extra;
};

}  // namespace

template <>
const Words<Unit>& words<Unit>() {
  static const Words<Unit> all{{"newton", Unit::newton}, {"volt", Unit::volt}};
  return all;
}
template <>
const Keys& Table<Line>::fields() {
  static const Keys keys{field<&Line::slope>("slope").unit("N/V").required("N/V").doc("Force over voltage."),
                         field<&Line::offset>("offset").unit("N").doc("Force at rest.")};
  return keys;
}
template <>
const Keys& Table<Points>::fields() {
  static const Keys keys{field<&Points::x>("x").entries(2).required("V").doc("Voltages."),
                         field<&Points::y>("y").required("N").doc("Forces.")};
  return keys;
}
template <>
const Keys& Table<Circle>::fields() {
  static const Keys keys{field<&Circle::radius>("radius").unit("m").above(0).doc("Radius.")};
  return keys;
}
template <>
const Keys& Table<Box>::fields() {
  static const Keys keys{
      field<&Box::size>("size").unit("m").above(0).what("length, width, height").doc("Sides.")};
  return keys;
}
template <>
const Keys& Table<Loss>::fields() {
  static const Keys keys{field<&Loss::probability>("probability")
                             .at_least(0)
                             .at_most(1)
                             .hint("per cent?")
                             .required("0 to 1")
                             .doc("Share."),
                         field<&Loss::length>("length").at_least(1).doc("Mean length of a run of losses.")};
  return keys;
}
template <>
const Keys& Table<Extra>::fields() {
  static const Keys keys{field<&Extra::loud>("loud").doc("Prints more.")};
  return keys;
}
template <>
const Keys& Table<Cable>::fields() {
  static const Keys keys{
      field<&Cable::length>("length").unit("m").doc("Length."),
      field<&Cable::mass>("mass").unit("kg").not_beside("density", "one follows from the other").doc("Mass."),
      field<&Cable::density>("density").only_beside("length", "per metre").doc("Mass over length."),
      field<&Cable::taps>("taps").entries(1, 2).what("one or two").hint("two cables?").doc("Taps.")};
  return keys;
}
template <>
const Union& Choice<Law>::alternatives() {
  static const Union choice{
      "", {nothing<Law, Off>(), inlined<Law, Line>(), nested<Law, Points>("table").doc("Measured points.")}};
  return choice;
}
template <>
const Union& Choice<Shape>::alternatives() {
  static const Union choice{"kind", {kind<Shape, Circle>("circle"), kind<Shape, Box>("box")}};
  return choice;
}
template <>
const Keys& Table<Motor>::fields() {
  static const Keys keys{
      field<&Motor::name>("name").required("a short word").doc("Name."),
      field<&Motor::mass>("mass").unit("kg").above(0).hint("dry").doc("Dry mass.").was("weight"),
      field<&Motor::unit>("unit").doc("Unit of the command."),
      spread<&Motor::law>(),
      field<&Motor::shape>("shape").doc("Shape."),
      field<&Motor::turn>("turn")
          .unit("rad")
          .what("roll, pitch, yaw")
          .doc("Attitude.")
          .or_key(field<&Motor::turn, Degrees<Eigen::Vector3d>>("turn_deg")
                      .unit("deg")
                      .preferred()
                      .doc("In degrees.")),
      field<&Motor::inertia>("inertia").unit("kg m^2").at_least(0).doc("Inertia."),
      field<&Motor::loss, OptionalCodec<Loss, ScalarOrMap<Loss>>>("loss").doc("Losses."),
      field<&Motor::lines>("lines").doc("Lines."),
      field<&Motor::named>("named").doc("Lines by name."),
      field<&Motor::count>("count").at_least(1).at_most(9).doc("Count."),
      field<&Motor::result>("result").or_null().doc("Result."),
      field<&Motor::sigma>("sigma").or_infinity().at_least(0).doc("Standard deviation."),
      spread<&Motor::extra>()};
  return keys;
}

namespace {

/// The findings as text; empty where the motor could be read.
std::string error_text(const std::string& text) {
  try {
    from_text<Motor>(text, "m.yaml");
    return "";
  } catch (const InputError& error) {
    std::string all;
    for (const Finding& finding : error.findings()) all += (all.empty() ? "" : "\n") + finding.text();
    return all;
  }
}

TEST(Fields, ReadAndWriteTheSame) {
  const std::string text =
      "name: a\nweight: 2.5\nunit: volt\ntable:\n  x: [1, 2]\n  y: [3, 4]\nshape: {kind: box, size: [1, 2, "
      "3]}\n"
      "turn_deg: [0, 30, -12.5]\ninertia: [1, 2, 3]\nloss: 0.25\nlines: [{slope: 1}, {slope: 2, offset: 0.1}]\n"
      "named: {x: {slope: 3}}\ncount: 4\nresult: null\nsigma: .inf\nloud: true\n";
  const Motor motor = from_text<Motor>(text, "m.yaml");
  EXPECT_EQ(motor.mass, 2.5);
  EXPECT_EQ(motor.unit, Unit::volt);
  EXPECT_EQ(std::get<Points>(motor.law).y[1], 4);
  EXPECT_EQ(std::get<Box>(motor.shape).size[2], 3);
  EXPECT_EQ(motor.turn[1], 30 * degree);
  EXPECT_EQ(motor.loss->probability, 0.25);
  EXPECT_TRUE(std::isnan(motor.result));
  EXPECT_TRUE(std::isinf(motor.sigma));
  EXPECT_TRUE(motor.extra.loud);
  const std::string written = to_yaml(motor);
  EXPECT_EQ(written,
            "name: a\nmass: 2.5\nunit: volt\ntable:\n  x: [1, 2]\n  y: [3, 4]\nshape:\n  kind: box\n  size: "
            "[1, 2, 3]\n"
            "turn_deg: [0, 30, -12.5]\ninertia: [1, 2, 3]\nloss: 0.25\nlines:\n  - slope: 1\n  - slope: 2\n    "
            "offset: 0.1\n"
            "named:\n  x:\n    slope: 3\ncount: 4\nresult: null\nsigma: .inf\nloud: true\n");
  EXPECT_EQ(to_yaml(from_text<Motor>(written, "again.yaml")), written);
  EXPECT_EQ(to_yaml(from_text<Motor>("name: b\n", "m.yaml")), "name: b\n");  // defaults are left out
}

TEST(Fields, ReadJson) {
  EXPECT_EQ(
      from_text<Motor>(R"({"name": "a", "mass": 2, "result": null, "lines": [{"slope": 1e-3}]})", "m.json")
          .lines[0]
          .slope,
      1e-3);
}

TEST(Fields, ReportEverythingWrongAtOnce) {
  EXPECT_EQ(error_text("nam: a\nmass: -1\nunit: vol\nlines: [{slop: 1}]\nshape: {kind: bix, size: 1}\n"),
            "m.yaml:1: the key name is missing (a short word)\n"
            "m.yaml:2: mass = -1 kg, must be > 0 (dry)\n"
            "m.yaml:3: unit = 'vol', expected one of newton, volt (did you mean volt?)\n"
            "m.yaml:5: shape.kind = 'bix', expected one of circle, box (did you mean box?)\n"
            "m.yaml:4: lines[0] lacks the key slope (N/V)\n"
            "m.yaml:4: lines[0] has the unknown key 'slop' (did you mean slope?)\n"
            "m.yaml:1: unknown key 'nam' (did you mean name?)");
  EXPECT_EQ(error_text("name: a\ninertia: [1, -2, 3]\n"), "m.yaml:2: inertia[1] = -2, must be >= 0");
  EXPECT_EQ(error_text("name: a\ncount: 10\n"), "m.yaml:2: count = 10, expected a whole number from 1 to 9");
  EXPECT_EQ(error_text("name: a\nloss: {probability: 2}\n"),
            "m.yaml:2: loss.probability = 2, must be 0 to 1 (per cent?)");
}

TEST(Fields, RefuseTwoSpellingsAndTwoAlternatives) {
  EXPECT_EQ(error_text("name: a\nmass: 1\nweight: 2\n"),
            "m.yaml:3: weight stands beside mass (give one of them)");
  EXPECT_EQ(error_text("name: a\nslope: 1\ntable: {x: [1, 2], y: [1, 2]}\n"),
            "m.yaml:1: has both slope and table (give one of them)");
  EXPECT_EQ(error_text("name: a\nshape: {kind: circle, size: [1, 1, 1]}\n"),
            "m.yaml:2: shape has the unknown key 'size' (known here: kind, radius)");
  EXPECT_EQ(error_text("name: a\nname: b\n"), "m.yaml:2: has the key 'name' twice (keep one of them)");
}

TEST(Fields, DescribeThemselves) {
  const Json schema = schema_of<Motor>();
  EXPECT_EQ(schema["required"], Json::array({"name"}));
  EXPECT_EQ(schema["properties"]["mass"]["exclusiveMinimum"], 0);
  EXPECT_EQ(schema["properties"]["mass"]["default"], 1);
  EXPECT_TRUE(schema["properties"]["weight"]["deprecated"]);
  EXPECT_EQ(schema["properties"]["shape"]["oneOf"][1]["properties"]["kind"]["const"], "box");
  EXPECT_EQ(faults(schema), std::vector<std::string>{});
  EXPECT_NE(reference_tables(schema).find("| `mass` | kg, > 0 | 1.0 | Dry mass. |"), std::string::npos)
      << reference_tables(schema);
  for (const char* const word : {"turn_deg:", "radius:", "box", "kg"})
    EXPECT_NE(fuzz_dictionary(schema).find(fmt::format("\"{}\"\n", word)), std::string::npos) << word;
}

TEST(Fields, FindFaultsOfDeclarations) {
  const Circle circle{-1};
  const Keys undocumented{field<&Circle::radius>("radius")};
  EXPECT_EQ(faults(schema_of_map(undocumented, &circle)),
            std::vector<std::string>{"radius has no documentation"});
  EXPECT_EQ(faults(schema_of_map(Table<Circle>::fields(), &circle)),
            std::vector<std::string>{"radius has the default -1.0, outside its own range"});
  const Keys twice{Table<Circle>::fields()[0], Table<Circle>::fields()[0]};
  EXPECT_THROW(schema_of_map(twice, &circle), std::logic_error);
  const Keys twice_by_part{Table<Extra>::fields()[0], spread<&Motor::extra>()};
  EXPECT_THROW(schema_of_map(twice_by_part, &fresh<Extra>()), std::logic_error);
  struct Choice {
    std::string word = "left";
  };
  const Choice wrong{"up"};
  const Keys words{field<&Choice::word>("word").words({"left", "right"}).doc("Side.")};
  EXPECT_EQ(faults(schema_of_map(words, &fresh<Choice>())), std::vector<std::string>{});
  EXPECT_EQ(faults(schema_of_map(words, &wrong)),
            std::vector<std::string>{"word has the default \"up\", outside its own range"});
}

TEST(Fields, KeysExcludeAndNeedEachOther) {
  const auto said = [](const std::string& text) -> std::string {
    try {
      from_text<Cable>(text, "c.yaml");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(said("{length: 2, density: 3}"), "");
  EXPECT_EQ(said("{length: 2, density: 3, mass: 1}"),
            "c.yaml:1: mass stands beside density (one follows from the other)");
  EXPECT_EQ(said("{density: 3}"), "c.yaml:1: density stands without length (per metre)");
  EXPECT_EQ(said("{taps: []}"), "c.yaml:1: taps is empty (one or two)");
  EXPECT_EQ(said("{taps: [{}, {}, {}]}"), "c.yaml:1: taps has 3 entries, at most 2 (two cables?)");
  const Json conditions = schema_of<Cable>()["allOf"];
  EXPECT_EQ(conditions[0]["not"]["required"], Json({"mass", "density"}));
  EXPECT_EQ(conditions[1]["dependentRequired"]["density"], Json::array({"length"}));
}

/// The schema with its references put in place.
Json expanded(const Json& json, const Json& definitions) {
  if (!json.is_structured()) return json;
  if (json.is_object() && json.contains("$ref"))
    return expanded(definitions.at(json["$ref"].get<std::string>().substr(8)), definitions);
  Json out = json;
  if (out.is_object()) out.erase("$defs");
  for (auto& [key, value] : out.items()) value = expanded(value, definitions);
  return out;
}

TEST(Fields, SchemasThatRepeatStandOnce) {
  const Json cable = schema_of<Cable>();
  const Json twice = {{"type", "object"},
                      {"properties", {{"port", cable}, {"list", {{"type", "array"}, {"items", cable}}}}}};
  const Json shared = with_definitions(twice);
  EXPECT_EQ(shared["properties"]["port"]["$ref"], "#/$defs/port");
  EXPECT_EQ(shared["properties"]["list"]["items"]["$ref"], "#/$defs/port");
  EXPECT_EQ(expanded(shared, shared["$defs"]), twice);
  EXPECT_EQ(with_definitions(cable), cable);
}

TEST(Fields, WritesInAnotherLayout) {
  const Json json = {
      {"limits", {{"min", -1.0}, {"max", 1.0}}}, {"inertia", {{1.0, 2.0}, {2.0, 5.0}}}, {"word", "yes"}};
  const Layout layout = {.is_in_line = [](std::string_view key, const Json&) { return key == "limits"; },
                         .is_word = [](std::string_view key, std::string_view) { return key == "word"; }};
  EXPECT_EQ(emit_yaml(json, layout), "limits: {min: -1, max: 1}\ninertia: [[1, 2],\n   [2, 5]]\nword: yes\n");
  EXPECT_EQ(emit_yaml(json), "limits:\n  min: -1\n  max: 1\ninertia:\n  - [1, 2]\n  - [2, 5]\nword: \"yes\"\n");
}

}  // namespace
}  // namespace fathom::fields
