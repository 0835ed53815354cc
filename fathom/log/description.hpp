#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "fathom/geometry/types.hpp"
#include "fathom/log/csv_table.hpp"
#include "fathom/log/dataset.hpp"

namespace fathom::log {

/// A column of somebody's file, as a description names it.
struct ColumnName {
  std::string title;
  int number = 0;   ///< from 1, where it goes by its number; else 0
  std::string key;  ///< its place in the description
};

/// Where the times of a channel come from.
struct ClockDescription {
  enum class Kind {
    shared,   ///< stamps of the clock that all shared and receive channels have: their earliest is zero
    own,      ///< stamps of a clock that no other channel has: the first is zero
    receive,  ///< when samples arrived, in bursts, by the shared clock: made even by their count
  };
  Kind kind = Kind::shared;
  std::vector<ColumnName> columns;  ///< one; or seconds and nanoseconds; empty: none is named
  bool date = false;                ///< 2022-12-01T15:40:08.877Z
  int power = 9;                    ///< the unit is 10^power ns
  double rate_hz = 0;               ///< where there is no clock, or where the rate of arrivals is known; else 0
  double offset = 0;                ///< s, added to all times
};

/// factor * x + offset, in SI.
struct ScalarColumn {
  Column to;
  ColumnName from;
  double factor = 1, offset = 0;
};

/// Three columns that turn together: to = rotation * factor * from.
struct VectorColumns {
  std::array<Column, 3> to;
  std::array<ColumnName, 3> from;
  Mat3 rotation = Mat3::Identity();
  double factor = 1;
};

/// R_nb = world R body^T, where R is what the file has.
struct AttitudeColumns {
  std::vector<Column> to;        ///< roll, pitch, heading; or w, x, y, z
  std::vector<ColumnName> from;  ///< roll, pitch, yaw (z-y-x); or w, x, y, z
  Mat3 world = Mat3::Identity(), body = Mat3::Identity();
  double factor = 1;  ///< radians of the unit of angles
};

/// Rows count only where a column has a value.
struct Condition {
  ColumnName column;
  double is = 1;
};

struct ChannelDescription {
  std::string name, about, frame = "none";
  std::string file;   ///< seen from the log; empty: the log itself
  std::string topic;  ///< of a bag; empty: a table
  TableOptions table;
  ClockDescription clock;
  std::vector<double> invalid;  ///< these numbers stand for missing values
  bool drop_old = false;        ///< rows no later than the one before are counted and left out
  std::optional<Condition> where;
  std::vector<ScalarColumn> columns;
  std::vector<VectorColumns> vectors;
  std::optional<AttitudeColumns> attitude;

  /// What is written: columns, then vectors, then attitude.
  ChannelInfo info() const;
};

/// What turns files that nobody here has seen into channels. docs/log-description.md has the keys.
struct Description {
  std::string about;
  std::vector<ChannelDescription> channels;
  std::map<std::string, std::string> messages = {};  ///< BagOptions::definitions
  std::optional<std::int64_t> zero_ns = {};          ///< t = 0 by the shared clock; none: its earliest sample
  std::string file;                                  ///< for messages
  std::map<std::string, int> lines;                  ///< of every key
};

/// Throws InputError with every finding.
Description read_description(const std::filesystem::path& path);
/// The same from memory; `file` is used in messages.
Description parse_description(const std::string& text, const std::string& file);
/// Returns the JSON schema of log descriptions.
nlohmann::ordered_json description_schema();

}  // namespace fathom::log
