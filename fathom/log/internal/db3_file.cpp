#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <new>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "fathom/base/file.hpp"
#include "fathom/log/internal/bag_file.hpp"

namespace fathom::log::internal {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_truncated_bytes = std::size_t{1} << 30;

/// What the first page of the file says about it.
struct Announced {
  std::uint64_t page_bytes = 0;
  std::uint64_t pages = 0;  ///< 0: it does not say
};

/// Nothing where the file does not begin as one of SQLite.
std::optional<Announced> announced(const fs::path& path) {
  std::array<unsigned char, 100> head{};
  std::ifstream stream(path, std::ios::binary);
  stream.read(reinterpret_cast<char*>(head.data()), head.size());
  constexpr std::string_view magic("SQLite format 3\0", 16);
  if (!std::equal(magic.begin(), magic.end(), head.begin())) return {};
  const auto big_endian = [&](std::size_t place) {
    return std::uint64_t{head[place]} << 24 | head[place + 1] << 16 | head[place + 2] << 8 | head[place + 3];
  };
  const std::uint64_t size = head[16] << 8 | head[17];
  const bool pages_are_said = big_endian(24) == big_endian(92);  // by a writer that keeps the count
  return Announced{size == 1 ? 65536 : std::max<std::uint64_t>(size, 512), pages_are_said ? big_endian(28) : 0};
}

/// A path in SQLite's way of writing one with options.
std::string sqlite_uri(const fs::path& path) {
  std::string uri = "file:";
  for (const char c : fs::absolute(path).string()) {
    if (c == '?' || c == '#' || c == '%')
      uri += fmt::format("%{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    else
      uri += c;
  }
  return uri + "?mode=ro&immutable=1";
}

class Statement {
 public:
  Statement(sqlite3* database, const char* sql) { sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  explicit operator bool() const { return statement_ != nullptr; }
  void bind(std::int64_t value) {
    sqlite3_reset(statement_);
    sqlite3_bind_int64(statement_, 1, value);
  }
  int step() { return sqlite3_step(statement_); }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  std::string text(int column) const {
    const auto* begin = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return begin ? std::string(begin, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)))
                 : std::string();
  }
  std::span<const std::byte> blob(int column) const {
    const auto* begin = static_cast<const std::byte*>(sqlite3_column_blob(statement_, column));
    return {begin, begin ? static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)) : 0};
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};

class Db3File final : public BagFile {
 public:
  Db3File(const fs::path& path, const BagOptions& options) : path_(path), options_(options) {
    check_size();
    open();
    read_topics();
    read_definitions();
    survey();
  }

  void read(const std::vector<bool>& wanted, const Sink& sink) const override {
    Statement rows(database_.get(), "SELECT topic_id, timestamp, data FROM messages ORDER BY id");
    std::size_t seen = 0;
    while (seen < messages_ && rows.step() == SQLITE_ROW) {
      const std::optional<std::size_t> channel = channel_of(rows.integer(0));
      if (!channel) continue;
      ++seen;
      if (wanted[*channel]) sink(*channel, rows.integer(1), rows.blob(2));
    }
    if (seen < messages_)
      fail(fmt::format("is damaged after {} of {} messages: {}", seen, messages_,
                       sqlite3_errmsg(database_.get())),
           std::string(truncated_hint));
  }

 private:
  [[noreturn]] void fail(std::string message, std::string hint) const {
    reject(path_.string(), 0, "", std::move(message), std::move(hint));
  }

  /// SQLite tells of a missing end only when it comes there.
  void check_size() {
    std::error_code error;
    const std::uint64_t size = fs::file_size(path_, error);
    if (error) fail("cannot be read: " + error.message(), "check the path and its permissions");
    const std::optional<Announced> said = announced(path_);
    if (!said)
      fail(size == 0 ? "is empty" : "is no SQLite database", "a .db3 of rosbag2 begins with: SQLite format 3");
    page_bytes_ = said->page_bytes;
    truncated_ = size < said->page_bytes * std::max<std::uint64_t>(said->pages, 1);
    if (truncated_)
      fail_or_note(fmt::format("is truncated: it has {} of {} bytes", size, said->page_bytes * said->pages),
                   std::string(truncated_hint));
    const fs::path journal = path_.string() + "-wal";
    if (const auto waiting = fs::file_size(journal, error); !error && waiting > 0)
      fail_or_note(
          fmt::format("lacks what is still in {}: the recording was interrupted", journal.filename().string()),
          fmt::format("sqlite3 {} 'pragma wal_checkpoint(truncate)' brings it in", path_.filename().string()));
  }

  void fail_or_note(const std::string& message, const std::string& hint) {
    if (!options_.allow_truncated) fail(message, hint);
    notes_.push_back({Severity::warning, path_.string(), 0, "", message, ""});
  }

