// Time of bags: Imu and Odometry messages of an MCAP file into channels, with each compression. The bytes are
// those of the file unpacked, so that compressions compare.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <unistd.h>

#include "fathom/base/random.hpp"
#include "fathom/log/bag.hpp"
#include "fathom/log/dataset.hpp"
#include "fathom/log/internal/crc32.hpp"
#include "fathom/log/internal/mcap_output.hpp"
#include "fathom/log/internal/unpack.hpp"

#include "bench/add.hpp"

namespace fathom {
namespace {

namespace fs = std::filesystem;
using log::internal::mcap::Bytes;
using log::internal::mcap::Opcode;

constexpr std::int64_t messages_of_each = 100'000;
constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

/// The usual messages need no definition: a schema whose text is empty.
void announce(Bytes& file, std::uint16_t id, std::string_view topic, std::string_view type) {
  Bytes schema, channel;
  schema.number(id);
  for (const std::string_view text : {type, std::string_view("ros2msg"), std::string_view()}) schema.text(text);
  file.record(Opcode::schema, schema);
  channel.number(id);
  channel.number(id);
  for (const std::string_view text : {topic, std::string_view("cdr"), std::string_view()}) channel.text(text);
  file.record(Opcode::channel, channel);
}

/// Stamp, frames, then numbers: what Imu (37) and Odometry (85) have in common. Six digits, as a sensor
/// measures.
Bytes message(std::uint16_t id, std::int64_t ns, std::size_t frames, std::size_t numbers,
              RandomStream& random) {
  Bytes bytes;
  bytes.number(id);
  bytes.number(std::uint32_t{0});
  bytes.number(ns);
  bytes.number(ns);
  bytes.raw(std::string_view("\0\1\0\0", 4));
  bytes.number(static_cast<std::int32_t>(ns / 1'000'000'000));
  bytes.number(static_cast<std::uint32_t>(ns % 1'000'000'000));
  for (std::size_t k = 0; k < frames; ++k) bytes.text(std::string_view("map", 4));
  const std::size_t before = 26;  // CDR begins behind the fields of the record and the encapsulation
  while ((bytes.size() - before) % 8 != 0) bytes.number(std::uint8_t{0});
  for (std::size_t k = 0; k < numbers; ++k)
    bytes.number(k % 3 == 0 ? std::round(1e6 * random.normal()) / 1e6 : 0.0);  // covariances are mostly zeros
  return bytes;
}

void add_chunk(Bytes& file, Bytes& chunk, std::string_view compression) {
  const std::string packed = log::internal::pack(compression, chunk.view());
  Bytes record;
  record.number(std::uint64_t{0});
  record.number(std::uint64_t{0});
  record.number(std::uint64_t{chunk.size()});
  record.number(log::internal::crc32(chunk.bytes()));
  record.text(compression);
  record.number(std::uint64_t{packed.size()});
  record.raw(packed);
  file.record(Opcode::chunk, record);
  chunk.clear();
}

struct McapFile {
  explicit McapFile(std::string_view compression)
      : path(fs::temp_directory_path() / ("fathom_bench_" + std::to_string(::getpid()) + ".mcap")) {
    RandomStream random(1, "bag bench");
    Bytes file, chunk, end;
    file.raw(log::internal::mcap::magic);
    announce(file, 1, "/imu", "sensor_msgs/msg/Imu");
    announce(file, 2, "/odometry", "nav_msgs/msg/Odometry");
    for (std::int64_t k = 0; k < messages_of_each; ++k) {
      const std::int64_t ns = 1'700'000'000'000'000'000 + 10'000'000 * k;
      chunk.record(Opcode::message, message(1, ns, 1, 37, random));
      chunk.record(Opcode::message, message(2, ns, 2, 85, random));
      if (chunk.size() >= chunk_bytes || k + 1 == messages_of_each) {
        bytes += chunk.size();
        add_chunk(file, chunk, compression);
      }
    }
    end.number(std::uint64_t{0});
    end.number(std::uint64_t{0});
    end.number(std::uint32_t{0});
    file.record(Opcode::footer, end);
    file.raw(log::internal::mcap::magic);
    std::ofstream(path, std::ios::binary) << file.view();
  }
  McapFile(const McapFile&) = delete;
  McapFile& operator=(const McapFile&) = delete;
  ~McapFile() {
    std::error_code error;
    fs::remove(path, error);
  }

  fs::path path;
  std::size_t bytes = 0;  ///< unpacked
};

log::Channel channel_of(const log::Topic& topic) {
  log::Channel channel;
  for (std::size_t k = 1; k < topic.columns.size(); ++k) channel.info.columns.push_back({topic.columns[k], ""});
  channel.t.reserve(topic.messages);
  channel.values.reserve(topic.messages * channel.width());
  return channel;
}

/// Into memory: the first pass, which a file without a summary takes, is part of the time.
void read_bag(benchmark::State& run, std::string_view compression) {
  const McapFile file(compression);
  for (auto _ : run) {
    const log::Bag bag(file.path);
    std::vector<log::Channel> channels = {channel_of(bag.topics()[0]), channel_of(bag.topics()[1])};
    const std::size_t wanted[] = {0, 1};
    bag.read(wanted,
             [&](std::size_t k, std::span<const double> row) { channels[k].append(row[0], row.subspan(1)); });
    if (channels[1].size() != messages_of_each) run.SkipWithError("messages are missing");
  }
  run.SetBytesProcessed(run.iterations() * static_cast<std::int64_t>(file.bytes));
  run.SetItemsProcessed(run.iterations() * messages_of_each * (39 + 87));
}

const bool bag_registered = [] {
  // The time is that of the processor: the file has just been written, and is not waited for.
  add("bag: MCAP into channels, 109 MB", [](benchmark::State& run) { read_bag(run, ""); })
      ->Repetitions(5)
      ->Iterations(1);
  add("bag: the same, lz4", [](benchmark::State& run) { read_bag(run, "lz4"); })->Repetitions(5)->Iterations(1);
  add("bag: the same, zstd", [](benchmark::State& run) { read_bag(run, "zstd"); })
      ->Repetitions(5)
      ->Iterations(1);
  return true;
}();

}  // namespace
}  // namespace fathom
