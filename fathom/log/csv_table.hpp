#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::log {

/// How a table is written.
struct TableOptions {
  char separator = ',';       ///< a blank stands for any number of blanks and tabs
  char decimal = '.';         ///< or a comma, where that is not the separator
  bool header = true;         ///< the first line names the columns
  int skip = 0;               ///< lines above the header, whatever is in them
  std::string comment = "#";  ///< lines that begin with it are left out; empty: there are none
  bool drop_bad_lines =
      false;              ///< lines of another length, and with text for a number, are counted and left out
  bool described = true;  ///< remedies are keys of a log description; else of the file itself
};

/// A column of times: nanoseconds, to the digit.
struct StampColumn {
  std::size_t column = 0;
  bool date = false;  ///< 2022-12-01T15:40:08.877Z; else a number
  int power = 9;      ///< of a number: its unit is 10^power ns, so 9 for seconds
};

/// Reads any table of numbers row by row, in constant memory: only the columns that were picked, so that text
/// in the others does not matter. Byte order mark, quotes, blanks around fields, \n and \r\n side by side are
/// taken; an empty field, nan, na, n/a, null and none are missing values, true and false are 1 and 0. Anything
/// else is an InputError with file, line and remedy.
class CsvTable {
 public:
  /// Reads the header.
  explicit CsvTable(const std::filesystem::path& path, const TableOptions& options = {});
  /// From memory; `text` must live as long as the table, `name` is used in messages.
  CsvTable(std::string_view text, const std::string& name, const TableOptions& options = {});
  CsvTable(CsvTable&&) noexcept;
  CsvTable& operator=(CsvTable&&) noexcept;
  ~CsvTable();

  std::size_t width() const;                       ///< fields in a row
  const std::vector<std::string>& titles() const;  ///< empty without a header
  /// The column of that name, from 0. Throws with the nearest name, and where two have it.
  std::size_t find(std::string_view title) const;
  /// The column of that number, which people count from 1.
  std::size_t find(int number) const;

  /// The columns that next() reads; before the first next(). The times of all `stamps` add up: seconds in one
  /// column and nanoseconds in another.
  void pick(std::span<const std::size_t> columns, std::span<const StampColumn> stamps = {});

  bool next();                             ///< false at the end
  std::span<const double> values() const;  ///< in the order of pick(); valid until next()
  std::int64_t stamp_ns() const;
  int line() const;
  std::size_t dropped_lines() const;
  std::size_t bytes_read() const;

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace fathom::log
