// Logging and reading take no memory from the heap per row, so a long run needs no more than a short one.

#include <gtest/gtest.h>

#include "fathom/base/test/count_allocations.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/log/csv_reader.hpp"
#include "fathom/log/csv_writer.hpp"
#include "fathom/log/test/channels.hpp"

#ifndef FATHOM_SANITIZED
namespace fathom::log::no_allocation_test {
namespace {

using fathom::test::allocations;

TEST(NoAllocation, two_million_rows_written_and_read) {
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

}  // namespace
}  // namespace fathom::log::no_allocation_test
#endif
