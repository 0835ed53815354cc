#include "studies/study.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/fields/yaml_values.hpp"
#include "fathom/model_file/catalogue.hpp"
#include "fathom/model_file/robot_file.hpp"

#include "studies/host.hpp"

namespace fathom::studies {

namespace {

using yaml::Field;
using yaml::Map;

constexpr std::string_view format_word = "fathom-study-1";
constexpr std::size_t largest_file = 1u << 20;
constexpr int most_of_setting = 1000000;  // of a setting

std::string text_of(Map& map, std::string_view key) {
  const auto field = map.take(key);
  return field ? field->text().value_or("") : "";
}

std::optional<double> number_of(Map& map, std::string_view key) {
  const auto field = map.take(key);
  return field ? field->number("the row's unit") : std::nullopt;
}

StudyRow read_row(const Field& field) {
  Map map(field);
  StudyRow row;
  if (const auto f = map.require("key", "a word by which the study fills it in"))
    row.key = f->text().value_or("");
  if (const auto f = map.require("item", "what the number is")) row.item = f->text().value_or("");
  row.published = number_of(map, "published");
  row.at_most = number_of(map, "at_most");
  row.at_least = number_of(map, "at_least");
  row.unit = text_of(map, "unit");
  row.note = text_of(map, "note");
  map.finish();
  return row;
}

}  // namespace

bool StudyRow::passes() const {
  if (!skipped.empty()) return true;
  if (!ours)
    reject("study.yaml", 0, "rows",
           fmt::format("have one of key '{}', which this study does not fill in", key));
  return (!at_most || *ours <= *at_most) && (!at_least || *ours >= *at_least);
}

std::string StudyRow::criterion() const {
  std::vector<std::string> parts;
  if (at_least) parts.push_back(fmt::format(">= {:g}", *at_least));
  if (at_most) parts.push_back(fmt::format("<= {:g}", *at_most));
  return join(parts, ", ");
}

Study Study::read(const std::filesystem::path& folder) {
  Study study;
  study.folder_ = folder;
  const std::filesystem::path file = folder / "study.yaml";
  yaml::Reading reading(file.string());
  const YAML::Node document = yaml::parse_document(read_file(file, largest_file), file.string(),
                                                   "one study per file", "begin with 'format: fathom-study-1'");
  Map map(Field(document, "", reading));
  yaml::check_format(map, format_word, {});
  study.name_ = text_of(map, "name");
  study.title_ = text_of(map, "title");
  study.source_ = text_of(map, "source");
  if (const auto f = map.take("explanation"))
    for (const Field& paragraph : f->items()) study.explanation_.push_back(paragraph.text().value_or(""));
  if (const auto f = map.take("settings")) {
    Map settings(*f);
    const auto names = settings.names();
    for (const std::string& name : names)
      study.settings_[name] = yaml::whole(*settings.take(name), 1, most_of_setting).value_or(1);
    settings.finish();
  }
  if (const auto f = map.require("rows", "a list of {key, item, ...}"))
    for (const Field& row : f->items()) study.rows_.push_back(read_row(row));
  map.finish();
  if (has_errors(reading.findings())) throw InputError(reading.findings());
  return study;
}

int Study::setting(const std::string& name) const {
  const auto found = settings_.find(name);
  if (found != settings_.end()) return found->second;
  reject((folder_ / "study.yaml").string(), 0, "settings", fmt::format("lacks the key {}", name),
         "a whole number");
}

void Study::change(const std::string& setting) {
  const std::size_t equals = std::min(setting.find('='), setting.size());
  const auto found = settings_.find(setting.substr(0, equals));
  int value = 0;
  const char* const end = setting.data() + setting.size();
  const char* const number = setting.data() + std::min(equals + 1, setting.size());
  const auto [stop, status] = std::from_chars(number, end, value);
  if (found == settings_.end() || status != std::errc() || stop != end || value < 1 || value > most_of_setting)
    reject("--setting", fmt::format("= '{}', expected one of the study's with a whole number", setting),
           "such as days=4");
  found->second = value;
}

void Study::set(const std::string& key, double ours, const std::string& remark) {
  const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const StudyRow& r) { return r.key == key; });
  if (row == rows_.end()) return;  // the file need not print all
  row->ours = ours;
  if (!remark.empty()) row->note += (row->note.empty() ? "" : "; ") + remark;
}

void Study::put_first(std::vector<StudyRow> rows) {
  rows_.insert(rows_.begin(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
}

void Study::skip(const std::string& key, const std::string& why) {
  for (StudyRow& row : rows_)
    if (row.key == key) row.skipped = "skipped: " + why;
}

void Study::skip_all(const std::string& prefix, const std::string& why) {
  for (const StudyRow& row : rows_)
    if (row.key.starts_with(prefix)) skip(row.key, why);
}

bool Study::holds() const {
  return std::all_of(rows_.begin(), rows_.end(), [](const StudyRow& row) { return row.passes(); });
}

void run_or_skip(Study& study, const std::filesystem::path& needed, std::initializer_list<const char*> prefixes,
                 const std::function<void(const std::filesystem::path&)>& part) {
  std::error_code error;
  if (std::filesystem::exists(needed, error)) return part(needed);
  for (const char* prefix : prefixes) study.skip_all(prefix, "no data");
}

model::Robot Host::robot(const std::string& name) const {
  return model::read_robot(model::find_robot_file(name, robot_folders));
}

}  // namespace fathom::studies
