#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/log/csv_reader.hpp"
#include "fathom/log/csv_writer.hpp"
#include "fathom/log/internal/csv_header.hpp"
#include "fathom/log/test/channels.hpp"

namespace fathom::log::round_trip_test {
namespace {

using fathom::test::slurp;
using fathom::test::spill;
using fathom::test::TemporaryFolder;
using test::random_channel;
using test::same;

TEST(RoundTrip, KeepsEveryBit) {
  const TemporaryFolder folder;
  const Channel channel = random_channel(20000);
  const auto path = write_channel(folder.path(), channel);
  EXPECT_EQ(path, folder / "imu.csv");
  EXPECT_TRUE(same(read_channel(path), channel));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"imu.csv"});
}

TEST(RoundTrip, StreamingAndWholeWriterGiveTheSameBytes) {
  const TemporaryFolder folder;
  const Channel channel = random_channel(20000);  // more than one buffer
  CsvChannelWriter writer(folder.path(), channel.info);
  for (std::size_t k = 0; k < channel.size(); ++k) writer.append(channel.t[k], channel.row(k));
  EXPECT_EQ(writer.rows(), channel.size());
  writer.close();
  const std::string bytes = slurp(folder / "imu.csv");
  EXPECT_GT(bytes.size(), 1u << 20);
  EXPECT_EQ(bytes, channel_to_csv(channel));
}

TEST(RoundTrip, TheFileIsForPeople) {
  Channel channel;
  channel.info = {"dvl", "dvl_1", {{"u", "m/s"}, {"valid", ""}}, "beams 1 to 4\nseen from the sensor"};
  channel.append(0, std::vector<double>{0.25, 1});
  channel.append(0.2, std::vector<double>{std::numeric_limits<double>::quiet_NaN(), -0.0});
  EXPECT_EQ(
      channel_to_csv(channel),
      "# fathom log 1\n# channel: dvl\n# frame: dvl_1\n# about: beams 1 to 4\n# about: seen from the sensor\n"
      "t [s],u [m/s],valid\n0,0.25,1\n0.2,,-0\n");
}

TEST(RoundTrip, HeadersOfEveryShape) {
  for (const std::string about :
       {"", "one line", "two\nlines", "\n", " blanks ", "a\n\n b", "# about: x", "n\xc3\xa4he"})
    for (const std::string frame : {"n", "b", "none", "dvl-1"}) {
      Channel channel;
      channel.info = {"a.b-c_1", frame, {{"x y", "m/s\xc2\xb2"}, {"time", ""}, {"(z)", "1/s"}}, about};
      channel.append(-1, std::vector<double>{1, 2, 3});
      EXPECT_TRUE(same(parse_channel(channel_to_csv(channel), "x.csv"), channel)) << about;
    }
}

TEST(RoundTrip, ADatasetIsAFolder) {
  const TemporaryFolder folder;
  Dataset dataset;
  for (const std::string name : {"b", "a", "c"}) {
    Channel channel = random_channel(10, name[0]);
    channel.info.name = name;
    dataset.add(channel);
  }
  write_dataset(folder / "run", dataset);
  const Dataset again = read_dataset(folder / "run");
  ASSERT_EQ(again.channels().size(), 3u);
  EXPECT_EQ(again.channels()[0].info.name, "a");
  for (const Channel& channel : dataset.channels())
    EXPECT_TRUE(same(again.channel(channel.info.name), channel));
  EXPECT_TRUE(again.notes.empty());
}

TEST(RoundTrip, StreamingReaderGivesTheSameRows) {
  const TemporaryFolder folder;
  const Channel channel = random_channel(5000);
  CsvChannelReader reader(write_channel(folder.path(), channel));
  EXPECT_EQ(reader.info(), channel.info);
  EXPECT_FALSE(reader.foreign());
  Channel again;
  again.info = reader.info();
  while (reader.next()) again.append(reader.t(), reader.values());
  EXPECT_EQ(reader.line(), 5005);  // five lines of header
  EXPECT_TRUE(same(again, channel));
}

TEST(ColumnTitle, IsNameAndUnit) {
  EXPECT_EQ(internal::column_title({"u", "m/s"}), "u [m/s]");
  EXPECT_EQ(internal::column_title({"u", ""}), "u");
  EXPECT_EQ(internal::parse_column("u [m/s]"), (Column{"u", "m/s"}));
  EXPECT_EQ(internal::parse_column("  u[ m/s ] "), (Column{"u", "m/s"}));
  EXPECT_EQ(internal::parse_column("u v"), (Column{"u v", ""}));
  EXPECT_EQ(internal::parse_column("u []"), (Column{"u", ""}));
  using fathom::test::error_text;
  const std::string hint = " (write name [unit], such as u [m/s])";
  EXPECT_EQ(error_text([] { internal::parse_column("[m]"); }), "column '[m]': has no name" + hint);
  EXPECT_EQ(error_text([] { internal::parse_column(""); }), "column '': has no name" + hint);
  EXPECT_EQ(error_text([] { internal::parse_column("u [m"); }),
            "column 'u [m': the bracket is not closed at its end" + hint);
  EXPECT_EQ(error_text([] { internal::parse_column("u [m] x"); }),
            "column 'u [m] x': the bracket is not closed at its end" + hint);
  EXPECT_EQ(error_text([] { internal::parse_column("u [[m]]"); }),
            "column 'u [[m]]': has brackets inside" + hint);
  EXPECT_EQ(error_text([] { internal::parse_column("u]"); }), "column 'u]': has brackets inside" + hint);
}

}  // namespace
}  // namespace fathom::log::round_trip_test
