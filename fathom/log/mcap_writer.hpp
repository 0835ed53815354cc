#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "fathom/log/dataset.hpp"

namespace fathom::log {

struct McapOptions {
  enum class Compression { none, lz4, zstd };

  Compression compression =
      Compression::zstd;  ///< half the size of doubles that are measurements, at little cost
  std::size_t chunk_bytes = std::size_t{1} << 20;  ///< what a reader holds in memory, before compression
  std::int64_t start_ns = 0;  ///< when t = 0 was, since 1970: times of MCAP are of that kind
};

/// Writes each channel as a topic `/<channel>` with messages `fathom_msgs/msg/<Channel>`: a stamp, and a
/// float64 for each column. The file brings its definitions, so every reader of ROS 2 messages takes it
/// (docs/log-files.md). Written beside `path` and renamed. Throws InputError, also where a time is before 1970
/// or after 2038.
void write_mcap(const std::filesystem::path& path, const Dataset& dataset, const McapOptions& options = {});

}  // namespace fathom::log
