#include <algorithm>
#include <ctime>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/log/bag.hpp"
#include "fathom/log/convert.hpp"
#include "fathom/log/internal/unpack.hpp"
#include "fathom/log/mcap_writer.hpp"
#include "fathom/log/test/channels.hpp"
#include "fathom/log/test/mcap_bytes.hpp"

namespace fathom::log::mcap_test {
namespace {

using fathom::test::error_text;
using fathom::test::slurp;
using fathom::test::spill;
using fathom::test::TemporaryFolder;
using namespace test;
using Rows = std::vector<std::vector<double>>;

Rows rows_of(const Bag& bag, std::size_t topic = 0) {
  Rows rows;
  const std::size_t wanted[] = {topic};
  bag.read(wanted,
           [&](std::size_t, std::span<const double> row) { rows.emplace_back(row.begin(), row.end()); });
  return rows;
}

/// A failure when it is opened or when it is read.
std::string rejection(const std::string& bytes, const BagOptions& options = {}) {
  return error_text([&] {
    const Bag bag(bytes, "x.mcap", options);
    rows_of(bag);
  });
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Crc32, IsThatOfZlib) {
  const auto crc = [](std::string_view text, std::uint32_t before = 0) {
    return internal::crc32(std::as_bytes(std::span(text)), before);
  };
  EXPECT_EQ(crc("123456789"), 0xcbf43926u);  // the check value of the CRC catalogue
  EXPECT_EQ(crc(""), 0u);
  EXPECT_EQ(crc("The quick brown fox jumps over the lazy dog"), 0x414fa339u);
  const std::string text = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (std::size_t k = 0; k <= text.size(); ++k)
    EXPECT_EQ(crc(std::string_view(text).substr(k), crc(std::string_view(text).substr(0, k))), crc(text));
}

TEST(Mcap, IsReadWithoutASummary) {
  const std::string file = mcap_file(mcap_numbers()
                                         .record(5, mcap_message(7, 2'000'000'001, 1.5))
                                         .record(5, mcap_message(7, 2'500'000'001, 2)));
  const Bag bag(file, "x.mcap");
  ASSERT_EQ(bag.topics().size(), 1u);
  EXPECT_EQ(bag.topics()[0].name, "/x");
  EXPECT_EQ(bag.topics()[0].columns, (std::vector<std::string>{"receive_time", "data"}));
  EXPECT_EQ(bag.topics()[0].messages, 2u);
  EXPECT_EQ(bag.start_ns(), 2'000'000'001);
  EXPECT_EQ(rows_of(bag), (Rows{{0, 1.5}, {0.5, 2}}));
}

TEST(Mcap, WithoutChunksHasACrcOfAll) {
  const McapBytes records = mcap_numbers().record(5, mcap_message(7, 1, 1.5));
  const std::string plain = mcap_file(records);
  const std::string_view data = std::string_view(plain).substr(0, plain.size() - 13 - 29 - 8);
  const std::uint32_t crc = internal::crc32(std::as_bytes(std::span(data)));
  EXPECT_EQ(rejection(mcap_file(records, crc)), "(nothing was thrown)");
  EXPECT_TRUE(has(rejection(mcap_file(records, crc ^ 1)), "its data have CRC"));
}

TEST(Mcap, StepsOverWhatItDoesNotKnow) {
  McapBytes chunk, odd;
  odd.raw("anything");
  chunk.record(0x80, odd).record(5, mcap_message(7, 1, 3)).record(9, odd);
  const std::string file =
      mcap_file(mcap_numbers().record(0xff, odd).record(6, mcap_chunk(chunk)).record(9, odd));
  EXPECT_EQ(rows_of(Bag(file, "x.mcap")), (Rows{{0, 3}}));
}

TEST(Mcap, CountsWhatItCannotDecode) {
  McapBytes records = mcap_numbers();
  records.record(3, mcap_schema(2, "some.Proto", "protobuf", "?"))
      .record(3, mcap_schema(3, "a_msgs/msg/A", "ros2msg", "nonsense"))
      .record(4, mcap_channel(1, 2, "/proto", "protobuf"))
      .record(4, mcap_channel(2, 3, "/bad"))
      .record(4, mcap_channel(3, 0, "/json", "json"))
      .record(4, mcap_channel(4, 2, "/x"));
  for (const int channel : {7, 1, 2, 3, 4, 7})
    records.record(5, mcap_message(static_cast<std::uint16_t>(channel), 1, 1));
  const std::string file = mcap_file(records);
  const Bag bag(file, "x.mcap");
  ASSERT_EQ(bag.topics().size(), 4u);
  EXPECT_EQ(bag.topics()[0].why_not,
            "definition of a_msgs/A:1: has a field without a name: 'nonsense' (expected lines such as "
            "float64[3] velocity)");
  EXPECT_EQ(bag.topics()[1].why_not, "its messages are encoded as 'json', not as cdr");
  EXPECT_EQ(bag.topics()[2].why_not, "its messages are encoded as 'protobuf', not as cdr");
  EXPECT_EQ(rows_of(bag, 3).size(), 2u);
  ASSERT_EQ(bag.notes().size(), 4u);
  EXPECT_EQ(bag.notes()[2].text(),
            "x.mcap: /proto 1 messages of some.Proto are left out: its messages are encoded as 'protobuf', not "
            "as cdr");
  EXPECT_EQ(bag.notes()[3].message,
            "1 messages are left out: they are not of std_msgs/msg/Float64 as the first is");
}

TEST(Mcap, RefusesWhatIsNone) {
  EXPECT_TRUE(has(rejection(""), "x.mcap: is empty"));
  EXPECT_EQ(rejection("# ROSBAG V2.0\n"),
            "x.mcap: is no MCAP file (one begins with the bytes 89 4d 43 41 50 30 0d 0a)");
  EXPECT_TRUE(has(rejection(mcap_file(mcap_numbers())), "x.mcap: holds no messages"));
}

TEST(Mcap, RefusesATruncatedFileUnlessAsked) {
  McapBytes records = mcap_numbers();
  for (std::uint64_t k = 1; k <= 10; ++k) records.record(5, mcap_message(7, k, 0.5));
  std::string file = mcap_beginning(records);
  file.resize(file.size() - 3);
  EXPECT_TRUE(has(rejection(file), "is truncated: its end is missing, 9 whole messages are in the"));
  EXPECT_TRUE(has(rejection(file),
                  "(copy it again, or read the messages that are whole: fathom convert --allow-truncated)"));
  const Bag bag(file, "x.mcap", {.allow_truncated = true});
  EXPECT_EQ(rows_of(bag).size(), 9u);
  ASSERT_EQ(bag.notes().size(), 1u);
  EXPECT_TRUE(has(bag.notes()[0].message, "9 whole messages were recovered"));
}

TEST(Mcap, RefusesDamageWithItsPlace) {
  McapBytes good, longer, orphan;
  good.record(5, mcap_message(7, 1, 3));
  longer << std::uint8_t{5} << std::uint64_t{1000};
  orphan.record(5, mcap_message(8, 1, 3));
  McapBytes huge = mcap_chunk(good);
  const std::uint64_t size = std::uint64_t{1} << 40;
  std::memcpy(huge.bytes.data() + 16, &size, 8);
  const auto in_chunk = [](const McapBytes& chunk) {
    return rejection(mcap_file(mcap_numbers().record(6, chunk)));
  };
  EXPECT_TRUE(has(in_chunk(mcap_chunk(longer)), "is damaged at byte"));
  EXPECT_TRUE(has(in_chunk(mcap_chunk(longer)), "a record in this chunk is longer than the chunk"));
  EXPECT_TRUE(has(in_chunk(mcap_chunk(orphan)), "a message of channel 8, which is missing"));
  EXPECT_TRUE(has(in_chunk(mcap_chunk(good, "", 77)), "should be 0000004d"));
  EXPECT_TRUE(has(in_chunk(mcap_chunk(good, "lzma")), "unknown compression 'lzma'"));
  EXPECT_TRUE(has(in_chunk(mcap_chunk(good, "lz4")), "a chunk that cannot be unpacked"));
  EXPECT_TRUE(has(in_chunk(mcap_chunk(good, "zstd")), "a chunk that cannot be unpacked"));
  EXPECT_TRUE(has(in_chunk(huge), "a chunk of 1099511627776 bytes, at most 2^30 are read"));
  EXPECT_TRUE(has(rejection(mcap_file(McapBytes(mcap_numbers()).raw(longer.bytes))),
                  "is damaged: a record is longer than the file"));
}

Dataset two_channels(std::size_t rows) {
  Dataset dataset;
  dataset.add(random_channel(rows));
  Channel depth = random_channel(rows / 2, 7);
  depth.info = {"auv.depth", "n", {{"Z", "m"}, {"z", "m"}, {"2nd value", ""}}, "two\nlines"};
  for (double& t : depth.t) t += 0.0031;
  dataset.add(depth);
  return dataset;
}

class McapWriterTest : public testing::TestWithParam<McapOptions::Compression> {};

TEST_P(McapWriterTest, KeepsEveryBit) {
  const TemporaryFolder folder;
  const Dataset dataset = two_channels(2000);
  const McapOptions options{GetParam(), 1 << 14, 1'700'000'000'000'000'000};
  write_mcap(folder / "new/run.mcap", dataset, options);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "new"), {}), 1);
  const Bag bag(folder / "new/run.mcap");
  EXPECT_EQ(bag.start_ns(), options.start_ns);
  ASSERT_EQ(bag.topics().size(), 2u);
  EXPECT_EQ(bag.topics()[0].name, "/auv.depth");
  EXPECT_EQ(bag.topics()[0].type, "fathom_msgs/msg/AuvDepth");
  EXPECT_EQ(bag.topics()[0].columns,
            (std::vector<std::string>{"receive_time", "stamp", "z", "z_2", "column_2nd_value"}));
  for (std::size_t k = 0; k < 2; ++k) {
    const Channel& channel = dataset.channels()[1 - k];
    std::vector<double> t, values;
    for (const std::vector<double>& row : rows_of(bag, k)) {
      EXPECT_EQ(row[0], row[1]);
      t.push_back(row[1]);
      values.insert(values.end(), row.begin() + 2, row.end());
    }
    EXPECT_TRUE(same(values, channel.values));
    ASSERT_EQ(t.size(), channel.size());
    for (std::size_t j = 0; j < t.size(); ++j) EXPECT_NEAR(t[j], channel.t[j], 0.51e-9);
  }
}

TEST_P(McapWriterTest, AFlippedBitIsNoticed) {
  const TemporaryFolder folder;
  write_mcap(folder / "a.mcap", two_channels(40), {GetParam(), 1 << 10});
  const std::string whole = slurp(folder / "a.mcap");
  const Rows rows = rows_of(Bag(whole, "a.mcap"));
  std::size_t noticed = 0, tried = 0;
  for (std::size_t k = 0; k < whole.size(); k += 13) {
    std::string flipped = whole;
    flipped[k] = static_cast<char>(flipped[k] ^ 4);
    ++tried;
    try {
      const Bag bag(flipped, "a.mcap");
      const Rows again = rows_of(bag);
      // The bit was in a text, a time of a chunk or an index that nobody needs: the numbers are the same.
      ASSERT_EQ(again.size(), rows.size()) << k;
      for (std::size_t j = 0; j < rows.size(); ++j) EXPECT_TRUE(same(again[j], rows[j])) << k;
    } catch (const InputError&) {
      ++noticed;
    }
  }
  EXPECT_GT(noticed, tried / 3);
}

TEST_P(McapWriterTest, EveryCutIsToldAndWhatIsWholeIsRead) {
  const TemporaryFolder folder;
  write_mcap(folder / "a.mcap", two_channels(40), {GetParam(), 1 << 10});
  const std::string whole = slurp(folder / "a.mcap");
  const Rows rows = rows_of(Bag(whole, "a.mcap"), 1);
  std::size_t last = 0;
  for (std::size_t size = 8; size < whole.size(); size += 17) {
    const std::string cut = whole.substr(0, size);
    ASSERT_TRUE(has(rejection(cut), "is truncated")) << size;
    try {
      const Rows again = rows_of(Bag(cut, "a.mcap", {.allow_truncated = true}), 1);
      ASSERT_GE(again.size(), last);
      last = again.size();
      for (std::size_t j = 0; j < last; ++j) EXPECT_TRUE(same(again[j], rows[j]));
    } catch (const InputError& error) {
      EXPECT_TRUE(has(error.what(), "holds no messages")) << error.what();
    }
  }
  EXPECT_EQ(last, rows.size());
}

TEST_P(McapWriterTest, RecoversWholeMessagesOfTheChunkThatTheEndCutsOff) {
  const TemporaryFolder folder;
  Dataset dataset;
  dataset.add(random_channel(40'000));
  write_mcap(folder / "a.mcap", dataset, {GetParam(), std::size_t{1} << 30});  // one chunk
  const std::string whole = slurp(folder / "a.mcap");
  const Rows rows = rows_of(Bag(whole, "a.mcap"));
  const std::string cut = whole.substr(0, whole.size() / 2);
  const Bag bag(cut, "a.mcap", {.allow_truncated = true});
  const Rows again = rows_of(bag);
  EXPECT_GT(again.size(), rows.size() / 5);
  EXPECT_EQ(again.size(), bag.topics().front().messages);
  for (std::size_t j = 0; j < again.size(); ++j) ASSERT_TRUE(same(again[j], rows[j])) << j;
}

/// Time grows with the number of topics, not with its square. Processor time: other programs do not count.
TEST(McapWriterLong, ManyTopicsTakeLinearTime) {
  const TemporaryFolder folder;
  const auto time_for = [&](int topics) {
    Dataset dataset;
    for (int k = 0; k < topics; ++k) {
      Channel channel;
      channel.info = {fmt::format("topic_{:05}", k), "", {{"x", "m"}}, ""};
      channel.append(0, std::vector<double>{1});
      dataset.add(std::move(channel));
    }
    write_mcap(folder / "many.mcap", dataset, {});
    const std::clock_t begin = std::clock();
    const Bag bag(folder / "many.mcap");
    NoSink sink;
    const Description description = describe_bag(bag, "many.mcap");
    EXPECT_EQ(convert(description, folder / "many.mcap", sink).channels.size(),
              static_cast<std::size_t>(topics));
    return static_cast<double>(std::clock() - begin);
  };
  time_for(500);  // warms up
  const double few = std::min(time_for(1000), time_for(1000));
  EXPECT_LT(std::min(time_for(8000), time_for(8000)), 24 * few);  // squared: 64
}

INSTANTIATE_TEST_SUITE_P(Compressions, McapWriterTest,
                         testing::Values(McapOptions::Compression::none, McapOptions::Compression::lz4,
                                         McapOptions::Compression::zstd));

TEST(McapWriter, RefusesTimesThatRosCannotSay) {
  const TemporaryFolder folder;
  for (const double t : {-1.0, 3e9}) {
    Dataset dataset;
    Channel channel = random_channel(1);
    channel.t[0] = t;
    dataset.add(channel);
    EXPECT_TRUE(
        has(error_text([&] { write_mcap(folder / "a.mcap", dataset); }), "is not between 1970 and 2038"));
  }
  EXPECT_TRUE(folder.names().empty());
}

TEST(McapWriter, LeavesWhatWasThereWhenItCannotWrite) {
  const TemporaryFolder folder;
  spill(folder / "file", "text");
  EXPECT_TRUE(has(error_text([&] { write_mcap(folder / "file/a.mcap", two_channels(4)); }), "cannot be made"));
  std::filesystem::create_directory(folder / "a.mcap");
  EXPECT_TRUE(has(error_text([&] { write_mcap(folder / "a.mcap", two_channels(4)); }), "cannot be replaced"));
  EXPECT_EQ(folder.names().size(), 2u);
}

TEST(Mcap, LeavesChunksOutThatHaveNothingWanted) {
  const TemporaryFolder folder;
  Dataset dataset = two_channels(400);
  Channel late = random_channel(400, 9);
  late.info.name = "late";
  for (double& t : late.t) t += 1000;
  dataset.add(late);
  write_mcap(folder / "a.mcap", dataset, {McapOptions::Compression::zstd, 1 << 10});
  std::string bytes = slurp(folder / "a.mcap");
  const std::size_t place = bytes.find("\x28\xb5\x2f\xfd");  // the first chunk, of which `late` needs nothing
  bytes[place + 20] = static_cast<char>(bytes[place + 20] ^ 1);
  const auto without_first = [&] {
    const Bag bag(bytes, "a.mcap");
    return rows_of(bag, 2).size();
  };
  // The survey looks at the chunk with the first messages.
  EXPECT_TRUE(has(error_text([&] { without_first(); }), "is damaged at byte"));
  const std::size_t second = bytes.find("\x28\xb5\x2f\xfd", place + 4);
  bytes[place + 20] = static_cast<char>(bytes[place + 20] ^ 1);
  bytes[second + 20] = static_cast<char>(bytes[second + 20] ^ 1);
  EXPECT_EQ(without_first(), 400u);
  EXPECT_TRUE(has(rejection(bytes), "is damaged at byte"));
}

}  // namespace
}  // namespace fathom::log::mcap_test
