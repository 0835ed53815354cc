#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fathom/log/bag.hpp"
#include "fathom/log/description.hpp"
#include "fathom/log/quality.hpp"
#include "fathom/log/sink.hpp"

namespace fathom::log {

/// How times of arrival were made even.
struct ReceiveClock {
  double rate_hz = 0;
  std::size_t losses = 0;                      ///< places at which samples are missing
  double median_delay = 0, longest_delay = 0;  ///< s, of arrival, beyond the least
};

/// What became of one channel.
struct ConvertedChannel {
  ChannelInfo info;
  std::string source;  ///< file, or topic
  Quality quality;     ///< of what was written
  std::size_t invalid_values =
      0;  ///< read, and written as missing: numbers under `invalid`, quaternions of no length
  std::size_t old_rows = 0;    ///< left out by drop_old
  std::size_t other_rows = 0;  ///< left out by where
  std::optional<ReceiveClock> receive;
};

struct Conversion {
  std::vector<ConvertedChannel> channels;
  std::optional<std::int64_t> zero_ns;  ///< by the shared clock, at t = 0; none where no channel has one
  Findings notes;
};

struct ConvertOptions {
  std::string run;                            ///< what {run} stands for in names of files
  std::function<void(double)> progress = {};  ///< is called with the share done; may throw to stop
  bool allow_truncated = false;  ///< of a bag that was cut off, converts the messages that are whole
};

/// Turns what `log` holds (a folder, or the one file) into channels. Everything that can be wrong with names of
/// files and columns is told before the first row goes to the sink. Memory does not grow with the log, apart
/// from 8 bytes a row for a clock of receive times. Throws InputError.
Conversion convert(const Description& description, const std::filesystem::path& log, Sink& sink,
                   const ConvertOptions& options = {});

/// Copies the channels of a log folder, which Fathom or another program wrote as docs/log-files.md says, to the
/// sink, row by row. Notes tell what was left out. Throws InputError.
Conversion copy_log(const std::filesystem::path& folder, Sink& sink,
                    const std::function<void(double)>& progress);

/// Every topic of the bag that can be decoded, as a channel of its name with the message's own columns, by the
/// times of receipt; what write_mcap wrote, as the channel that it was.
Description describe_bag(const Bag& bag, const std::string& file);

/// The channels of a bag. Those of a file that write_mcap wrote are as they were, times to the nanosecond.
Dataset read_bag(const std::filesystem::path& path);

/// One table from memory by a description of one channel, for tests: its rows, and what became of them.
Conversion convert_text(const Description& description, std::string_view table, Sink& sink);

}  // namespace fathom::log
