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
std::string_view first_line(std::string_view text, const std::string& file, const std::string& comment) {
  internal::LineReader lines(internal::without_byte_order_mark(text), file);
  while (lines.next())
    if (!internal::is_blank(lines.line()) && !lines.line().starts_with(comment)) return trimmed(lines.line());
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
  TableOptions options{.described = false};
  const std::string_view first = first_line(text, file, options.comment);
  options.separator = separator_of(first);
  options.header = is_header(first, options.separator);
  CsvTable table(text, file, options);
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

NumberTable read_number_table(const std::filesystem::path& path) {
  // Opening a named pipe waits for a writer, perhaps for ever.
  std::error_code error;
  const auto type = std::filesystem::status(path, error).type();
  using Type = std::filesystem::file_type;
  if (type == Type::fifo || type == Type::socket || type == Type::character || type == Type::block)
    reject(path.string(), 0, "", "is not a regular file, expected a table of numbers",
           "write it to a file first");
  return parse_number_table(read_file(path), path.string());
}

}  // namespace fathom::log
