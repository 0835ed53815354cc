#pragma once
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fathom/base/error.hpp"
#include "fathom/log/csv_reader.hpp"
#include "fathom/log/dataset.hpp"
#include "fathom/sensing/columns.hpp"

namespace fathom::identify::internal {

/// The rows of one channel, one at a time, from a file or from memory. Its clock must go forward.
class Rows {
 public:
  explicit Rows(const std::filesystem::path& file);
  /// `channel` must live as long as the rows.
  explicit Rows(const log::Channel& channel);

  const log::ChannelInfo& info() const;
  /// Throws InputError where the time repeats, goes back or is no number.
  bool next();
  double t() const { return t_; }
  std::span<const double> values() const;
  int line() const;  ///< of this row; 0 in memory

  /// A finding of the channel, or of the row of it at `line` where that is not 0.
  Finding finding(Severity severity, std::string message, std::string hint, int line = 0) const;
  [[noreturn]] void fail(std::string message, std::string hint, int line = 0) const;

  /// Where the column stands. Throws InputError if there is none of that name, or if it has another unit.
  std::size_t column(const Column& wanted) const;
  bool has_column(const std::string& name) const;

 private:
  bool read_next();

  std::string file_;
  std::optional<log::CsvChannelReader> reader_;
  const log::Channel* channel_ = nullptr;
  std::size_t row_ = 0;  // rows read so far
  double t_ = 0;
};

/// The channels of a log, by name: files of a folder, of which nothing is read yet, or those of a dataset.
class Source {
 public:
  explicit Source(const std::filesystem::path& folder);
  /// `dataset` must live as long as the source.
  Source(const log::Dataset& dataset, std::string name);

  const std::string& name() const { return name_; }
  const std::vector<std::string>& channels() const { return channels_; }
  bool has(const std::string& channel) const;
  Rows open(const std::string& channel) const;
  /// A finding of the whole log.
  Finding finding(Severity severity, std::string message, std::string hint) const;
  [[noreturn]] void fail(std::string message, std::string hint) const;
  /// Files of runs that did not end, by the channel that they would be.
  const std::vector<std::string>& unfinished() const { return unfinished_; }

 private:
  std::string name_;
  std::vector<std::string> channels_, unfinished_;
  std::map<std::string, std::filesystem::path> files_;
  const log::Dataset* dataset_ = nullptr;
};

/// `did you mean 'x'?`, or `otherwise` where nothing is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& candidates,
                       const std::string& otherwise);
/// `a, b, c`, or `none`.
std::string listed(const std::vector<std::string>& words);

}  // namespace fathom::identify::internal
