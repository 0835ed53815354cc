// Logging and reading take no memory from the heap per row, so a long run needs no more than a short one.
#include <atomic>
#include <cstdlib>

#include <gtest/gtest.h>

#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/log/csv_reader.hpp"
#include "fathom/log/csv_writer.hpp"
#include "fathom/log/test/channels.hpp"

#ifndef FATHOM_SANITIZED  // the sanitizer has its own malloc, which must not be replaced
namespace {
std::atomic<long> allocations{0};
}
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}

namespace fathom::log {
namespace {

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

TEST(NoAllocation, the_counter_sees_allocations) {
  const long before = allocations;
  int* volatile kept = new int(1);  // volatile: the compiler may remove an allocation that nobody sees
  delete kept;
  EXPECT_EQ(allocations - before, 1);
}

}  // namespace
}  // namespace fathom::log
#else
TEST(NoAllocation, is_tested_in_the_release_build) {
  GTEST_SKIP() << "the sanitizer's malloc cannot be counted";
}
#endif
