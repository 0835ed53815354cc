#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

namespace fathom::log {

/// Columns of numbers that needed no description: a test stand's table, a bench's record.
struct NumberTable {
  std::string file;
  std::vector<std::string> names;  ///< of the header; "1", "2", .. where the first line is numbers already
  bool has_header = false;
  Eigen::MatrixXd values;       ///< a row for each line
  std::vector<int> lines = {};  ///< of each row in the file, from 1; empty where the table came from memory

  /// Returns the line of a row, 0 where it is not known.
  int line(Eigen::Index row) const { return lines.empty() ? 0 : lines[static_cast<std::size_t>(row)]; }

  /// Throws InputError where there is no such column.
  Eigen::Index column(std::string_view name) const;
};

/// Reads a table whose separator (semicolon, tab, comma, blanks) and header its first line shows. Throws
/// InputError, with file and line, for a line of another width and for what is no finite number.
NumberTable read_number_table(const std::filesystem::path& path);
NumberTable parse_number_table(std::string_view text, const std::string& file);

}  // namespace fathom::log
