#include "fathom/task/result.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace fathom::task {
namespace {

/// Without file and line.
std::string without_place(const Finding& finding) {
  return Finding{finding.severity, "", 0, finding.key, finding.message, finding.hint}.text();
}

std::string place_of(const Finding& finding) {
  return finding.line > 0 ? fmt::format("{}:{}", finding.file, finding.line) : finding.file;
}

}  // namespace

void add_warnings(report::Document& page, const std::vector<std::string>& of_result, const Findings& of_input) {
  struct Group {
    Severity severity;
    std::string text, first;
    std::size_t count = 0;
  };
  std::vector<Group> groups;
  const auto add = [&](Severity severity, const std::string& text, const std::string& place) {
    auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return group.severity == severity && group.text == text;
    });
    if (same == groups.end()) same = groups.insert(groups.end(), {severity, text, place});
    ++same->count;
  };
  for (const std::string& text : of_result) add(Severity::warning, text, "");
  for (const Finding& finding : of_input) add(finding.severity, without_place(finding), place_of(finding));
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.severity > b.severity; });
  report::Table table{.title = "All warnings",
                      .columns = {"kind", "warning", "first place", "times"},
                      .where = report::Where::page};
  for (const Group& group : groups)
    table.rows.push_back({to_string(group.severity), group.text, group.first, group.count});
  if (!table.rows.empty()) page.add(std::move(table));
}

}  // namespace fathom::task
