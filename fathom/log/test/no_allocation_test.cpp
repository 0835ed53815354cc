// Logging and reading take no memory from the heap per row, so a long run needs no more than a short one.

#include <gtest/gtest.h>

#include "fathom/base/test/count_allocations.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/log/bag.hpp"
#include "fathom/log/csv_reader.hpp"
#include "fathom/log/csv_table.hpp"
#include "fathom/log/csv_writer.hpp"
#include "fathom/log/test/channels.hpp"
#include "fathom/log/test/mcap_bytes.hpp"

namespace fathom::log::no_allocation_test {
namespace {

using fathom::test::allocations;

TEST(NoAllocation, TwoMillionRowsWrittenAndRead) {
  const fathom::test::TemporaryFolder folder;
  constexpr int rows = 2000000;
  CsvChannelWriter writer(folder.path(), test::small_info());
  const long before = allocations;
  for (int k = 0; k < rows; ++k) {
    const double x = 0.001 * k;
    writer.append(x, std::array<double, 3>{x * x, 1 / (1 + x), -x});
  }
  EXPECT_EQ(allocations - before, 0);
  writer.close();

  CsvChannelReader reader(folder / "imu.csv");
  const long before_reading = allocations;
  int count = 0;
  bool same = true;
  for (; reader.next(); ++count) {
    const double x = 0.001 * count;
    same = same && reader.t() == x && reader.values()[0] == x * x && reader.values()[1] == 1 / (1 + x);
  }
  EXPECT_EQ(allocations - before_reading, 0);
  EXPECT_EQ(count, rows);
  EXPECT_TRUE(same);
}

long allocations_for(std::uint64_t messages) {
  test::McapBytes records = test::mcap_numbers();
  for (std::uint64_t k = 0; k < messages; ++k) records.record(5, test::mcap_message(7, k, 1));
  const std::string file = test::mcap_file(records);
  const Bag bag(file, "x.mcap");
  const std::size_t wanted[] = {0};
  std::size_t count = 0;
  const long before = allocations;
  bag.read(wanted, [&](std::size_t, std::span<const double>) { ++count; });
  EXPECT_EQ(count, messages);
  return allocations - before;
}

TEST(NoAllocation, MessagesOfABagTakeNone) {
  EXPECT_GT(allocations_for(1), 0);  // buffers
  EXPECT_EQ(allocations_for(100000), allocations_for(1));
}

TEST(NoAllocation, RowsOfATable) {
  std::string text = "stamp;x;name;y\n";
  for (int k = 0; k < 1000; ++k) text += "16699092033302117" + std::to_string(10 + k % 90) + ";0,5;\"a;b\";\n";
  CsvTable table(text, "x.csv", {.separator = ';', .decimal = ','});
  const std::array<std::size_t, 2> columns = {1, 3};
  const StampColumn stamp{0, false, 0};
  table.pick(columns, std::span(&stamp, 1));
  ASSERT_TRUE(table.next());  // makes room for a line without quotes
  const long before = allocations;
  int count = 1;
  for (; table.next(); ++count) EXPECT_EQ(table.values()[0], 0.5);
  EXPECT_EQ(allocations - before, 0);
  EXPECT_EQ(count, 1000);
}

}  // namespace
}  // namespace fathom::log::no_allocation_test
