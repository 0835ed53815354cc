#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/log/internal/bag_file.hpp"
#include "fathom/log/internal/mcap_walker.hpp"
#include "fathom/log/internal/unpack.hpp"

namespace fathom::log::internal {
namespace {

namespace fs = std::filesystem;
using mcap::Opcode;
using mcap::Record;

constexpr std::uint64_t footer_bytes = mcap::record_head + mcap::footer_content;

/// What stands between the data and the footer, as far as it helps.
struct Summary {
  std::uint64_t begin = 0;
  std::vector<mcap::ChunkIndex> chunks;
  std::optional<mcap::Statistics> statistics;
};

class McapFile final : public BagFile {
 public:
  template <class... Arguments>
  explicit McapFile(const BagOptions& options, const Arguments&... arguments)
      : source_(arguments...), options_(options) {
    check_magic();
    if (ends_whole()) read_summary();
    if (!survey_by_index()) scan(end_of_data_);
  }

  void read(const std::vector<bool>& wanted, const Sink& sink) const override {
    std::vector<std::size_t> seen(channels_.size());
    mcap::Walker walker(source_, mcap::magic.size(), end_of_data_);
    walker.leave_out(without(wanted));
    if (is_truncated_) walker.recover();
    for (Record record; walker.next(record);) {
      mcap::Message message;
      if (record.opcode != Opcode::message) continue;
      if (!mcap::parse(record.content, message)) fail_damaged("a message is too short");
      const std::size_t place = place_of(message.channel);
      if (!wanted[place]) continue;
      ++seen[place];
      sink(place, static_cast<std::int64_t>(message.time_ns), message.data);
    }
    for (std::size_t k = 0; k < seen.size(); ++k)
      if (wanted[k] && seen[k] != channels_[k].messages)
        fail_damaged(fmt::format("{} messages of {} are there, it announces {}", seen[k],
                                 printable(channels_[k].topic), channels_[k].messages));
  }

 private:
  struct SchemaText {
    std::string name, encoding, data;
  };

  [[noreturn]] void fail(std::string message, std::string hint) const {
    reject(source_.name(), 0, "", std::move(message), std::move(hint));
  }
  [[noreturn]] void fail_damaged(const std::string& message) const {
    fail("is damaged: " + message, "copy it again");
  }

  void check_magic() const {
    ByteWindow window(source_);
    const auto begin = window.at(0, std::min<std::uint64_t>(source_.size(), mcap::magic.size()));
    if (std::string_view(reinterpret_cast<const char*>(begin.data()), begin.size()) != mcap::magic)
      fail(source_.size() == 0 ? "is empty" : "is no MCAP file",
           "one begins with the bytes 89 4d 43 41 50 30 0d 0a");
  }

  /// The last things in a file are the footer and the magic once more.
  bool ends_whole() const {
    constexpr std::uint64_t least = footer_bytes + mcap::magic.size();
    if (source_.size() < least + mcap::magic.size()) return false;
    ByteWindow window(source_);
    mcap::Fields fields(window.at(source_.size() - least, least));
    const auto opcode = static_cast<Opcode>(fields.number<std::uint8_t>());
    const auto length = fields.number<std::uint64_t>();
    fields.take(mcap::footer_content);
    const std::string_view end(reinterpret_cast<const char*>(fields.rest().data()), mcap::magic.size());
    return opcode == Opcode::footer && length == mcap::footer_content && end == mcap::magic;
  }

  void read_summary() {
    const std::uint64_t footer_place = source_.size() - mcap::magic.size() - footer_bytes;
    end_of_data_ = footer_place;
    mcap::Footer footer;
    ByteWindow window(source_);
    mcap::parse(window.at(footer_place + mcap::record_head, mcap::footer_content), footer);
    if (footer.summary == 0) return;
    if (footer.summary < mcap::magic.size() || footer.summary > footer_place)
      fail_damaged(fmt::format("its summary should be at byte {} of {}", footer.summary, source_.size()));
    end_of_data_ = footer.summary;
    const std::uint64_t checked = footer_place + footer_bytes - sizeof(std::uint32_t) - footer.summary;
    if (footer.crc != 0 && crc32(window.at(footer.summary, checked)) != footer.crc)
      fail_damaged("the CRC of its summary is another");

    mcap::Walker walker(source_, footer.summary, footer_place);
    for (Record record; walker.next(record);) {
      announce(record);
      if (record.opcode == Opcode::chunk_index && !mcap::parse(record.content, summary_.chunks.emplace_back()))
        fail_damaged("an index of a chunk is too short");
      if (record.opcode == Opcode::statistics && !mcap::parse(record.content, summary_.statistics.emplace()))
        fail_damaged("its statistics are too short");
    }
  }

