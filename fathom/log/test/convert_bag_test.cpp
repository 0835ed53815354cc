// Topics of a bag become channels, against the numbers that were written into it.
#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/log/convert.hpp"
#include "fathom/log/mcap_writer.hpp"

namespace fathom::log::convert_bag_test {
namespace {

using fathom::test::error_text;
using fathom::test::TemporaryFolder;

constexpr std::int64_t start_ns = 1'700'000'000'000'000'000;

/// Two channels: depth every 0.1 s from 0, velocity from 0.05 s on.
class Recorded : public testing::Test {
 protected:
  Recorded() {
    Dataset dataset;
    Channel depth{{"depth", "n", {{"depth", "cm"}}}, {}, {}},
        dvl{{"dvl", "b", {{"x", "m/s"}, {"y", "m/s"}, {"z", "m/s"}}}, {}, {}};
    for (int k = 0; k < 5; ++k) {
      depth.append(0.1 * k, std::vector<double>{100.0 + k});
      dvl.append(0.05 + 0.1 * k, std::vector<double>{1.0 * k, 2, -9999});
    }
    dataset.add(depth);
    dataset.add(dvl);
    write_mcap(folder_ / "dive.mcap", dataset, {.start_ns = start_ns});
  }
  Conversion converted(const std::string& channels) {
    const Description description =
        parse_description("format: fathom-description-1\nchannels:\n" + channels, "d.yaml");
    return convert(description, folder_ / "dive.mcap", sink_);
  }
  TemporaryFolder folder_;
  DatasetSink sink_;
};

TEST_F(Recorded, TopicsGiveChannels) {
  const Conversion conversion = converted(R"(  v:
    topic: /dvl
    invalid: [-9999]
    vectors: [{to: velocity, from: [x, y, z], axes: FLU}]
  d: {topic: /depth, columns: {depth: {from: depth, unit: cm}}}
  again: {topic: /depth, clock: {offset: 1}, columns: {depth: depth}}
)");
  EXPECT_EQ(conversion.zero_ns, start_ns);
  const Dataset dataset = std::move(sink_).dataset();
  const Channel &v = dataset.channel("v"), &d = dataset.channel("d");
  ASSERT_EQ(v.size(), 5u);
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_NEAR(d.t[k], 0.1 * static_cast<double>(k), 1e-9);
    EXPECT_NEAR(v.t[k], 0.05 + 0.1 * static_cast<double>(k), 1e-9);
    EXPECT_DOUBLE_EQ(d.row(k)[0], 1 + 0.01 * static_cast<double>(k));
    EXPECT_EQ(v.row(k)[0], static_cast<double>(k));
    EXPECT_EQ(v.row(k)[1], -2);
    EXPECT_TRUE(std::isnan(v.row(k)[2]));
  }
  EXPECT_NEAR(dataset.channel("again").t[2], 1.2, 1e-9);  // one topic, two channels
  EXPECT_EQ(conversion.channels[0].invalid_values, 5u);
}

TEST_F(Recorded, IsDescribedAsItIs) {
  const Bag bag(folder_ / "dive.mcap");
  const Description description = describe_bag(bag, "dive.mcap");
  convert(description, folder_ / "dive.mcap", sink_);
  const Dataset dataset = std::move(sink_).dataset();
  EXPECT_EQ(dataset.channel("depth").column("depth")[3], 103);
  EXPECT_EQ(dataset.channel("dvl").column("x")[4], 4);
}

TEST_F(Recorded, TellsWhatItDoesNotHave) {
  const std::string text = error_text([&] {
    converted(
        "  a: {topic: /dept, columns: {x: x}}\n  b: {topic: /dvl, columns: {x: xx}, clock: {column: "
        "header.stamp}}\n");
  });
  EXPECT_NE(text.find("d.yaml:3: channels.a.topic = '/dept', which"), std::string::npos) << text;
  EXPECT_NE(text.find("(did you mean /depth?)"), std::string::npos) << text;
  EXPECT_NE(text.find("d.yaml:4: channels.b.columns.x 'xx' is no column of /dvl (fathom_msgs/msg/Dvl)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("d.yaml:4: channels.b.clock 'header.stamp' is no column of /dvl"), std::string::npos)
      << text;
}

TEST(ReadBag, GivesChannelsBackAsTheyWere) {
  TemporaryFolder folder;
  Dataset dataset;
  Channel wrench{{"rov.wrench", "b", {{"N", "N"}, {"n", ""}, {"Z force", "N m"}}, "two\nlines"}, {}, {}};
  for (int k = 0; k < 4; ++k) wrench.append(2.5 + k / 7.0, std::vector<double>{0.1 * k, nan, -2e300});
  dataset.add(wrench);
  for (const std::int64_t start : {std::int64_t{0}, start_ns}) {
    write_mcap(folder / "a.mcap", dataset, {.start_ns = start});
    const Dataset again = read_bag(folder / "a.mcap");
    ASSERT_EQ(again.channels().size(), 1u);
    const Channel& channel = again.channels().front();
    EXPECT_EQ(channel.info, wrench.info);
    ASSERT_EQ(channel.size(), wrench.size());
    for (std::size_t k = 0; k < wrench.size(); ++k) {
      EXPECT_NEAR(channel.t[k], wrench.t[k], 1e-9);  // not from the first message
      EXPECT_EQ(channel.row(k)[0], wrench.row(k)[0]);
      EXPECT_TRUE(std::isnan(channel.row(k)[1]));
      EXPECT_EQ(channel.row(k)[2], -2e300);
    }
  }
}

}  // namespace
}  // namespace fathom::log::convert_bag_test
