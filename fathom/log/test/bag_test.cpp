// Bags as rosbag2 makes them: .db3, folders, and real ones where FATHOM_DATA has them. The messages of every
// type are checked against rosbags in tests/oracle/check_bags.py.
#include "fathom/log/bag.hpp"

#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "fathom/base/test/data_folder.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/log/convert.hpp"
#include "fathom/log/test/mcap_bytes.hpp"

namespace fathom::log::bag_test {
namespace {

namespace fs = std::filesystem;
using fathom::test::error_text;
using fathom::test::slurp;
using fathom::test::spill;
using fathom::test::TemporaryFolder;
using Rows = std::vector<std::vector<double>>;

constexpr std::int64_t second_ns = 1'000'000'000;

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// A database with rosbag2's tables.
class Database {
 public:
  explicit Database(const fs::path& path) {
    sqlite3_open(path.c_str(), &database_);
    run("PRAGMA synchronous = OFF");  // no need to wait for the disk
    run("CREATE TABLE topics(id INTEGER PRIMARY KEY,name TEXT NOT NULL,type TEXT NOT NULL,serialization_format "
        "TEXT NOT "
        "NULL,offered_qos_profiles TEXT NOT NULL)");
    run("CREATE TABLE messages(id INTEGER PRIMARY KEY,topic_id INTEGER NOT NULL,timestamp INTEGER NOT NULL, "
        "data BLOB NOT "
        "NULL)");
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database() { sqlite3_close(database_); }

  void run(const std::string& sql) {
    char* error = nullptr;
    sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, &error);
    EXPECT_EQ(error, nullptr) << sql;
    sqlite3_free(error);
  }
  void topic(int id, const std::string& name, const std::string& type) {
    run(fmt::format("INSERT INTO topics VALUES({}, '{}', '{}', 'cdr', '')", id, name, type));
  }
  void message(int topic, std::int64_t time_ns, std::string_view bytes) {
    std::string hex;
    for (const char c : bytes)
      hex += fmt::format("{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    run(fmt::format("INSERT INTO messages(topic_id, timestamp, data) VALUES({}, {}, x'{}')", topic, time_ns,
                    hex));
  }
  void number(int topic, std::int64_t time_ns, double value) {
    char bytes[12] = {0, 1, 0, 0};
    std::memcpy(bytes + 4, &value, 8);
    message(topic, time_ns, {bytes, 12});
  }

