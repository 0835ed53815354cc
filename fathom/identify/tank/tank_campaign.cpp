#include "fathom/identify/tank/tank_campaign.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/fields/codec.hpp"
#include "fathom/fields/describe.hpp"
#include "fathom/log/unit.hpp"
#include "fathom/model/dof.hpp"

namespace fathom::fields {
namespace {

using namespace identify;
using yaml::Field;

constexpr double largest_sigma = 1e6;  // of a bracket: no tank has a carriage for more

Key not_negative(Key key, std::string_view doc) { return key.at_least(0).must("must be 0 or more").doc(doc); }

/// A cell as the file states it.
struct StatedCell : LoadCell {
  std::string column;
  std::optional<std::string> unit;
};
/// The bracket's drag is known, or it was towed alone.
struct StatedLaw {
  double linear = 0, quadratic = 0, linear_sigma = 0, quadratic_sigma = 0;
};
struct StatedBracketRuns {
  std::vector<TankRun> runs;
};
using StatedBracket = std::variant<StatedLaw, StatedBracketRuns>;

/// A key of the load cell.
template <auto member, class C = Codec<double>>
struct OfCell : C {
  static void read(const Field& field, const Spec& spec, StatedCell& out) { C::read(field, spec, out.*member); }
  static Json write(const StatedCell& cell, const Spec& spec) { return C::write(cell.*member, spec); }
};
template <auto member, class C = Codec<double>>
Key cell_key(std::string_view name) {
  return self<StatedCell, OfCell<member, C>>(name);
}

template <int first>
struct AxisCodec : ReadOnly {
  static std::vector<std::string_view> axes() {
    return {model::dof_names.begin() + first, model::dof_names.end()};
  }
  static void read(const Field& field, const Spec&, int& out) {
    if (const auto k = read_word(field, axes())) out = static_cast<int>(*k) + first;
  }
  static Json schema(const Spec&) { return word_schema(axes()); }
};
struct AxesCodec : ReadOnly {
  static void read(const Field& field, const Spec& spec, std::vector<int>& out) {
    for (const Field& item : field.items()) AxisCodec<0>::read(item, spec, out.emplace_back());
  }
  static Json schema(const Spec& spec) { return list_schema(spec, AxisCodec<0>::schema(spec)); }
};

struct TableName : Codec<std::filesystem::path> {
  static void read(const Field& field, const Spec& spec, std::filesystem::path& out) {
    Codec::read(field, spec, out);
    if (field.is_scalar() && out.empty()) field.error("is empty", "the name of a CSV");
  }
  static Json schema(const Spec& spec) {
    Json schema = Codec::schema(spec);
    schema["minLength"] = 1;
    return schema;
  }
};

struct SpeedCodec : Codec<std::optional<double>> {
  static void read(const Field& field, const Spec& spec, std::optional<double>& out) {
    Codec<std::optional<double>>::read(field, spec, out);
    if (out == 0.0) field.error("= 0, must be a speed", "backwards is below 0");
  }
  static Json schema(const Spec&) { return {{"type", "number"}, {"not", {{"const", 0}}}}; }
};

struct SignCodec : Codec<double> {
  static void read(const Field& field, const Spec& spec, double& out) {
    Codec::read(field, spec, out);
    if (std::abs(out) != 1) field.error(fmt::format("= {}, expected 1 or -1", out), "a factor is its gain");
  }
  static Json schema(const Spec&) { return {{"enum", {1, -1}}}; }
};

/// The inertia or the restoring moment.
template <KnownOfDecay::What what>
struct KnownCodec : ReadOnly {
  static void read(const Field& field, const Spec& spec, KnownOfDecay& out) {
    out.what = what;
    Codec<double>::read(field, spec, out.value);
  }
  static Json schema(const Spec& spec) { return number_schema(spec); }
};
template <KnownOfDecay::What what>
Key known(std::string_view name, std::string_view unit, double most, std::string_view doc) {
  constexpr std::string_view one = "give one of them: a decay shows their ratio";
  return self<KnownOfDecay, KnownCodec<what>>(name).unit(unit).above(0).at_most(most).doc(doc).beside(one);
}

}  // namespace

template <>
const Keys& Table<TankColumn>::fields() {
  using C = TankColumn;
  static const Keys keys{
      field<&C::name>("name").required("as the tables' header has it").doc("Name in the tables' header."),
      field<&C::unit>("unit").doc("Unit of the column. Default: SI.")};
  return keys;
}

template <>
const Keys& Table<TankRun>::fields() {
  using R = TankRun;
  static const Keys keys{
      field<&R::file, TableName>("file")
          .required("the run's table, seen from this file")
          .doc("A CSV with a header."),
      field<&R::name>("name").doc("Name of the run. Default: that of the file, without its end."),
      field<&R::speed, SpeedCodec>("speed").doc(
          "Speed [m/s or rad/s], negative backwards, where no column has it."),
      field<&R::from>("from").unit("s").doc("Begin of the part that counts, on the table's clock."),
      field<&R::until>("until").unit("s").doc("End of the part that counts.")};
  return keys;
}

template <>
const Keys& Table<StatedCell>::fields() {
  using S = StatedCell;
  static const Keys keys{
      field<&S::column>("column").required("its column in the tables").doc("Column of the cell in the tables."),
      field<&S::unit>("unit").doc("Unit of the column. Default: N, or N m about an axis."),
      cell_key<&LoadCell::sign, SignCodec>("sign").doc("1 where the reading grows as the carriage pushes."),
      cell_key<&LoadCell::angle, Degrees<double>>("angle_deg")
          .unit("degrees")
          .above(-89)
          .below(89)
          .hint("less than a right angle from the path, such as 20")
          .doc("Angle between the cell and the path."),
      not_negative(cell_key<&LoadCell::angle_sigma, Degrees<double>>("angle_sigma_deg").unit("degrees"),
                   "Standard deviation of the angle."),
      cell_key<&LoadCell::gain>("gain").above(0).doc("Force over reading; about an axis, the lever in m."),
      cell_key<&LoadCell::gain_sigma>("gain_sigma")
          .at_least(0)
          .must("must be 0 or more and below the gain")
          .doc("Standard deviation of the gain.")};
  return keys;
}

template <>
const Keys& Table<StatedLaw>::fields() {
  using L = StatedLaw;
  constexpr std::string_view energy = "drag takes energy",
                             law = "c1 of c1 u + c2 |u| u, or runs: of the bracket alone";
  static const Keys keys{
      not_negative(field<&L::linear>("linear").hint(energy).required(law), "c1 of c1 u + c2 |u| u."),
      not_negative(field<&L::quadratic>("quadratic").hint(energy).required("c2 of c1 u + c2 |u| u"),
                   "c2 of it."),
      field<&L::linear_sigma>("linear_sigma").between(0, largest_sigma).doc("Standard deviation of c1."),
      field<&L::quadratic_sigma>("quadratic_sigma").between(0, largest_sigma).doc("Standard deviation of c2.")};
  return keys;
}
template <>
const Keys& Table<StatedBracketRuns>::fields() {
  static const Keys keys{field<&StatedBracketRuns::runs>("runs")
                             .required("[{file: run1.csv}, ..]")
                             .entries(1)
                             .hint("[{file: run1.csv}, ..]")
                             .doc("Runs of the bracket without the vehicle.")};
  return keys;
}
template <>
const Union& Choice<StatedBracket>::alternatives() {
  static const Union choice{"",
                            {inlined<StatedBracket, StatedLaw>(), inlined<StatedBracket, StatedBracketRuns>()}};
  return choice;
}

template <>
const Keys& Table<KnownOfDecay>::fields() {
  using K = KnownOfDecay;
  static const Keys keys{
      known<K::What::inertia>("inertia", "kg m^2", 1e7, "Inertia with added inertia.")
          .required("or restoring, one of them: a decay shows their ratio")
          .or_key(known<K::What::restoring>("restoring", "N m", 1e8, "Restoring moment per radian.")),
      not_negative(field<&K::sigma>("sigma"), "Standard deviation, in the same unit.")};
  return keys;
}

namespace {

/// A map whose values are members of the struct itself.
template <class S, const Keys& (*table)()>
struct Section : ReadOnly {
  static void read(const Field& field, const Spec&, S& out) { read_map(field, table(), &out); }
  static Json schema(const Spec&) { return schema_of_map(table(), &fresh<S>()); }
};

using ColumnCodec = ScalarOrMap<TankColumn>;

const Keys& towing_columns() {
  using T = TowingCampaign;
  static const Keys keys{
      field<&T::time, ColumnCodec>("time").required("the column of seconds").doc("Column of the time."),
      field<&T::speed, OptionalCodec<TankColumn, ColumnCodec>>("speed").doc(
          "Column of the carriage's speed; may be left out where every run states its speed.")};
  return keys;
}
const Keys& decay_columns() {
  using D = DecayCampaign;
  static const Keys keys{
      field<&D::time, ColumnCodec>("time").required("the column of seconds").doc("Column of the time."),
      field<&D::angle, ColumnCodec>("angle").required("the column of the angle").doc("Column of the angle.")};
  return keys;
}

struct CellsCodec : ReadOnly {
  static void read(const Field& field, const Spec& spec, TowingCampaign& out) {
    std::vector<StatedCell> cells;
    Codec<std::vector<StatedCell>>::read(field, spec, cells);
    for (StatedCell& stated : cells) {
      stated.name = stated.column;
      out.cells.push_back(stated);
      out.cell_columns.push_back({stated.column, 1, stated.unit});
    }
  }
  static Json schema(const Spec& spec) { return Codec<std::vector<StatedCell>>::schema(spec); }
};

struct BracketCodec : ReadOnly {
  static void read(const Field& field, const Spec& spec, TowingCampaign& out) {
    StatedBracket bracket;
    Codec<StatedBracket>::read(field, spec, bracket);
    if (auto* const alone = std::get_if<StatedBracketRuns>(&bracket)) {
      out.bracket_runs = std::move(alone->runs);
      return;
    }
    const auto& law = std::get<StatedLaw>(bracket);
    out.bracket.emplace().c = {law.linear, law.quadratic};
    out.bracket->covariance.diagonal() << std::pow(law.linear_sigma, 2), std::pow(law.quadratic_sigma, 2);
  }
  static Json schema(const Spec& spec) { return Codec<StatedBracket>::schema(spec); }
};

/// Runs without a speed.
struct DecayRuns : Codec<std::vector<TankRun>> {
  static const Keys& run_keys() {
    static const Keys keys = [] {
      Keys all = Table<TankRun>::fields();
      std::erase_if(all, [](const Key& key) { return key.name == "speed"; });
      return all;
    }();
    return keys;
  }
  static void read(const Field& field, const Spec& spec, std::vector<TankRun>& out) {
    for (const Field& item : read_items(field, spec)) read_map(item, run_keys(), &out.emplace_back());
  }
  static Json schema(const Spec& spec) {
    return list_schema(spec, schema_of_map(run_keys(), &fresh<TankRun>()));
  }
};

/// Restricts a unit to those of one quantity.
Json unit_of(std::string_view si) {
  Json unit = word_schema(log::unit_words(si));
  unit["description"] = "Unit of the column.";
  return {{"properties", {{"unit", std::move(unit)}}}};
}

}  // namespace

template <>
const Keys& Table<TowingCampaign>::fields() {
  using T = TowingCampaign;
  static const Keys keys{
      field<&T::name, PlainName>("name")
          .required("a short word")
          .doc("Name, also of the folder of the results."),
      field<&T::axis, AxisCodec<0>>("axis")
          .required("surge, sway, heave, roll, pitch or yaw")
          .doc("Axis of the body along or about which it moved."),
      self<T, Section<T, towing_columns>>("columns")
          .required("{time: NAME, speed: NAME}")
          .doc("Columns of every run's table."),
      self<T, CellsCodec>("cells")
          .required("[{column: NAME}, ..]")
          .entries(1)
          .hint("[{column: NAME}, ..]")
          .doc("Load cells; their forces add up to that of the carriage."),
      self<T, BracketCodec>("bracket").doc("Drag of the bracket that holds the vehicle, or runs of it alone."),
      field<&T::runs>("runs")
          .required("[{file: run1.csv, speed: 0.3}, ..]")
          .entries(1)
          .hint("[{file: run1.csv}, ..]")
          .doc("Runs with the vehicle, each with a second at rest first."),
      field<&T::suppose, AxesCodec>("assume")
          .doc("Axes that were not tested, whose drag follows from added masses. Needs --robot.")
          .was("suppose")};
  return keys;
}
template <>
void Table<TowingCampaign>::refine(Json& schema) {
  const auto of = [](std::string_view speed, std::string_view force, int first) {
    const std::vector<std::string_view> axes(model::dof_names.begin() + first,
                                             model::dof_names.begin() + first + 3);
    return Json{{"properties",
                 {{"columns", {{"properties", {{"speed", unit_of(speed)}}}}},
                  {"cells", {{"items", unit_of(force)}}},
                  {"assume", {{"items", word_schema(axes)}}},
                  {"suppose", {{"items", word_schema(axes)}}}}}};
  };
  schema["if"]["properties"]["axis"] = AxisCodec<3>::schema({});
  schema["then"] = of("rad/s", "N m", 3);
  schema["else"] = of("m/s", "N", 0);
  schema["properties"]["columns"]["properties"]["time"].update(unit_of("s"));
}

template <>
const Keys& Table<DecayCampaign>::fields() {
  using D = DecayCampaign;
  static const Keys keys{
      field<&D::name, PlainName>("name")
          .required("a short word")
          .doc("Name, also of the folder of the results."),
      field<&D::axis, AxisCodec<3>>("axis").required("roll, pitch or yaw").doc("Axis about which it turned."),
      self<D, Section<D, decay_columns>>("columns")
          .required("{time: NAME, angle: {name: NAME, unit: deg}}")
          .doc("Columns of every run's table."),
      field<&D::known>("known").doc("Inertia or restoring moment, where one is known: a decay shows ratios."),
      field<&D::runs, DecayRuns>("runs")
          .required("[{file: run1.csv}, ..]")
          .entries(1)
          .hint("[{file: run1.csv}, ..]")
          .doc("Runs, each with a second at rest first.")};
  return keys;
}
template <>
void Table<DecayCampaign>::refine(Json& schema) {
  Json& columns = schema["properties"]["columns"]["properties"];
  columns["time"].update(unit_of("s"));
  columns["angle"].update(unit_of("rad"));
}

}  // namespace fathom::fields

