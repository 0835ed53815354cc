#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "fathom/log/dataset.hpp"

namespace fathom::log {

/// By default whatever looks like an accident is an error. Each of these lets one pass, and it is counted
/// (quality.hpp).
struct ReadOptions {
  bool allow_clock_steps = false;  ///< rows earlier than the one before: two runs in one file, a clock set anew
  bool drop_truncated_line = false;  ///< the last line of a run that was interrupted
  bool allow_empty = false;          ///< a header without rows: a sensor that never spoke
};

/// Reads a channel row by row, in constant memory. Takes the files that CsvChannelWriter writes, and others'
/// (docs/log-files.md). Errors are InputErrors with file and line.
class CsvChannelReader {
 public:
  /// Reads the header.
  explicit CsvChannelReader(const std::filesystem::path& path, const ReadOptions& options = {});
  /// From memory; `text` must live as long as the reader, `name` is used in messages.
  CsvChannelReader(std::string_view text, const std::string& name, const ReadOptions& options = {});
  CsvChannelReader(CsvChannelReader&&) noexcept;
  CsvChannelReader& operator=(CsvChannelReader&&) noexcept;
  ~CsvChannelReader();

  const ChannelInfo& info() const;
  bool foreign() const;  ///< the file does not begin with `# fathom log 1`

  /// The next row; false at the end. Takes no memory from the heap.
  bool next();
  double t() const;
  std::span<const double> values() const;  ///< valid until next()
  int line() const;                        ///< of that row in the file
  std::size_t dropped_lines() const;

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

Channel read_channel(const std::filesystem::path& path, const ReadOptions& options = {});

/// The same from memory. `name` is used in messages, and names a foreign channel.
Channel parse_channel(std::string_view text, const std::string& name, const ReadOptions& options = {});

/// Every `*.csv` of the folder, in order of their names. A foreign file becomes a channel if it can and is left
/// out if its header is not that of a channel; either is told in the dataset's notes, as is a `.part` of a run
/// that did not end. Errors of all files come in one InputError.
Dataset read_dataset(const std::filesystem::path& folder, const ReadOptions& options = {});

}  // namespace fathom::log