  /// With a whole summary there is no need to go through the file: only chunks with a first message are opened.
  bool survey_by_index() {
    const std::optional<mcap::Statistics>& statistics = summary_.statistics;
    if (!statistics || statistics->chunks != summary_.chunks.size() || statistics->channels != channels_.size())
      return false;
    std::map<std::uint16_t, std::uint64_t> first_chunk;  // of each channel
    for (const mcap::ChunkIndex& index : summary_.chunks)
      for (const auto& entry : index.message_indexes) {
        std::uint64_t& offset = first_chunk.try_emplace(entry.first, index.offset).first->second;
        offset = std::min(offset, index.offset);
      }
    std::map<std::uint64_t, std::size_t> firsts;  // how many first messages a chunk has
    for (const auto& [id, messages] : statistics->messages_of) {
      if (messages == 0) continue;
      if (id >= places_.size() || !places_[id] || !first_chunk.contains(id)) return false;
      ++firsts[first_chunk[id]];
    }
    if (!keep_firsts(firsts)) return false;
    for (const auto& [id, messages] : statistics->messages_of)
      if (messages > 0) channels_[place_of(id)].messages = messages;
    messages_ = statistics->messages;
    start_ns_ = static_cast<std::int64_t>(statistics->start_ns);
    return true;
  }

  /// `chunks`: their places, and of how many channels the first message is in each.
  bool keep_firsts(const std::map<std::uint64_t, std::size_t>& chunks) {
    std::vector<bool> found(channels_.size());
    for (auto [offset, missing] : chunks) {
      if (offset < mcap::magic.size() || offset >= end_of_data_) return false;
      mcap::Walker walker(source_, offset, end_of_data_);
      for (Record record; missing > 0 && walker.next(record);) {
        mcap::Message message;
        if (record.opcode != Opcode::message || !mcap::parse(record.content, message)) continue;
        const std::size_t place = place_of(message.channel);
        if (found[place]) continue;
        found[place] = true;
        channels_[place].first.assign(message.data.begin(), message.data.end());
        --missing;
      }
      if (missing > 0) return false;
    }
    return true;
  }

  /// Through the whole file, for one without a summary.
  void scan(std::uint64_t end) {
    end_of_data_ = end;
    for (BagChannel& channel : channels_) channel.messages = 0, channel.first.clear();
    mcap::Walker walker(source_, mcap::magic.size(), end);
    is_truncated_ = end == source_.size() && options_.allow_truncated;
    if (is_truncated_) walker.recover();
    for (Record record; walker.next(record);) {
      announce(record);
      mcap::Message message;
      if (record.opcode != Opcode::message) continue;
      if (!mcap::parse(record.content, message)) fail_damaged("a message is too short");
      count(message);
    }
    if (end < source_.size() && walker.cut_off()) fail_damaged("a record is longer than the file");
    if (end < source_.size()) {
      if (!walker.met_chunks()) check_data(walker.place());
      return;
    }
    const std::string message =
        fmt::format("is truncated: its end is missing, {} whole messages are in the {} bytes before", messages_,
                    walker.place());
    if (!is_truncated_) fail(message, std::string(truncated_hint));
    notes_.push_back(
        {Severity::warning, source_.name(), 0, "",
         fmt::format("is truncated: its end is missing; {} whole messages were recovered", messages_), ""});
    end_of_data_ = walker.place();
  }