namespace fathom::identify {
namespace {

constexpr std::string_view towing_word = "fathom-towing-1", decay_word = "fathom-decay-1";
constexpr std::size_t largest_campaign = 1u << 20;

bool is_rotation(int axis) { return axis >= 3; }

/// Sets the factor from the column's unit to SI, which must be that of the quantity.
void set_factor(const std::string& key, std::string_view si, TankColumn& column, Findings& findings) {
  if (!column.unit) return;
  const log::Unit* const known = log::find_unit(*column.unit);
  if (known && known->si == si)
    column.factor = known->factor;
  else
    add_error(findings, key + ".unit", fmt::format("= {}, expected a unit of {}", in_quotes(*column.unit), si),
              known ? "" : log::units_like(*column.unit));
}

/// Names the runs, finds their files from the campaign's folder, and checks them.
void settle_runs(const std::string& key, const std::string& file, std::vector<TankRun>& runs,
                 Findings& findings) {
  for (std::size_t k = 0; k < runs.size(); ++k) {
    TankRun& run = runs[k];
    const std::string place = fmt::format("{}[{}]", key, k);
    if (run.name.empty()) run.name = run.file.stem().string();
    run.file = std::filesystem::path(file).parent_path() / run.file;
    if (run.from && run.until && !(*run.until > *run.from))
      add_error(findings, place + ".until",
                fmt::format("= {} s, must be above from = {} s", *run.until, *run.from));
    if (!run.name.empty() && std::any_of(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(k),
                                         [&](const TankRun& other) { return other.name == run.name; }))
      add_error(findings, place, fmt::format("has the name {} of another run", in_quotes(run.name)),
                "name: says another");
  }
}

void settle(TowingCampaign& campaign, bool is_read, Findings& findings) {
  const bool turns = is_rotation(campaign.axis);
  set_factor("columns.time", "s", campaign.time, findings);
  if (campaign.speed) set_factor("columns.speed", turns ? "rad/s" : "m/s", *campaign.speed, findings);
  for (std::size_t k = 0; k < campaign.cells.size(); ++k) {
    const std::string key = fmt::format("cells[{}]", k);
    const LoadCell& cell = campaign.cells[k];
    set_factor(key, turns ? "N m" : "N", campaign.cell_columns[k], findings);
    const auto same = std::find_if(
        campaign.cell_columns.begin(), campaign.cell_columns.begin() + static_cast<std::ptrdiff_t>(k),
        [&](const TankColumn& other) { return other.name == campaign.cell_columns[k].name; });
    if (same != campaign.cell_columns.begin() + static_cast<std::ptrdiff_t>(k))
      add_error(findings, key + ".column",
                fmt::format("= {} is that of cells[{}] too: its force would count twice", in_quotes(same->name),
                            same - campaign.cell_columns.begin()),
                "the column of the other cell, or one cell");
    if (!(cell.gain_sigma < cell.gain))
      add_error(findings, key + ".gain_sigma",
                fmt::format("= {}, must be 0 or more and below the gain, {}", cell.gain_sigma, cell.gain),
                "per cent? 0.5 % of a gain of 1 is 0.005");
  }
  settle_runs("runs", campaign.file, campaign.runs, findings);
  settle_runs("bracket.runs", campaign.file, campaign.bracket_runs, findings);
  if (!is_read) return;
  for (const auto* list : {&campaign.runs, &campaign.bracket_runs})
    for (const TankRun& run : *list)
      if (!campaign.speed && !run.speed)
        add_error(findings, "runs",
                  fmt::format("{} has no speed, and there is no column of it", in_quotes(run.name)),
                  "speed: of the run, or columns: {speed: NAME}");
  for (std::size_t k = 0; k < campaign.suppose.size(); ++k) {
    const std::string key = fmt::format("assume[{}]", k);
    if (campaign.suppose[k] == campaign.axis)
      add_error(findings, key, "is the axis that was tested", "name others");
    if (is_rotation(campaign.suppose[k]) != turns)
      add_error(findings, key, fmt::format("cannot follow from {}", model::dof_name(campaign.axis)),
                "translations follow from translations, rotations from rotations");
  }
}

void settle(DecayCampaign& campaign, bool, Findings& findings) {
  set_factor("columns.time", "s", campaign.time, findings);
  set_factor("columns.angle", "rad", campaign.angle, findings);
  settle_runs("runs", campaign.file, campaign.runs, findings);
}

template <class Campaign>
Campaign parse_campaign(const std::string& text, const std::string& file, std::string_view word) {
  yaml::Reading reading(file);
  const yaml::Field root(
      yaml::parse_document(text, file, "one campaign per file", fmt::format("begin with 'format: {}'", word)),
      "", reading);
  yaml::Map map(root);
  Campaign campaign;
  campaign.file = file;
  yaml::check_format(map, word, {});
  fields::read_keys(map, root, fields::Table<Campaign>::fields(), &campaign);
  map.finish();
  Findings findings;
  settle(campaign, !has_errors(reading.findings()), findings);
  reading.add(findings);
  if (has_errors(reading.findings())) throw InputError(reading.findings());
  return campaign;
}

}  // namespace

TowingCampaign parse_towing_campaign(const std::string& text, const std::string& file) {
  return parse_campaign<TowingCampaign>(text, file, towing_word);
}
DecayCampaign parse_decay_campaign(const std::string& text, const std::string& file) {
  return parse_campaign<DecayCampaign>(text, file, decay_word);
}
TowingCampaign read_towing_campaign(const std::filesystem::path& path) {
  return parse_towing_campaign(read_file(path, largest_campaign), path.string());
}
DecayCampaign read_decay_campaign(const std::filesystem::path& path) {
  return parse_decay_campaign(read_file(path, largest_campaign), path.string());
}

fields::Json towing_schema() {
  return fields::schema_file(fields::schema_of<TowingCampaign>(), "urn:fathom:towing:1", "A towing campaign",
                             towing_word);
}
fields::Json decay_schema() {
  return fields::schema_file(fields::schema_of<DecayCampaign>(), "urn:fathom:decay:1",
                             "A campaign of free decays", decay_word);
}

}  // namespace fathom::identify
