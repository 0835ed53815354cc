#include "fathom/identify/number_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"

namespace fathom::identify {
namespace {

constexpr std::size_t most_columns = 1000;

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\r' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a byte-order mark
  std::vector<std::string_view> lines;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  while (!lines.empty() && trimmed(lines.back()).empty()) lines.pop_back();
  return lines;
}

std::vector<std::string_view> cells_of(std::string_view line, char separator) {
  std::vector<std::string_view> cells;
  for (std::size_t from = 0;;) {
    const std::size_t end = std::min(line.find(separator, from), line.size());
    std::string_view cell = trimmed(line.substr(from, end - from));
    if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
    cells.push_back(cell);
    if (end == line.size()) return cells;
    from = end + 1;
  }
}

std::optional<double> number_of_cell(std::string_view cell) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  double value = 0;
  const auto [end, status] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return status == std::errc() && end == cell.data() + cell.size() ? std::optional(value) : std::nullopt;
}

char separator_of(std::string_view line) {
  for (const char separator : {';', '\t', ','})
    if (line.find(separator) != std::string_view::npos) return separator;
  return ',';
}

}  // namespace

Eigen::Index NumberTable::column(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return found - names.begin();
  const std::string nearest = nearest_word(name, std::vector<std::string_view>(names.begin(), names.end()));
  refuse(file, has_header ? 1 : 0, "", fmt::format("there is no column {}", in_quotes(name)),
         nearest.empty() ? fmt::format("there are {}", in_quotes(fmt::format("{}", fmt::join(names, ", "))))
                         : fmt::format("did you mean {}?", in_quotes(nearest)));
}

NumberTable parse_number_table(std::string_view text, const std::string& file) {
  NumberTable table{file, {}, false, {}};
  const std::vector<std::string_view> lines = lines_of(text);
  if (lines.empty()) refuse(file, 0, "", "is empty", "a header and lines of numbers");
  const char separator = separator_of(lines.front());
  const auto first = cells_of(lines.front(), separator);
  if (first.size() > most_columns)
    refuse(file, 1, "", fmt::format("has {} columns, at most {} are read", first.size(), most_columns));
  table.has_header = std::any_of(first.begin(), first.end(), [](auto cell) { return !number_of_cell(cell); });
  for (std::size_t k = 0; k < first.size(); ++k)
    table.names.push_back(table.has_header ? std::string(first[k]) : std::to_string(k + 1));
  const std::size_t skipped = table.has_header ? 1 : 0;
  table.values.resize(static_cast<Eigen::Index>(lines.size() - skipped),
                      static_cast<Eigen::Index>(first.size()));
  for (Eigen::Index row = 0; row < table.values.rows(); ++row) {
    const auto cells = cells_of(lines[static_cast<std::size_t>(row) + skipped], separator);
    if (cells.size() != first.size())
      refuse(file, table.line(row), "",
             fmt::format("has {} cells, the first line has {}", cells.size(), first.size()),
             "a decimal comma? write points, or separate cells by semicolons");
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const auto value = number_of_cell(cells[k]);
      if (!value || !std::isfinite(*value))
        refuse(file, table.line(row), table.names[k],
               fmt::format("= {}, must be a finite number", in_quotes(cells[k])), "leave the row out");
      table.values(row, static_cast<Eigen::Index>(k)) = *value;
    }
  }
  return table;
}

NumberTable read_number_table(const std::filesystem::path& path) {
  return parse_number_table(read_file(path), path.string());
}

}  // namespace fathom::identify
