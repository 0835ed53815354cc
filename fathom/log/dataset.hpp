#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "fathom/base/column.hpp"
#include "fathom/base/error.hpp"

namespace fathom::log {

/// What a channel holds, apart from its samples.
struct ChannelInfo {
  std::string name;             ///< also the name of its file
  std::string frame = "none";   ///< docs/log-files.md: n, b, c, s, none, or a name
  std::vector<Column> columns;  ///< without the clock
  std::string about = {};       ///< free text: where it comes from, what to know; may have several lines

  bool operator==(const ChannelInfo&) const = default;

  /// Throws InputError that suggests the nearest name.
  std::size_t column(std::string_view column_name) const;
};

/// Samples that share one clock: times in seconds from the start of the log, and one row of values for each.
/// A value that was not measured is NaN.
struct Channel {
  ChannelInfo info;
  std::vector<double> t;
  std::vector<double> values;  ///< row after row, info.columns.size() in each

  /// Lines that the reader left out because it was asked to (ReadOptions::drop_truncated_line).
  std::size_t dropped_lines = 0;

  using ColumnView = Eigen::Map<const Eigen::VectorXd, 0, Eigen::InnerStride<>>;
  using MatrixView = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

  std::size_t size() const { return t.size(); }
  std::size_t width() const { return info.columns.size(); }
  std::span<const double> row(std::size_t k) const { return {values.data() + k * width(), width()}; }
  void append(double time, std::span<const double> row);

  /// Views into `values`, without a copy. An unknown name is an InputError that suggests the nearest.
  ColumnView column(std::string_view name) const;
  MatrixView matrix() const;
};

/// The channels of one run, in order, each with its own clock.
class Dataset {
 public:
  /// Throws InputError if there is a channel of that name, or if its vectors do not fit together.
  void add(Channel channel);

  const std::vector<Channel>& channels() const { return channels_; }
  bool has(std::string_view name) const;
  /// Throws InputError that suggests the nearest name.
  const Channel& channel(std::string_view name) const;

  /// What the reader of a folder found and does not want to keep to itself: files left out, foreign files.
  Findings notes;

 private:
  std::vector<Channel> channels_;
  std::map<std::string, std::size_t, std::less<>> places_;  ///< of each channel, by its name
};

}  // namespace fathom::log
