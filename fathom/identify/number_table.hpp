#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

namespace fathom::identify {

/// Columns of numbers without a clock: a test stand's table, a bench's record.
struct NumberTable {
  std::string file;
  std::vector<std::string> names;  ///< of the header; "1", "2", .. where the first line is numbers already
  bool has_header = false;
  Eigen::MatrixXd values;  ///< a row for each line

  /// Throws InputError where there is no such column.
  Eigen::Index column(std::string_view name) const;
  int line(Eigen::Index row) const { return static_cast<int>(row) + (has_header ? 2 : 1); }
};

/// Reads numbers between commas, semicolons or tabs, whichever the first line has. Empty lines at the end do
/// not count. Throws InputError, with file and line, for a line of another width, and for what is no finite
/// number.
NumberTable read_number_table(const std::filesystem::path& path);
NumberTable parse_number_table(std::string_view text, const std::string& file);

}  // namespace fathom::identify
