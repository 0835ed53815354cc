#include "fathom/identify/tank/tank_campaign.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/fields/yaml_values.hpp"
#include "fathom/log/unit.hpp"
#include "fathom/model/dof.hpp"

namespace fathom::identify {
namespace {

using yaml::Field;
using yaml::Map;

constexpr std::string_view towing_word = "fathom-towing-1", decay_word = "fathom-decay-1";
constexpr std::size_t largest_campaign = 1u << 20;

bool is_rotation(int axis) { return axis >= 3; }

int read_axis(const Field& field, bool rotations_only) {
  std::vector<std::string_view> words(model::dof_names.begin() + (rotations_only ? 3 : 0),
                                      model::dof_names.end());
  const auto chosen = yaml::choice(field, words);
  return chosen ? static_cast<int>(*chosen) + (rotations_only ? 3 : 0) : (rotations_only ? 3 : 0);
}

/// The factor from a unit to SI, which must be that of the quantity; 1 where there is none.
double factor_of(const std::optional<Field>& unit, std::string_view si) {
  const auto word = unit ? unit->text() : std::nullopt;
  if (!word) return 1;
  const log::Unit* known = log::find_unit(*word);
  if (known && known->si == si) return known->factor;
  unit->error(fmt::format("= {}, expected a unit of {}", in_quotes(*word), si),
              known ? "" : log::units_like(*word));
  return 1;
}

/// `NAME` or `{name: NAME, unit: UNIT}`.
TankColumn read_column(const Field& field, std::string_view si) {
  if (!field.is_map()) return {field.text().value_or(""), 1};
  Map map(field);
  TankColumn column;
  if (const auto name = map.require("name", "as the tables' header has it"))
    column.name = name->text().value_or("");
  column.factor = factor_of(map.take("unit"), si);
  map.finish();
  return column;
}

double not_below_zero(Map& map, std::string_view key, std::string_view unit) {
  const auto field = map.take(key);
  const auto value = field ? field->number(unit) : std::nullopt;
  if (value && *value < 0) field->error(fmt::format("= {}, must be 0 or more", *value), "");
  return value.value_or(0);
}

TankRun read_run(const Field& field, const std::filesystem::path& folder, bool with_speed,
                 std::string_view unit) {
  TankRun run;
  Map map(field);
  if (const auto f = map.require("file", "the run's table, seen from this file")) {
    const auto name = f->text();
    if (name && name->empty()) f->error("is empty", "the name of a CSV");
    if (name) run.file = folder / *name;
    run.name = run.file.stem().string();
  }
  if (const auto f = map.take("name")) run.name = f->text().value_or(run.name);
  if (with_speed)
    if (const auto f = map.take("speed")) {
      run.speed = f->number(unit);
      if (run.speed && *run.speed == 0) f->error("= 0, must be a speed", "backwards is below 0");
    }
  if (const auto f = map.take("from")) run.from = f->number("s");
  const auto until = map.take("until");
  if (until) run.until = until->number("s");
  if (run.from && run.until && !(*run.until > *run.from))
    until->error(fmt::format("= {} s, must be above from = {} s", *run.until, *run.from), "");
  map.finish();
  return run;
}

std::vector<TankRun> read_runs(const std::optional<Field>& field, const std::filesystem::path& folder,
                               bool with_speed, std::string_view unit = "") {
  std::vector<TankRun> runs;
  if (!field) return runs;
  for (const Field& item : field->items()) {
    runs.push_back(read_run(item, folder, with_speed, unit));
    const auto& name = runs.back().name;
    if (!name.empty() &&
        std::count_if(runs.begin(), runs.end(), [&](const auto& run) { return run.name == name; }) > 1)
      item.error(fmt::format("has the name {} of another run", in_quotes(name)), "name: says another");
  }
  if (field->is_list() && runs.empty()) field->error("is an empty list", "[{file: run1.csv}, ..]");
  return runs;
}

LoadCell read_cell(const Field& field, TankColumn& column, bool turns) {
  LoadCell cell;
  Map map(field);
  if (const auto f = map.require("column", "its column in the tables")) column.name = f->text().value_or("");
  cell.name = column.name;
  column.factor = factor_of(map.take("unit"), turns ? "N m" : "N");
  if (const auto f = map.take("sign")) {
    cell.sign = f->number("").value_or(1);
    if (std::abs(cell.sign) != 1)
      f->error(fmt::format("= {}, expected 1 or -1", cell.sign), "a factor is its gain");
  }
  const auto angle = map.take("angle_deg");
  if (angle) cell.angle = degree * angle->number("degrees").value_or(0);
  if (angle && !(std::abs(cell.angle) < 89 * degree))
    angle->error("leans by nearly a right angle or more", "from the path, such as 20");
  cell.angle_sigma = degree * not_below_zero(map, "angle_sigma_deg", "degrees");
  yaml::read_positive(map, "gain", "", cell.gain);
  if (map.has("gain_sigma")) {
    const Field given = *map.take("gain_sigma");
    cell.gain_sigma = given.number("").value_or(0);
    if (!(cell.gain_sigma >= 0 && cell.gain_sigma < cell.gain))
      given.error(fmt::format("= {}, must be 0 or more and below the gain, {}", cell.gain_sigma, cell.gain),
                  "per cent? 0.5 % of a gain of 1 is 0.005");
  }
  map.finish();
  return cell;
}

/// A law with sigmas, or runs of its own.
void read_bracket(const Field& field, const std::filesystem::path& folder, TowingCampaign& campaign) {
  Map map(field);
  if (map.has("runs")) {
    campaign.bracket_runs = read_runs(map.take("runs"), folder, true);
    return map.finish();
  }
  DragLaw law;
  const auto number = [&](std::string_view key, std::string_view hint) {
    const auto f = map.require(key, hint);
    const double value = f ? f->number("").value_or(0) : 0;
    if (value < 0) f->error(fmt::format("= {}, must be 0 or more", value), "drag takes energy");
    return value;
  };
  law.c[0] = number("linear", "c1 of c1 u + c2 |u| u, or runs: of the bracket alone");
  law.c[1] = number("quadratic", "c2 of c1 u + c2 |u| u");
  law.covariance(0, 0) = std::pow(not_below_zero(map, "linear_sigma", ""), 2);
  law.covariance(1, 1) = std::pow(not_below_zero(map, "quadratic_sigma", ""), 2);
  map.finish();
  campaign.bracket = law;
}

void read_columns(Map& map, TowingCampaign& campaign, std::string_view speed_unit) {
  const auto columns = map.require("columns", "{time: NAME, speed: NAME}");
  if (!columns) return;
  Map names(*columns);
  if (const auto f = names.require("time", "the column of seconds")) campaign.time = read_column(*f, "s");
  if (const auto f = names.take("speed")) campaign.speed = read_column(*f, speed_unit);
  names.finish();
}

void read_supposed(const Field& field, TowingCampaign& campaign) {
  for (const Field& item : field.items()) {
    const std::size_t before = item.reading().findings().size();
    const int axis = read_axis(item, false);
    if (item.reading().findings().size() > before) continue;
    if (axis == campaign.axis) item.error("is the axis that was tested", "name others");
    if (is_rotation(axis) != is_rotation(campaign.axis))
      item.error(fmt::format("cannot follow from {}", model::dof_name(campaign.axis)),
                 "translations follow from translations, rotations from rotations");
    campaign.suppose.push_back(axis);
  }
}

void read_towing(Map& map, const std::filesystem::path& folder, TowingCampaign& campaign) {
  if (const auto f = map.require("axis", "surge, sway, heave, roll, pitch or yaw"))
    campaign.axis = read_axis(*f, false);
  const bool turns = is_rotation(campaign.axis);
  const std::string_view unit = turns ? "rad/s" : "m/s";
  read_columns(map, campaign, unit);
  if (const auto cells = map.require("cells", "[{column: NAME}, ..]")) {
    for (const Field& item : cells->items()) {
      campaign.cell_columns.emplace_back();
      campaign.cells.push_back(read_cell(item, campaign.cell_columns.back(), turns));
    }
    if (cells->is_list() && campaign.cells.empty()) cells->error("is an empty list", "[{column: NAME}, ..]");
  }
  if (const auto f = map.take("bracket")) read_bracket(*f, folder, campaign);
  const auto runs = map.require("runs", "[{file: run1.csv, speed: 0.3}, ..]");
  campaign.runs = read_runs(runs, folder, true, unit);
  if (!campaign.speed)
    for (const auto* list : {&campaign.runs, &campaign.bracket_runs})
      for (const TankRun& run : *list)
        if (!run.speed && runs)
          runs->error(fmt::format("{} has no speed, and there is no column of it", in_quotes(run.name)),
                      "speed: of the run, or columns: {speed: NAME}");
  if (const auto f = map.take("suppose")) read_supposed(*f, campaign);
}

std::optional<KnownOfDecay> read_known(const Field& field) {
  KnownOfDecay known;
  Map map(field);
  if (map.has("inertia") == map.has("restoring")) {
    field.error("must have inertia or restoring, one of them", "a decay shows their ratio");
    map.take("inertia");
    map.take("restoring");
  }
  known.what = map.has("inertia") ? KnownOfDecay::What::inertia : KnownOfDecay::What::restoring;
  yaml::read_positive(map, map.has("inertia") ? "inertia" : "restoring", map.has("inertia") ? "kg m^2" : "N m",
                      known.value);
  known.sigma = not_below_zero(map, "sigma", "the same unit");
  map.finish();
  return known;
}

void read_decay(Map& map, const std::filesystem::path& folder, DecayCampaign& campaign) {
  if (const auto f = map.require("axis", "roll, pitch or yaw")) campaign.axis = read_axis(*f, true);
  if (const auto columns = map.require("columns", "{time: NAME, angle: {name: NAME, unit: deg}}")) {
    Map names(*columns);
    if (const auto f = names.require("time", "the column of seconds")) campaign.time = read_column(*f, "s");
    if (const auto f = names.require("angle", "the column of the angle"))
      campaign.angle = read_column(*f, "rad");
    names.finish();
  }
  if (const auto f = map.take("known")) campaign.known = read_known(*f);
  campaign.runs = read_runs(map.require("runs", "[{file: run1.csv}, ..]"), folder, false);
}

/// The frame that both kinds of file share.
template <class Campaign, class Body>
Campaign parse_campaign(const std::string& text, const std::string& file, std::string_view word,
                        const Body& body) {
  const YAML::Node document =
      yaml::parse_document(text, file, "one campaign per file", fmt::format("begin with 'format: {}'", word));
  yaml::Reading reading(file);
  const Field root(document, "", reading);
  Map map(root);
  Campaign campaign;
  campaign.file = file;
  yaml::check_format(map, word, {});
  if (const auto name = map.require("name", "a short word")) {
    campaign.name = name->text().value_or("");
    if (name->is_scalar()) yaml::check_name(*name, campaign.name);  // a folder gets it
  }
  body(map, std::filesystem::path(file).parent_path(), campaign);
  map.finish();
  if (has_errors(reading.findings())) throw InputError(reading.findings());
  return campaign;
}

}  // namespace

TowingCampaign parse_towing_campaign(const std::string& text, const std::string& file) {
  return parse_campaign<TowingCampaign>(text, file, towing_word, read_towing);
}
DecayCampaign parse_decay_campaign(const std::string& text, const std::string& file) {
  return parse_campaign<DecayCampaign>(text, file, decay_word, read_decay);
}
TowingCampaign read_towing_campaign(const std::filesystem::path& path) {
  return parse_towing_campaign(read_file(path, largest_campaign), path.string());
}
DecayCampaign read_decay_campaign(const std::filesystem::path& path) {
  return parse_decay_campaign(read_file(path, largest_campaign), path.string());
}

}  // namespace fathom::identify