  /// Chunks have a CRC each; without them there is one of all that stands before the end of the data.
  void check_data(std::uint64_t end) const {
    ByteWindow window(source_);
    if (end_of_data_ - end < mcap::record_head + sizeof(std::uint32_t)) return;
    mcap::Fields fields(window.at(end, mcap::record_head + sizeof(std::uint32_t)));
    if (static_cast<Opcode>(fields.number<std::uint8_t>()) != Opcode::data_end) return;
    fields.number<std::uint64_t>();
    const auto expected = fields.number<std::uint32_t>();
    if (expected == 0) return;
    std::uint32_t crc = 0;
    constexpr std::uint64_t most = std::uint64_t{1} << 18;
    for (std::uint64_t place = 0; place < end; place += most)
      crc = crc32(window.at(place, std::min(most, end - place)), crc);
    if (crc != expected)
      fail_damaged(fmt::format("its data have CRC {:08x}, it should be {:08x}", crc, expected));
  }

  void announce(const Record& record) {
    if (record.opcode == Opcode::schema) add_schema(record);
    if (record.opcode == Opcode::channel) add_channel(record);
  }

  void add_schema(const Record& record) {
    mcap::Schema schema;
    if (!mcap::parse(record.content, schema)) fail_damaged("a schema is too short");
    schemas_.try_emplace(schema.id, SchemaText{std::string(schema.name), std::string(schema.encoding),
                                               std::string(schema.data)});
  }

  /// Files say a channel again in each chunk and in the summary.
  void add_channel(const Record& record) {
    mcap::Channel channel;
    if (!mcap::parse(record.content, channel)) fail_damaged("a channel is too short");
    if (channel.id < places_.size() && places_[channel.id]) return;
    if (channel.id >= places_.size()) places_.resize(channel.id + std::size_t{1});
    places_[channel.id] = channels_.size();
    BagChannel& added = channels_.emplace_back();
    added.topic = channel.topic;
    added.encoding = channel.encoding;
    added.metadata = channel.metadata;
    if (channel.schema == 0) {
      added.foreign = "nothing";
      return;
    }
    const auto schema = schemas_.find(channel.schema);
    if (schema == schemas_.end())
      fail_damaged(fmt::format("channel {} is of schema {}, which is missing", in_quotes(channel.topic),
                               channel.schema));
    added.type = schema->second.name;
    if (schema->second.encoding == "ros2msg")
      added.definition = schema->second.data;
    else
      added.foreign = schema->second.encoding;
  }

  void count(const mcap::Message& message) {
    BagChannel& channel = channels_[place_of(message.channel)];
    if (channel.messages++ == 0) channel.first.assign(message.data.begin(), message.data.end());
    const auto time_ns = static_cast<std::int64_t>(message.time_ns);
    start_ns_ = messages_ == 0 ? time_ns : std::min(start_ns_, time_ns);
    ++messages_;
  }

  std::size_t place_of(std::uint16_t channel) const {
    if (channel >= places_.size() || !places_[channel])
      fail_damaged(fmt::format("a message of channel {}, which is missing", channel));
    return *places_[channel];
  }

  /// Chunks that have none of what is wanted, where an index tells.
  std::set<std::uint64_t> without(const std::vector<bool>& wanted) const {
    std::set<std::uint64_t> result;
    for (const mcap::ChunkIndex& chunk : summary_.chunks) {
      const auto& indexes = chunk.message_indexes;
      const bool needed =
          indexes.empty() || std::any_of(indexes.begin(), indexes.end(), [&](const auto& entry) {
            return entry.first >= places_.size() || !places_[entry.first] || wanted[*places_[entry.first]];
          });
      if (!needed) result.insert(chunk.offset);
    }
    return result;
  }

  ByteSource source_;
  BagOptions options_;
  Summary summary_;
  std::uint64_t end_of_data_ = source_.size();
  bool is_truncated_ = false;  ///< and the messages that are whole are wanted
  std::map<std::uint16_t, SchemaText> schemas_;
  std::map<std::uint16_t, std::uint16_t> schema_of_;  ///< by channel
  std::vector<std::optional<std::size_t>> places_;    ///< in channels_, by the file's number
};

}  // namespace

std::unique_ptr<BagFile> open_mcap(const fs::path& path, const BagOptions& options) {
  return std::make_unique<McapFile>(options, path);
}

std::unique_ptr<BagFile> open_mcap(std::string_view bytes, const std::string& name, const BagOptions& options) {
  return std::make_unique<McapFile>(options, bytes, name);
}

}  // namespace fathom::log::internal
