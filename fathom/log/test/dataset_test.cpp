#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/log/quality.hpp"
#include "fathom/log/test/channels.hpp"

namespace fathom::log::dataset_test {
namespace {

using fathom::test::error_text;

Channel small_channel() {
  Channel channel;
  channel.info = test::small_info();
  channel.append(0, std::vector<double>{1, 2, 3});
  channel.append(0.5, std::vector<double>{4, 5, 6});
  return channel;
}

TEST(Channel, RowsAndColumns) {
  const Channel channel = small_channel();
  EXPECT_EQ(channel.size(), 2u);
  EXPECT_EQ(channel.row(1)[2], 6);
  EXPECT_EQ(channel.column("v"), Eigen::Vector2d(2, 5));
  EXPECT_EQ(channel.column("v").data(), channel.values.data() + 1);  // no copy
  EXPECT_EQ(channel.matrix()(1, 0), 4);
}

TEST(Channel, UnknownColumn) {
  const Channel channel = small_channel();
  EXPECT_EQ(error_text([&] { channel.column("conut"); }),
            "channel 'imu' has no column 'conut' (did you mean count?)");
  EXPECT_EQ(error_text([&] { channel.column("pressure"); }),
            "channel 'imu' has no column 'pressure' (it has u, v, count)");
}

TEST(Channel, RowOfAnotherSize) {
  Channel channel = small_channel();
  EXPECT_EQ(error_text([&] { channel.append(1, std::vector<double>{1}); }),
            "channel 'imu': a row has 1 values, expected 3");
  EXPECT_EQ(channel.size(), 2u);
}

TEST(Dataset, FindsByName) {
  Dataset dataset;
  EXPECT_EQ(error_text([&] { dataset.channel("imu"); }), "the dataset has no channel 'imu' (it has none)");
  dataset.add(small_channel());
  EXPECT_TRUE(dataset.has("imu"));
  EXPECT_FALSE(dataset.has("dvl"));
  EXPECT_EQ(dataset.channel("imu").size(), 2u);
  EXPECT_EQ(error_text([&] { dataset.channel("imv"); }),
            "the dataset has no channel 'imv' (did you mean imu?)");
  EXPECT_EQ(error_text([&] { dataset.channel("depth"); }), "the dataset has no channel 'depth' (it has imu)");
  EXPECT_EQ(error_text([&] { dataset.add(small_channel()); }),
            "two channels are called 'imu' (each needs a name of its own)");
  Channel broken = small_channel();
  broken.info.name = "dvl";
  broken.values.pop_back();
  EXPECT_EQ(error_text([&] { dataset.add(broken); }),
            "channel 'dvl' has 2 times and 5 values, expected 6 values (append() keeps them together)");
}

TEST(Quality, CountsAndRepairsNothing) {
  Channel channel;
  channel.info = test::small_info();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto add = [&](double t, double u, double v) { channel.append(t, std::vector<double>{u, v, 0}); };
  add(0, 1, 2);
  add(0.1, 2, 2);
  add(0.2, 2, nan);
  add(0.3, 2, nan);  // repeated row
  add(0.3, 3, 2);    // repeated time
  add(0.5, 4, 2);    // gap: one lost sample
  add(0.6, 5, 2);
  add(0.05, 6, 2);  // clock steps back
  add(0.15, -0.0, 0);
  add(0.25, 0.0, 0);  // not the same bits
  const Channel before = channel;
  const Quality quality = quality_of(channel);
  EXPECT_TRUE(test::same(before, channel));
  EXPECT_EQ(quality.rows, 10u);
  EXPECT_NEAR(quality.median_step, 0.1, 1e-12);
  EXPECT_NEAR(quality.longest_step, 0.2, 1e-12);
  EXPECT_EQ(quality.gaps, 1u);
  EXPECT_EQ(quality.repeated_times, 1u);
  EXPECT_EQ(quality.repeated_rows, 1u);
  EXPECT_EQ(quality.clock_steps_back, 1u);
  EXPECT_EQ(quality.missing_values, 2u);
  EXPECT_EQ(quality.text(),
            "10 rows, median step 0.1 s, 1 gaps (longest 0.2 s), 1 repeated times, 1 repeated rows, "
            "1 clock steps back, 2 missing values");
  EXPECT_EQ(quality_of(channel, {.gap_factor = 2.5}).gaps, 0u);
}

/// Steps of .1 and .2 s in turn: the median is one of them, the mean rate lies between.
TEST(Quality, RateIsTheMeanOne) {
  Channel channel;
  channel.info = test::small_info();
  double t = 0;
  for (int k = 0; k < 101; ++k) {
    channel.append(t, std::vector<double>{1.0 * k, 2, 3});
    t += k % 5 < 2 ? 0.1 : 0.2;
  }
  EXPECT_NEAR(quality_of(channel).rate(), 1 / 0.16, 1e-9);
}

TEST(Quality, OfAChannelThatIsFineOrTiny) {
  Channel channel;
  channel.info = test::small_info();
  EXPECT_EQ(quality_of(channel).text(), "0 rows");
  channel.append(1, std::vector<double>{1, 2, 3});
  EXPECT_EQ(quality_of(channel).text(), "1 rows");
  EXPECT_EQ(quality_of(test::random_channel(50)).gaps, 0u);
}

TEST(Quality, ChecksItsOptions) {
  EXPECT_EQ(error_text([] { quality_of({}, {.gap_factor = 0.5}); }),
            "gap_factor = 0.5, must be >= 1 and finite (1.5 sees a single lost sample)");
  EXPECT_THROW(quality_of({}, {.gap_factor = std::nan("")}), InputError);
}

}  // namespace
}  // namespace fathom::log::dataset_test
