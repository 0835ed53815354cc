#include "cli/study.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/fields.hpp"
#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"

#include "cli/table.hpp"

namespace fathom::cli {
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

nlohmann::ordered_json number_or_null(const std::optional<double>& x) {
  return x ? nlohmann::ordered_json(*x) : nlohmann::ordered_json();
}

nlohmann::ordered_json word_or_null(const std::string& word) {
  return word.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(word);
}

std::string verdict(const StudyRow& row) {
  std::string criterion = row.criterion();
  if (criterion.empty() || !row.skipped.empty()) return criterion;
  return fmt::format("{}: {}", criterion, row.passes() ? "pass" : "FAIL");
}

std::string stripped(const std::string& text) {
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

}  // namespace

bool StudyRow::passes() const {
  if (!skipped.empty()) return true;
  if (!ours)
    refuse("study.yaml", 0, "rows",
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
  refuse((folder_ / "study.yaml").string(), 0, "settings", fmt::format("lacks the key {}", name),
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
    refuse("--setting", fmt::format("= '{}', expected one of the study's with a whole number", setting),
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

nlohmann::ordered_json Study::json() const {
  auto rows = nlohmann::ordered_json::array();
  std::string above;
  for (const StudyRow& row : rows_) {
    const bool belongs = row.item.starts_with(' ');
    if (!belongs) above = row.item;
    rows.push_back(
        {{"item", belongs ? fmt::format("{}: {}", above, stripped(row.item)) : row.item},
         {"published", number_or_null(row.published)},
         {"ours", number_or_null(row.ours)},
         {"unit", row.unit},
         {"criterion", word_or_null(row.criterion())},
         {"pass", row.skipped.empty() ? nlohmann::ordered_json(row.passes()) : nlohmann::ordered_json()},
         {"note", row.skipped.empty() ? row.note : row.skipped}});
  }
  return {{"name", name_}, {"rows", rows}};
}

std::string Study::text() const {
  Table table({"", "published", "ours", "must be", "note"});
  for (const StudyRow& row : rows_) {
    const std::string unit = row.unit.empty() ? "" : " " + row.unit;
    table.row({row.item, row.published ? fmt::format("{:g}{}", *row.published, unit) : "",
               row.ours ? fmt::format("{:.4g}{}", *row.ours, unit) : "", verdict(row),
               row.skipped.empty() ? row.note : row.skipped});
  }
  std::string text = fmt::format("{}: {}\n{}\n\n{}", name_, title_, source_, table.text());
  for (const std::string& paragraph : explanation_) text += "\n" + wrapped(paragraph);
  return text;
}

}  // namespace fathom::cli
