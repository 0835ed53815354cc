#include "fathom/log/mcap_writer.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <utility>

#include <fmt/format.h>

#include "fathom/log/internal/mcap_output.hpp"
#include "fathom/log/internal/mcap_records.hpp"
#include "fathom/log/internal/ros_names.hpp"
#include "fathom/log/internal/unpack.hpp"

namespace fathom::log {
namespace {

namespace fs = std::filesystem;
using internal::mcap::Bytes;
using internal::mcap::Opcode;
using internal::mcap::Output;
using Compression = McapOptions::Compression;

constexpr std::size_t most_channels = 65535;
constexpr std::int64_t second_in_ns = 1'000'000'000;
constexpr std::int64_t last_second = 0x7fffffff;  // that builtin_interfaces/Time can say

std::string_view word_of(Compression compression) {
  switch (compression) {
    case Compression::none: return "";
    case Compression::lz4: return "lz4";
    case Compression::zstd: return "zstd";
  }
  return "";
}

std::int64_t time_ns(const Channel& channel, std::size_t k, std::int64_t start_ns) {
  const double ns = channel.t[k] * 1e9;
  const double absolute = ns + static_cast<double>(start_ns);
  if (!(absolute > -0.5) || !(absolute < static_cast<double>(last_second) * 1e9))
    reject(channel.info.name, fmt::format("t = {} s is not between 1970 and 2038", channel.t[k]),
           "start_ns tells when t = 0 was");
  return start_ns + std::llround(ns);
}

/// Messages of all channels, the earliest first.
class MessageQueue {
 public:
  MessageQueue(const std::vector<Channel>& channels, std::int64_t start_ns)
      : channels_(channels), start_ns_(start_ns), next_(channels.size()) {
    for (std::size_t c = 0; c < channels.size(); ++c) push(c);
  }

  bool empty() const { return queue_.empty(); }
  struct Place {
    std::int64_t ns;
    std::size_t channel, row;
  };
  Place pop() {
    const auto [ns, c] = queue_.top();
    queue_.pop();
    const Place place{ns, c, next_[c]++};
    push(c);
    return place;
  }

 private:
  void push(std::size_t c) {
    if (next_[c] < channels_[c].size()) queue_.emplace(time_ns(channels_[c], next_[c], start_ns_), c);
  }

  using Entry = std::pair<std::int64_t, std::size_t>;
  const std::vector<Channel>& channels_;
  std::int64_t start_ns_;
  std::vector<std::size_t> next_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

class McapWriter {
 public:
  McapWriter(const fs::path& path, const Dataset& dataset, const McapOptions& options)
      : channels_(dataset.channels()),
        types_(internal::ros_types(channels_)),
        options_(options),
        output_(path),
        counts_(channels_.size()) {}

  void write() {
    output_.write(internal::mcap::magic);
    write_header();
    write_announcements(Opcode::schema);
    write_announcements(Opcode::channel);
    for (MessageQueue queue(channels_, options_.start_ns); !queue.empty();) add(queue.pop());
    write_chunk();
    Bytes end;
    end.number(output_.crc());
    output_.write(Opcode::data_end, end);
    write_summary();
    output_.write(internal::mcap::magic);
    output_.close();
  }

 private:
  struct Times {
    std::int64_t first = 0, last = 0;
    bool any = false;
    void add(std::int64_t ns) {
      first = any ? std::min(first, ns) : ns;
      last = any ? std::max(last, ns) : ns;
      any = true;
    }
    void put(Bytes& bytes) const {
      bytes.number(first);
      bytes.number(last);
    }
  };
  struct Group {
    Opcode opcode;
    std::uint64_t begin, length;
  };

  void write_header() {
    Bytes header;
    header.text("ros2");
    header.text("fathom");
    output_.write(Opcode::header, header);
  }

  /// Once before the chunks, so that an interrupted file can be read, and once in the summary.
  void write_announcements(Opcode opcode) {
    for (std::size_t c = 0; c < channels_.size(); ++c)
      output_.write(opcode, opcode == Opcode::schema ? schema(c) : channel(c));
  }

  Bytes schema(std::size_t c) const {
    Bytes bytes;
    bytes.number(static_cast<std::uint16_t>(c + 1));  // 0 means none
    bytes.text(types_[c].name);
    bytes.text("ros2msg");
    bytes.text(types_[c].definition);
    return bytes;
  }

  Bytes channel(std::size_t c) const {
    Bytes bytes;
    bytes.number(static_cast<std::uint16_t>(c));
    bytes.number(static_cast<std::uint16_t>(c + 1));
    bytes.text("/" + channels_[c].info.name);
    bytes.text("cdr");
    bytes.text(internal::metadata_of(channels_[c].info, options_.start_ns));
    return bytes;
  }

