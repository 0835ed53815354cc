// Time of bags: Imu and Odometry messages of an MCAP file into channels, with each compression. The bytes are
// those of the file unpacked, so that compressions compare.
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>
#include <lz4frame.h>
#include <unistd.h>
#include <zstd.h>

#include "fathom/base/random.hpp"
#include "fathom/log/bag.hpp"
#include "fathom/log/dataset.hpp"

#include "bench/add.hpp"

namespace fathom {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t messages_of_each = 100'000;
constexpr std::int64_t first_ns = 1'700'000'000'000'000'000;
constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

// Records of MCAP (mcap.dev/spec).
constexpr std::uint8_t footer_record = 2, schema_record = 3, channel_record = 4, message_record = 5,
                       chunk_record = 6, chunk_index_record = 8, statistics_record = 11;

template <class T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

void put_text(std::string& bytes, std::string_view text) {
  put(bytes, static_cast<std::uint32_t>(text.size()));
  bytes += text;
}

void put_record(std::string& bytes, std::uint8_t opcode, const std::string& content) {
  put(bytes, opcode);
  put(bytes, std::uint64_t{content.size()});
  bytes += content;
}

/// Without it the reader would have less to do than with files of others.
std::uint32_t crc_of(std::string_view bytes) {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t k = 0; k < 256; ++k) {
    table[k] = k;
    for (int bit = 0; bit < 8; ++bit) table[k] = table[k] >> 1 ^ (table[k] & 1 ? 0xedb88320u : 0u);
  }
  std::uint32_t crc = ~0u;
  for (const char c : bytes) crc = crc >> 8 ^ table[(crc ^ static_cast<unsigned char>(c)) & 0xff];
  return ~crc;
}

std::string packed(const std::string& bytes, std::string_view compression) {
  if (compression.empty()) return bytes;
  const bool lz4 = compression == "lz4";
  std::string result(lz4 ? LZ4F_compressFrameBound(bytes.size(), nullptr) : ZSTD_compressBound(bytes.size()),
                     '\0');
  result.resize(lz4 ? LZ4F_compressFrame(result.data(), result.size(), bytes.data(), bytes.size(), nullptr)
                    : ZSTD_compress(result.data(), result.size(), bytes.data(), bytes.size(), 1));
  return result;
}

/// The usual messages need no definition: a schema whose text is empty.
void announce(std::string& file, std::uint16_t id, std::string_view topic, std::string_view type) {
  std::string schema, channel;
  put(schema, id);
  for (const std::string_view text : {type, std::string_view("ros2msg"), std::string_view()})
    put_text(schema, text);
  put_record(file, schema_record, schema);
  put(channel, id);
  put(channel, id);
  for (const std::string_view text : {topic, std::string_view("cdr"), std::string_view()})
    put_text(channel, text);
  put_record(file, channel_record, channel);
}

/// Stamp, frames, then numbers: what Imu (37) and Odometry (85) have in common. Six digits, as a sensor
/// measures.
std::string message(std::uint16_t id, std::int64_t ns, int frames, int numbers, RandomStream& random) {
  std::string bytes;
  put(bytes, id);
  put(bytes, std::uint32_t{0});
  put(bytes, ns);
  put(bytes, ns);
  bytes += std::string_view("\0\1\0\0", 4);
  const std::size_t begin = bytes.size();
  put(bytes, static_cast<std::int32_t>(ns / 1'000'000'000));
  put(bytes, static_cast<std::uint32_t>(ns % 1'000'000'000));
  for (int k = 0; k < frames; ++k) put_text(bytes, std::string_view("map", 4));
  while ((bytes.size() - begin) % 8 != 0) bytes += '\0';
  for (int k = 0; k < numbers; ++k)
    put(bytes, k % 3 == 0 ? std::round(1e6 * random.normal()) / 1e6 : 0.0);  // covariances are mostly zeros
  return bytes;
}

void put_chunk(std::string& file, const std::string& chunk, std::string_view compression) {
  std::string record;
  put(record, std::uint64_t{0});
  put(record, std::uint64_t{0});
  put(record, std::uint64_t{chunk.size()});
  put(record, crc_of(chunk));
  put_text(record, compression);
  const std::string small = packed(chunk, compression);
  put(record, std::uint64_t{small.size()});
  put_record(file, chunk_record, record + small);
}

/// Two channels, each with so many messages: a map in MCAP.
std::string for_both(std::uint64_t value) {
  std::string map;
  for (const std::uint16_t id : {std::uint16_t{1}, std::uint16_t{2}}) {
    put(map, id);
    put(map, value);
  }
  return map;
}

std::string chunk_index(std::uint64_t place, std::uint64_t length) {
  std::string record(16, '\0');  // times
  put(record, place);
  put(record, length);
  put_text(record, for_both(place + length));
  return record;
}

/// With a summary, as recorders write it, the reader goes through the file once.
void put_summary(std::string& file, const std::vector<std::string>& chunk_indexes) {
  const std::uint64_t place = file.size();
  announce(file, 1, "/imu", "sensor_msgs/msg/Imu");
  announce(file, 2, "/odometry", "nav_msgs/msg/Odometry");
  std::string statistics, footer;
  put(statistics, std::uint64_t{2 * messages_of_each});
  put(statistics, std::uint16_t{2});  // schemas
  put(statistics, std::uint32_t{2});  // channels
  put(statistics, std::uint64_t{0});  // attachments, metadata
  put(statistics, static_cast<std::uint32_t>(chunk_indexes.size()));
  put(statistics, first_ns);
  put(statistics, first_ns);  // the last
  put_text(statistics, for_both(messages_of_each));
  put_record(file, statistics_record, statistics);
  for (const std::string& index : chunk_indexes) put_record(file, chunk_index_record, index);
  put(footer, place);
  put_record(file, footer_record, footer + std::string(12, '\0'));
}

struct McapFile {
  explicit McapFile(std::string_view compression)
      : path(fs::temp_directory_path() / ("fathom_bench_" + std::to_string(::getpid()) + ".mcap")) {
    RandomStream random(1, "bag bench");
    std::string file = "\x89MCAP0\r\n", chunk;
    std::vector<std::string> indexes;
    announce(file, 1, "/imu", "sensor_msgs/msg/Imu");
    announce(file, 2, "/odometry", "nav_msgs/msg/Odometry");
    for (std::int64_t k = 0; k < messages_of_each; ++k) {
      const std::int64_t ns = first_ns + 10'000'000 * k;
      put_record(chunk, message_record, message(1, ns, 1, 37, random));
      put_record(chunk, message_record, message(2, ns, 2, 85, random));
      if (chunk.size() < chunk_bytes && k + 1 < messages_of_each) continue;
      const std::size_t place = file.size();
      put_chunk(file, chunk, compression);
      indexes.push_back(chunk_index(place, file.size() - place));
      bytes += chunk.size();
      chunk.clear();
    }
    put_summary(file, indexes);
    file += "\x89MCAP0\r\n";
    std::ofstream(path, std::ios::binary) << file;
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
