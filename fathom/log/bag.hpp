#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/error.hpp"
#include "fathom/log/dataset.hpp"

namespace fathom::log {

/// What a topic of a bag holds: rows of numbers under named columns.
struct Topic {
  std::string name;  ///< such as /mavros/imu/data
  std::string type;  ///< such as sensor_msgs/msg/Imu
  /// `receive_time`, then every number of the message in its order: `header.stamp`, `angular_velocity.x`,
  /// `position[0]`. Empty: its messages cannot be decoded.
  std::vector<std::string> columns;
  std::size_t messages = 0;
  std::string why_not;  ///< said where columns is empty
  /// What write_mcap wrote there: the channel as it was. Its columns are those behind `receive_time` and
  /// `stamp`.
  std::optional<ChannelInfo> info = {};
  std::int64_t zero_ns = 0;  ///< of a channel that write_mcap wrote: when its t = 0 was
};

/// By default whatever looks like an accident is an error.
struct BagOptions {
  bool allow_truncated = false;  ///< take the messages that are whole, and tell in the notes what was recovered
  /// Definitions in ROS' text by type (brov_msgs/msg/Control), for files that bring none and types that are not
  /// among the usual ones. They may use the usual ones.
  std::map<std::string, std::string> definitions = {};
};

/// What became of the messages of one topic.
struct TopicCounts {
  std::size_t rows = 0;
  std::size_t unreadable = 0;    ///< messages that do not fit their definition: no row
  std::size_t other_length = 0;  ///< rows with a sequence longer or shorter than in the first message
};

/// A recording of ROS 2: a .db3 or .mcap file, or a folder that holds some (rosbag2, with or without
/// metadata.yaml). Times are in seconds from the first message; those of messages (builtin_interfaces/Time)
/// too, durations as they are. Errors are InputErrors.
class Bag {
 public:
  explicit Bag(const std::filesystem::path& path, const BagOptions& options = {});
  /// An MCAP file from memory; `mcap` must live as long as the bag, `name` is used in messages.
  Bag(std::string_view mcap, const std::string& name, const BagOptions& options = {});
  Bag(Bag&&) noexcept;
  Bag& operator=(Bag&&) noexcept;
  ~Bag();

  const std::vector<Topic>& topics() const;  ///< in order of their names
  std::int64_t start_ns() const;  ///< of the first message, since 1970: the zero of all times in rows
  const Findings& notes() const;  ///< what cannot be read or was left out, with counts

  /// One pass over the file in bounded memory. `wanted` are places in topics(); `sink(k, row)` gets the rows of
  /// topics()[wanted[k]] in the order of the file; `row` is valid during the call. Gives counts for each wanted
  /// topic.
  std::vector<TopicCounts> read(std::span<const std::size_t> wanted,
                                const std::function<void(std::size_t, std::span<const double>)>& sink) const;

 private:
  class Contents;
  std::unique_ptr<Contents> contents_;
};

}  // namespace fathom::log
