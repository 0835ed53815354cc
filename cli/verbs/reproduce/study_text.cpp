#include "cli/verbs/reproduce/study_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/terminal/table.hpp"

namespace fathom::cli {
namespace {

using studies::StudyRow;

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

nlohmann::ordered_json json_of(const studies::Study& study) {
  auto rows = nlohmann::ordered_json::array();
  std::string above;
  for (const StudyRow& row : study.rows()) {
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
  return {{"name", study.name()}, {"rows", rows}};
}

std::string text_of(const studies::Study& study) {
  Table table({"", "published", "ours", "must be", "note"});
  for (const StudyRow& row : study.rows()) {
    const std::string unit = row.unit.empty() ? "" : " " + row.unit;
    table.row({row.item, row.published ? fmt::format("{:g}{}", *row.published, unit) : "",
               row.ours ? fmt::format("{:.4g}{}", *row.ours, unit) : "", verdict(row),
               row.skipped.empty() ? row.note : row.skipped});
  }
  std::string text = fmt::format("{}: {}\n{}\n\n{}", study.name(), study.title(), study.source(), table.text());
  for (const std::string& paragraph : study.explanation()) text += "\n" + wrapped(paragraph);
  return text;
}

report::Document page_of(const std::vector<studies::Study>& studies) {
  report::Document page{.title = "Reproduced tables"};
  for (const studies::Study& study : studies) {
    report::Table table{.title = study.name() + ": " + study.title(),
                        .columns = {"quantity", "published", "ours", "must be", "note"},
                        .note = study.source()};
    for (const StudyRow& row : study.rows()) {
      const std::string unit = row.unit.empty() ? "" : " " + row.unit;
      table.rows.push_back({stripped(row.item),
                            row.published ? fmt::format("{:g}{}", *row.published, unit) : "",
                            row.ours ? fmt::format("{:.4g}{}", *row.ours, unit) : "", verdict(row),
                            row.skipped.empty() ? row.note : row.skipped});
    }
    page.add(std::move(table));
    page.add_text({.paragraphs = study.explanation()});
  }
  return page;
}

}  // namespace fathom::cli
