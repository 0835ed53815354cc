#include "fathom/log/sink.hpp"

#include <gtest/gtest.h>

#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/log/csv_reader.hpp"

namespace fathom::log::sink_test {
namespace {

const ChannelInfo x_info{"x", "none", {{"x", ""}}, ""}, y_info{"y", "none", {{"y", ""}}, ""};

/// Two channels whose rows mix; one is closed before the other ends.
void fill(Sink& sink) {
  const std::size_t x = sink.open(x_info), y = sink.open(y_info);
  for (int k = 0; k < 3; ++k) {
    const double value = k;
    if (k < 2) sink.append(x, k, std::span(&value, 1));
    if (k == 2) sink.close(x);
    sink.append(y, 10 + k, std::span(&value, 1));
  }
}

void check(const Dataset& dataset) {
  ASSERT_EQ(dataset.channels().size(), 2u);
  EXPECT_EQ(dataset.channel("x").t, (std::vector<double>{0, 1}));
  EXPECT_EQ(dataset.channel("y").t, (std::vector<double>{10, 11, 12}));
  EXPECT_EQ(dataset.channel("y").values, (std::vector<double>{0, 1, 2}));
}

TEST(DatasetSink, KeepsChannelsThatAreOpenAtOnce) {
  DatasetSink sink;
  fill(sink);
  check(std::move(sink).dataset());
}

TEST(CsvSink, WritesEachFileWhenItsChannelCloses) {
  const fathom::test::TemporaryFolder folder;
  CsvSink sink(folder.path());
  PreviewSink preview(sink);
  fill(preview);
  EXPECT_TRUE(std::filesystem::exists(folder / "x.csv"));
  EXPECT_FALSE(std::filesystem::exists(folder / "y.csv"));
  sink.close();
  check(read_dataset(folder.path()));
}

TEST(PreviewSink, KeepsEvenlySpacedRowsInBoundedMemory) {
  NoSink nowhere;
  PreviewSink preview(nowhere, 100);
  const std::size_t channel = preview.open({"c", "none", {{"x", ""}}, ""});
  for (int k = 0; k < 12345; ++k) {
    const double x = 2.0 * k;
    preview.append(channel, k, std::span(&x, 1));
  }
  const Channel& kept = preview.channels()[channel];
  EXPECT_GE(kept.size(), 96u);
  EXPECT_LE(kept.size(), 200u);
  const double stride = kept.t[1] - kept.t[0];
  EXPECT_EQ(static_cast<double>(preview.stride(channel)), stride);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    EXPECT_EQ(kept.t[k], static_cast<double>(k) * stride);
    EXPECT_EQ(kept.row(k)[0], 2 * kept.t[k]);
  }
}

}  // namespace
}  // namespace fathom::log::sink_test