  void add(const MessageQueue::Place& place) {
    const auto id = static_cast<std::uint16_t>(place.channel);
    message_.clear();
    message_.number(id);
    message_.number(static_cast<std::uint32_t>(++counts_[place.channel]));
    message_.number(place.ns);                      // received
    message_.number(place.ns);                      // sent
    message_.raw(std::string_view("\0\1\0\0", 4));  // CDR, little-endian
    message_.number(static_cast<std::int32_t>(place.ns / second_in_ns));
    message_.number(static_cast<std::uint32_t>(place.ns % second_in_ns));
    for (const double x : channels_[place.channel].row(place.row)) message_.number(x);
    index_[id].number(place.ns);
    index_[id].number(std::uint64_t{chunk_.size()});
    chunk_.record(Opcode::message, message_);
    chunk_times_.add(place.ns);
    times_.add(place.ns);
    if (chunk_.size() >= options_.chunk_bytes) write_chunk();
  }

  void write_chunk() {
    if (chunk_.size() == 0) return;
    const std::string packed = internal::pack(word_of(options_.compression), chunk_.view());
    Bytes record;
    chunk_times_.put(record);
    record.number(std::uint64_t{chunk_.size()});
    record.number(internal::crc32(chunk_.bytes()));
    record.text(word_of(options_.compression));
    record.number(std::uint64_t{packed.size()});
    record.raw(packed);
    const std::uint64_t begin = output_.place();
    output_.write(Opcode::chunk, record);
    write_indexes(begin, output_.place() - begin, packed.size());
    chunk_.clear();
    index_.clear();
    chunk_times_ = {};
  }

  /// Behind each chunk where its messages are; for the summary where that is.
  void write_indexes(std::uint64_t begin, std::uint64_t length, std::size_t packed) {
    const std::uint64_t indexes_begin = output_.place();
    Bytes places;
    for (const auto& [id, entries] : index_) {
      places.number(id);
      places.number(output_.place());
      Bytes record;
      record.number(id);
      record.text(entries.view());
      output_.write(Opcode::message_index, record);
    }
    Bytes& index = chunk_indexes_.emplace_back();
    chunk_times_.put(index);
    index.number(begin);
    index.number(length);
    index.text(places.view());
    index.number(output_.place() - indexes_begin);
    index.text(word_of(options_.compression));
    index.number(std::uint64_t{packed});
    index.number(std::uint64_t{chunk_.size()});
  }

  void write_summary() {
    output_.reset_crc();
    const std::uint64_t begin = output_.place();
    std::vector<Group> groups;
    const auto group = [&](Opcode opcode, const auto& write_them) {
      const std::uint64_t place = output_.place();
      write_them();
      if (output_.place() > place) groups.push_back({opcode, place, output_.place() - place});
    };
    group(Opcode::schema, [&] { write_announcements(Opcode::schema); });
    group(Opcode::channel, [&] { write_announcements(Opcode::channel); });
    group(Opcode::statistics, [&] { write_statistics(); });
    group(Opcode::chunk_index, [&] {
      for (const Bytes& index : chunk_indexes_) output_.write(Opcode::chunk_index, index);
    });
    write_footer(begin, groups);
  }

  void write_statistics() {
    Bytes counts;
    std::uint64_t messages = 0;
    for (std::size_t c = 0; c < counts_.size(); ++c) {
      counts.number(static_cast<std::uint16_t>(c));
      counts.number(counts_[c]);
      messages += counts_[c];
    }
    Bytes record;
    record.number(messages);
    record.number(static_cast<std::uint16_t>(channels_.size()));  // schemas
    record.number(static_cast<std::uint32_t>(channels_.size()));
    record.number(std::uint32_t{0});  // attachments
    record.number(std::uint32_t{0});  // metadata
    record.number(static_cast<std::uint32_t>(chunk_indexes_.size()));
    times_.put(record);
    record.text(counts.view());
    output_.write(Opcode::statistics, record);
  }

  void write_footer(std::uint64_t begin, const std::vector<Group>& groups) {
    const std::uint64_t offsets = output_.place();
    for (const Group& group : groups) {
      Bytes record;
      record.number(static_cast<std::uint8_t>(group.opcode));
      record.number(group.begin);
      record.number(group.length);
      output_.write(Opcode::summary_offset, record);
    }
    Bytes footer;  // its CRC is of all from the summary up to itself
    footer.number(static_cast<std::uint8_t>(Opcode::footer));
    footer.number(std::uint64_t{internal::mcap::footer_content});
    footer.number(begin);
    footer.number(offsets);
    output_.write(footer.view());
    Bytes crc;
    crc.number(output_.crc());
    output_.write(crc.view());
  }

  const std::vector<Channel>& channels_;
  std::vector<internal::RosType> types_;
  McapOptions options_;
  Output output_;
  std::vector<std::uint64_t> counts_;
  Times times_, chunk_times_;
  Bytes chunk_, message_;
  std::map<std::uint16_t, Bytes> index_;  ///< of the chunk: time and place of its messages
  std::vector<Bytes> chunk_indexes_;
};

}  // namespace

void write_mcap(const fs::path& path, const Dataset& dataset, const McapOptions& options) {
  if (dataset.channels().size() > most_channels)
    reject("channels", fmt::format("{}, at most {} go into MCAP", dataset.channels().size(), most_channels));
  for (const Channel& channel : dataset.channels())
    for (std::size_t k = 0; k < channel.size(); ++k) time_ns(channel, k, options.start_ns);
  McapWriter(path, dataset, options).write();
}

}  // namespace fathom::log