 private:
  sqlite3* database_ = nullptr;
};

Rows rows_of(const Bag& bag, std::size_t topic) {
  Rows rows;
  const std::size_t wanted[] = {topic};
  bag.read(wanted,
           [&](std::size_t, std::span<const double> row) { rows.emplace_back(row.begin(), row.end()); });
  return rows;
}

void make_numbers(const fs::path& path, std::int64_t first_ns, int count) {
  Database database(path);
  database.run("BEGIN");
  database.topic(1, "/b", "std_msgs/msg/Float64");
  database.topic(2, "/a", "std_msgs/msg/Float64");
  for (int k = 0; k < count; ++k) database.number(1 + k % 2, first_ns + k * second_ns / 2, k);
  database.run("COMMIT");
}

TEST(Bag, ReadsADatabase) {
  const TemporaryFolder folder;
  make_numbers(folder / "x.db3", 1'747'231'140'228'790'891, 5);
  const Bag bag(folder / "x.db3");
  ASSERT_EQ(bag.topics().size(), 2u);
  EXPECT_EQ(bag.topics()[0].name, "/a");
  EXPECT_EQ(bag.topics()[0].messages, 2u);
  EXPECT_EQ(bag.topics()[1].type, "std_msgs/msg/Float64");
  EXPECT_EQ(bag.start_ns(), 1'747'231'140'228'790'891);
  EXPECT_EQ(rows_of(bag, 0), (Rows{{0.5, 1}, {1.5, 3}}));
  EXPECT_EQ(rows_of(bag, 1), (Rows{{0, 0}, {1, 2}, {2, 4}}));
  EXPECT_TRUE(bag.notes().empty());
}

TEST(Bag, ReadsSeveralTopicsInTheOrderOfTheFile) {
  const TemporaryFolder folder;
  make_numbers(folder / "x.db3", 0, 6);
  const std::size_t wanted[] = {1, 0, 1};
  std::vector<double> seen, again;
  const auto counts = Bag(folder / "x.db3").read(wanted, [&](std::size_t k, std::span<const double> row) {
    EXPECT_EQ(static_cast<int>(row[1]) % 2, static_cast<int>(k % 2));
    (k < 2 ? seen : again).push_back(row[1]);
  });
  EXPECT_EQ(again, (std::vector<double>{0, 2, 4}));
  EXPECT_EQ(seen, (std::vector<double>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(counts[0].rows, 3u);
}

TEST(Bag, IsAFolderOfParts) {
  const TemporaryFolder folder;
  make_numbers(folder / "bag_10.db3", 20 * second_ns, 2);
  make_numbers(folder / "bag_9.db3", 10 * second_ns, 2);
  spill(folder / "metadata.yaml", "rosbag2_bagfile_information:\n");
  test::McapBytes records = test::mcap_numbers();
  spill(folder / "bag_11.mcap", test::mcap_file(records.record(5, test::mcap_message(7, 30'000'000'000, 5))));
  const Bag bag(folder.path());
  ASSERT_EQ(bag.topics().size(), 3u);
  EXPECT_EQ(bag.start_ns(), 10 * second_ns);
  EXPECT_EQ(rows_of(bag, 1), (Rows{{0, 0}, {10, 0}}));
  EXPECT_EQ(rows_of(bag, 2), (Rows{{20, 5}}));
}

TEST(Bag, TellsWhatItLeavesOut) {
  const TemporaryFolder folder;
  make_numbers(folder / "x.db3", 0, 3);
  {
    Database database(folder / "y.db3");
    database.topic(1, "/unknown", "brov_msgs/msg/Control");
    database.topic(2, "/silent", "brov_msgs/msg/Other");
    database.topic(3, "/a", "std_msgs/msg/Int8");
    database.topic(4, "/packed", "std_msgs/msg/Float64");
    database.topic(5, "/mixed", "std_msgs/msg/Float64");
    database.number(1, 5, 1);
    database.number(1, 6, 1);
    database.message(3, 7, std::string_view("\0\1\0\0\5", 5));
    database.message(4, 8, "\x28\xb5\x2f\xfd zstd");
    database.number(5, 9, 2);
    database.message(5, 10, std::string_view("\0\1\0\0\0", 5));
    database.number(99, 11, 1);
  }
  const Bag bag(folder.path());
  std::vector<std::string> notes;
  for (const Finding& note : bag.notes()) notes.push_back(note.key + ": " + note.message);
  ASSERT_EQ(notes.size(), 4u);
  EXPECT_EQ(notes[0], ": 1 messages belong to no topic and are left out");
  EXPECT_EQ(notes[1], "/a: 1 messages are left out: they are not of std_msgs/msg/Float64 as the first is");
  EXPECT_TRUE(
      has(notes[2],
          "/packed: 1 messages of std_msgs/msg/Float64 are left out: its first message begins with 28 b5"));
  EXPECT_TRUE(
      has(notes[3],
          "/unknown: 2 messages of brov_msgs/msg/Control are left out: the file has no definition of it"));
  const std::size_t mixed[] = {2}, unknown[] = {5}, none[] = {77};
  ASSERT_EQ(bag.topics()[2].name, "/mixed");
  const auto counts = bag.read(mixed, [](std::size_t, std::span<const double> row) { EXPECT_EQ(row[1], 2); });
  EXPECT_EQ(counts[0].rows, 1u);
  EXPECT_EQ(counts[0].unreadable, 1u);
  const auto nothing = [](std::size_t, std::span<const double>) {};
  ASSERT_EQ(bag.topics()[5].name, "/unknown");
  EXPECT_TRUE(has(error_text([&] { bag.read(unknown, nothing); }),
                  "/unknown cannot be decoded: the file has no definition"));
  EXPECT_TRUE(has(error_text([&] { bag.read(none, nothing); }), "wanted topic 77 of 6"));
}

TEST(Bag, TakesDefinitionsOfItsUser) {
  const TemporaryFolder folder;
  {
    Database database(folder / "x.db3");
    database.topic(1, "/rc", "brov_msgs/msg/StampedRc");
    database.message(1, 9 * second_ns,
                     std::string_view("\0\1\0\0\x07\0\0\0\0\0\0\0\1\0\0\0\0\0\xdc\5\xff\xff", 22));
  }
  const Bag bag(folder / "x.db3",
                {.definitions = {{"brov_msgs/msg/StampedRc", "std_msgs/Header header\nuint16[2] channels"}}});
  EXPECT_EQ(bag.topics()[0].columns,
            (std::vector<std::string>{"receive_time", "header.stamp", "channels[0]", "channels[1]"}));
  EXPECT_EQ(rows_of(bag, 0), (Rows{{0, -2, 1500, 65535}}));

  DatasetSink sink;
  convert(parse_description("format: fathom-description-1\n"
                            "messages:\n"
                            "  brov_msgs/msg/StampedRc: |\n"
                            "    std_msgs/Header header\n"
                            "    uint16[2] channels\n"
                            "channels:\n"
                            "  rc: {topic: /rc, columns: {throttle: \"channels[0]\"}}\n",
                            "d.yaml"),
          folder / "x.db3", sink);
  EXPECT_EQ(std::move(sink).dataset().channel("rc").values, std::vector<double>{1500});
}

TEST(Bag, TakesDefinitionsOfTheDatabase) {
  const TemporaryFolder folder;
  {
    Database database(folder / "x.db3");
    database.topic(1, "/x", "my_msgs/msg/Pair");
    database.run(
        "CREATE TABLE message_definitions(id INTEGER PRIMARY KEY, topic_type TEXT, encoding TEXT, "
        "encoded_message_definition TEXT, type_description_hash TEXT)");
    database.run(
        "INSERT INTO message_definitions VALUES(1, 'my_msgs/msg/Pair', 'ros2msg', 'int8 a\nint8 b', '')");
    database.message(1, 0, std::string_view("\0\1\0\0\5\xfb", 6));
  }
  EXPECT_EQ(rows_of(Bag(folder / "x.db3"), 0), (Rows{{0, 5, -5}}));
}

std::string rejection(const fs::path& path, const BagOptions& options = {}) {
  return error_text([&] { Bag(path, options); });
}

TEST(Bag, RefusesWhatIsNone) {
  const TemporaryFolder folder;
  EXPECT_TRUE(has(rejection(folder / "missing.db3"), "does not exist"));
  EXPECT_TRUE(has(rejection(folder.path()), "holds neither .db3 nor .mcap"));
  spill(folder / "x.txt", "text");
  EXPECT_TRUE(has(rejection(folder / "x.txt"), "is no bag by its name"));
  spill(folder / "x.bag", "#ROSBAG V2.0");
  EXPECT_TRUE(has(rejection(folder / "x.bag"), "is a bag of ROS 1 (rosbags-convert"));
  spill(folder / "x.db3", "");
  EXPECT_TRUE(has(rejection(folder / "x.db3"), "is empty"));
  spill(folder / "x.db3", "no database at all");
  EXPECT_TRUE(has(rejection(folder / "x.db3"),
                  "is no SQLite database (a .db3 of rosbag2 begins with: SQLite format 3)"));
  spill(folder / "x.db3.zstd", "");
  EXPECT_TRUE(has(rejection(folder.path()), "is compressed as a whole (unpack it first: zstd -d x.db3.zstd)"));
}

TEST(Bag, RefusesADatabaseOfSomethingElse) {
  const TemporaryFolder folder;
  sqlite3* database = nullptr;
  sqlite3_open((folder / "x.db3").c_str(), &database);
  sqlite3_exec(database, "CREATE TABLE music(title TEXT)", nullptr, nullptr, nullptr);
  sqlite3_close(database);
  EXPECT_TRUE(has(rejection(folder / "x.db3"), "has no topics to read: no such table: topics"));
  { Database(folder / "y.db3").topic(1, "/a", "std_msgs/msg/Float64"); }
  EXPECT_TRUE(has(rejection(folder / "y.db3"), "holds no messages"));
}

TEST(Bag, NeverMakesUpNumbersForATruncatedDatabase) {
  const TemporaryFolder folder;
  make_numbers(folder / "whole.db3", 0, 2000);
  const std::string whole = slurp(folder / "whole.db3");
  std::size_t last = 0;
  for (std::size_t size = 100; size < whole.size(); size += 3331) {
    spill(folder / "cut.db3", whole.substr(0, size));
    EXPECT_TRUE(has(rejection(folder / "cut.db3"),
                    fmt::format("is truncated: it has {} of {} bytes", size, whole.size())));
    Rows rows;
    try {
      const Bag bag(folder / "cut.db3", {.allow_truncated = true});
      EXPECT_TRUE(has(bag.notes()[0].message, "is truncated"));
      rows = rows_of(bag, 1);
    } catch (const InputError& error) {
      EXPECT_LT(size, 20000u) << error.what();
    }
    EXPECT_GE(rows.size(), last);
    last = rows.size();
    for (std::size_t k = 0; k < rows.size(); ++k) EXPECT_EQ(rows[k][1], 2.0 * static_cast<double>(k));
  }
  EXPECT_GT(last, 900u);
}

TEST(Bag, TellsOfADamagedPage) {
  const TemporaryFolder folder;
  make_numbers(folder / "x.db3", 0, 2000);
  std::string bytes = slurp(folder / "x.db3");
  for (std::size_t k = bytes.size() / 2 / 4096 * 4096; k < bytes.size() / 2 / 4096 * 4096 + 4096; ++k)
    bytes[k] = '\x5a';
  spill(folder / "x.db3", bytes);
  EXPECT_TRUE(has(rejection(folder / "x.db3"), "whole messages: database disk image is malformed"));
  const Bag bag(folder / "x.db3", {.allow_truncated = true});
  EXPECT_TRUE(has(bag.notes()[0].message, "is damaged after"));
  EXPECT_EQ(rows_of(bag, 1).size(), bag.topics()[1].messages);
}

TEST(Bag, ReadsARecordingOfATank) {
  const fs::path folder = fathom::test::data_folder() / "rov_tank_teleop/rosbag2_2025_05_14-15_59_00";
  if (!fs::exists(folder))
    GTEST_SKIP() << "recordings are not part of the repository, and there is no " << folder
                 << ": FATHOM_DATA names their folder";
  const Bag bag(folder);
  std::vector<std::size_t> wanted;
  for (std::size_t k = 0; k < bag.topics().size(); ++k)
    if (bag.topics()[k].name == "/mavros/imu/data" || bag.topics()[k].name == "/mavros/rc/out")
      wanted.push_back(k);
  ASSERT_EQ(wanted.size(), 2u);
  const auto counts = bag.read(wanted, [](std::size_t k, std::span<const double> row) {
    EXPECT_NEAR(row[1], row[0], 0.5);  // stamped where it was received
    if (k == 0) {
      EXPECT_NEAR(std::hypot(row[2], row[3], std::hypot(row[4], row[5])), 1, 1e-6);  // a unit quaternion
      EXPECT_NEAR(std::hypot(row[27], row[28], row[29]), 9.8, 0.5);                  // at rest
    }
  });
  EXPECT_EQ(counts[0].rows, 259u);
  EXPECT_EQ(counts[0].unreadable + counts[1].unreadable, 0u);
  EXPECT_EQ(bag.topics()[wanted[0]].columns[27], "linear_acceleration.x");
  EXPECT_GE(bag.topics()[wanted[1]].columns.size(), 2u + 8u);
}

}  // namespace
}  // namespace fathom::log::bag_test