  void open() {
    const std::string name = truncated_ ? ":memory:" : sqlite_uri(path_);
    const int flags = truncated_ ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
    sqlite3* database = nullptr;
    const int result = sqlite3_open_v2(name.c_str(), &database, flags, nullptr);
    database_.reset(database);
    if (result != SQLITE_OK)
      fail(std::string("cannot be opened: ") + sqlite3_errstr(result), "check its permissions");
    sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);  // the file is anybody's
    if (truncated_) load_whole_pages();
  }

  /// Beyond the end of a file SQLite reads zeros, as if they had been measured. So a truncated one is read from
  /// memory, as a file that has only the pages that are whole: what refers to others is then an error.
  void load_whole_pages() {
    std::string bytes = read_file(path_, most_truncated_bytes);
    const std::size_t pages = bytes.size() / page_bytes_;
    if (pages == 0) fail("is truncated: not even its first page is whole", "copy it again");
    bytes.resize(pages * page_bytes_);
    bytes[18] = bytes[19] = 1;  // no write-ahead log, which memory cannot have
    for (int k = 0; k < 4; ++k) bytes[28 + k] = static_cast<char>(pages >> (24 - 8 * k));
    auto* copy = static_cast<unsigned char*>(sqlite3_malloc64(bytes.size()));
    if (!copy) throw std::bad_alloc();
    std::copy(bytes.begin(), bytes.end(), copy);
    sqlite3_deserialize(database_.get(), "main", copy, static_cast<sqlite3_int64>(bytes.size()),
                        static_cast<sqlite3_int64>(bytes.size()),
                        SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY);
  }

  void read_topics() {
    Statement topics(database_.get(), "SELECT id, name, type, serialization_format FROM topics ORDER BY id");
    if (!topics)
      fail(fmt::format("has no topics to read: {}", sqlite3_errmsg(database_.get())),
           "is it a recording of rosbag2? It has tables topics and messages");
    int result = topics.step();
    for (; result == SQLITE_ROW; result = topics.step()) {
      places_.emplace(topics.integer(0), channels_.size());
      channels_.push_back({topics.text(1), topics.text(2), topics.text(3), ""});
    }
    if (result != SQLITE_DONE)
      fail(fmt::format("is damaged: its list of topics cannot be read ({})", sqlite3_errmsg(database_.get())),
           "copy it again");
  }

  /// Recorders since ROS 2 Iron write them; a damaged table is as good as none.
  void read_definitions() {
    Statement rows(database_.get(),
                   "SELECT topic_type, encoding, encoded_message_definition FROM message_definitions");
    if (!rows) return;
    while (rows.step() == SQLITE_ROW)
      for (BagChannel& channel : channels_)
        if (channel.type == rows.text(0) && rows.text(1) == "ros2msg") channel.definition = rows.text(2);
  }

  /// Counts the messages; with their data only where some may be missing, because that takes as long as
  /// reading.
  void survey() {
    Statement rows(database_.get(), options_.allow_truncated
                                        ? "SELECT id, topic_id, timestamp, data FROM messages ORDER BY id"
                                        : "SELECT id, topic_id, timestamp FROM messages ORDER BY id");
    Statement data(database_.get(), "SELECT data FROM messages WHERE id = ?");
    if (!rows || !data)
      fail(fmt::format("has no messages to read: {}", sqlite3_errmsg(database_.get())),
           "is it a recording of rosbag2? It has tables topics and messages");
    std::size_t orphans = 0;
    int result = rows.step();
    for (; result == SQLITE_ROW; result = rows.step()) {
      const std::optional<std::size_t> channel = channel_of(rows.integer(1));
      if (!channel) {
        ++orphans;
        continue;
      }
      if (channels_[*channel].messages == 0 && !keep_first(data, rows.integer(0), *channel)) break;
      const std::int64_t time_ns = rows.integer(2);
      start_ns_ = messages_ == 0 ? time_ns : std::min(start_ns_, time_ns);
      ++messages_;
      ++channels_[*channel].messages;
    }
    if (orphans > 0)
      notes_.push_back({Severity::warning, path_.string(), 0, "",
                        fmt::format("{} messages belong to no topic and are left out", orphans), ""});
    if (result == SQLITE_DONE && truncated_)
      notes_.push_back({Severity::warning, path_.string(), 0, "",
                        fmt::format("{} whole messages were recovered", messages_), ""});
    if (result == SQLITE_DONE) return;
    fail_or_note(
        fmt::format("is damaged after {} whole messages: {}", messages_, sqlite3_errmsg(database_.get())),
        std::string(truncated_hint));
  }

  bool keep_first(Statement& data, std::int64_t id, std::size_t channel) {
    data.bind(id);
    if (data.step() != SQLITE_ROW) return false;
    const std::span<const std::byte> bytes = data.blob(0);
    channels_[channel].first.assign(bytes.begin(), bytes.end());
    return true;
  }

  std::optional<std::size_t> channel_of(std::int64_t topic_id) const {
    const auto found = places_.find(topic_id);
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }

  fs::path path_;
  BagOptions options_;
  std::unique_ptr<sqlite3, Close> database_;
  std::uint64_t page_bytes_ = 0;
  bool truncated_ = false;
  std::map<std::int64_t, std::size_t> places_;
};

}  // namespace

std::unique_ptr<BagFile> open_db3(const fs::path& path, const BagOptions& options) {
  return std::make_unique<Db3File>(path, options);
}

}  // namespace fathom::log::internal
