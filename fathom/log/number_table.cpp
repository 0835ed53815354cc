#include "fathom/log/number_table.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/log/csv_table.hpp"
#include "fathom/log/internal/table_text.hpp"

namespace fathom::log {
namespace {

constexpr std::size_t most_columns = 1000;

/// The first line that a CsvTable would take.
std::string first_line(internal::LineReader& lines, const std::string& comment) {
  while (lines.next()) {
    const std::string_view line =
        lines.number() == 1 ? internal::without_byte_order_mark(lines.line()) : lines.line();
    if (!internal::is_blank(line) && !line.starts_with(comment)) return std::string(trimmed(line));
  }
  return {};
}

char separator_of(std::string_view line) {
  for (const char separator : {';', '\t', ',', ' '})
    if (line.find(separator) != std::string_view::npos) return separator;
  return ',';
}

/// A line of numbers alone is no header.
bool is_header(std::string_view line, char separator) {
  double value = 0;
  for (internal::Tokenizer fields(line, separator); !fields.done();) {
    const std::string_view field = trimmed(fields.next());
    if (!field.empty() && internal::parse_number(field, value) != std::errc()) return true;
  }
  return false;
}

/// Returns how the table is written, as its first line shows.
TableOptions options_of(internal::LineReader lines) {
  TableOptions options{.described = false};
  const std::string first = first_line(lines, options.comment);
  options.separator = separator_of(first);
  options.header = is_header(first, options.separator);
  return options;
}

NumberTable numbers_of(CsvTable table, const std::string& file, const TableOptions& options) {
  if (table.width() > most_columns)
    reject(file, 1, "", fmt::format("has {} columns, at most {} are read", table.width(), most_columns));
  NumberTable numbers{file, table.titles(), options.header, {}, {}};
  for (std::size_t k = numbers.names.size(); k < table.width(); ++k)
    numbers.names.push_back(std::to_string(k + 1));

  std::vector<std::size_t> all(table.width());
  std::iota(all.begin(), all.end(), std::size_t{0});
  table.pick(all);
  std::vector<double> values;
  while (table.next()) {
    for (std::size_t k = 0; k < all.size(); ++k)
      if (!std::isfinite(table.values()[k]))
        reject(file, table.line(), numbers.names[k], "is missing or not finite, must be a number",
               "leave the line out");
    values.insert(values.end(), table.values().begin(), table.values().end());
    numbers.lines.push_back(table.line());
  }
  const auto width = static_cast<Eigen::Index>(all.size());
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  numbers.values =
      Eigen::Map<const Rows>(values.data(), static_cast<Eigen::Index>(values.size()) / width, width);
  return numbers;
}

}  // namespace

Eigen::Index NumberTable::column(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return found - names.begin();
  const std::string nearest = nearest_word(name, std::vector<std::string_view>(names.begin(), names.end()));
  reject(file, has_header ? 1 : 0, "", fmt::format("there is no column {}", in_quotes(name)),
         nearest.empty() ? fmt::format("there are {}", in_quotes(join(names, ", ")))
                         : fmt::format("did you mean {}?", in_quotes(nearest)));
}

NumberTable parse_number_table(std::string_view text, const std::string& file) {
  const TableOptions options = options_of(internal::LineReader(text, file));
  return numbers_of(CsvTable(text, file, options), file, options);
}

/// Line by line where it is a file, so that a long run needs no more memory than its numbers; what can be read
/// only once, such as a pipe, as a whole.
NumberTable read_number_table(const std::filesystem::path& path) {
  if (std::error_code error; !std::filesystem::is_regular_file(path, error))
    return parse_number_table(read_file(path), path.string());
  const TableOptions options = options_of(internal::LineReader(path));
  return numbers_of(CsvTable(path, options), path.string(), options);
}

}  // namespace fathom::log
