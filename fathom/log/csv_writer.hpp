#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "fathom/log/dataset.hpp"

namespace fathom::log {

/// Writes a channel row by row, in constant memory. docs/log-files.md has the format.
///
/// The rows go to `<name>.csv.part`; close() flushes it to the disk and renames it to `<name>.csv`. So a file
/// of that name is always whole, and a run that ends before close() leaves what was there before, and beside it
/// the `.part` with the rows up to then, of which the last may be cut off.
///
/// Whatever goes wrong (disk full, folder gone) is an InputError of the append() or close() that met it, and of
/// every one after it. The destructor of a writer that was not closed writes what it can and says nothing: only
/// close() tells that the log is on the disk.
class CsvChannelWriter {
 public:
  /// What close() waits for.
  enum class Until {
    on_disk,      ///< nothing is lost even if the power fails then
    handed_over,  ///< the system has it, and writes it when it likes: enough for what can be made again
  };
  /// Makes the folder. Throws InputError if the channel cannot be written (check_writable).
  CsvChannelWriter(const std::filesystem::path& folder, ChannelInfo info, Until until = Until::on_disk);
  CsvChannelWriter(CsvChannelWriter&& other) noexcept;
  ~CsvChannelWriter();

  /// Takes no memory from the heap. Throws InputError, and writes nothing of the row, if `t` is not finite or
  /// earlier than the row before, if a value is infinite, or if their number is not that of the columns. NaN
  /// is a missing value: its field is left empty.
  void append(double t, std::span<const double> values);

  /// Closing twice does no harm.
  void close();

  const ChannelInfo& info() const { return info_; }
  const std::filesystem::path& path() const { return path_; }  ///< of the file that close() makes
  std::size_t rows() const { return rows_; }

 private:
  [[noreturn]] void fail(const std::string& message, const std::string& hint) const;
  [[noreturn]] void fail_on_disk(const std::string& what, int error);
  void reject_row(double t, std::span<const double> values) const;
  void require_open() const;
  void flush();

  ChannelInfo info_;
  std::filesystem::path path_, part_;
  Until until_;
  int fd_ = -1;
  std::vector<char> buffer_;
  std::size_t used_ = 0, rows_ = 0;
  double last_t_;
  std::string failure_;  // the first failure of the disk; empty while all is well
};

/// The bytes of a whole channel, the same that CsvChannelWriter writes. Throws as it does.
std::string channel_to_csv(const Channel& channel);

/// Writes `<folder>/<channel>.csv` and returns its path.
std::filesystem::path write_channel(const std::filesystem::path& folder, const Channel& channel);

/// Writes every channel of it. Files of other channels in the folder stay.
void write_dataset(const std::filesystem::path& folder, const Dataset& dataset);

}  // namespace fathom::log
