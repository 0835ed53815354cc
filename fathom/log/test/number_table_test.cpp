#include "fathom/log/number_table.hpp"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/base/test/temporary_folder.hpp"

namespace fathom::log::number_table_test {
namespace {

TEST(NumberTable, ShowsItsSeparatorAndHeaderByItsFirstLine) {
  const Eigen::Matrix2d expected{{1, -2.5}, {3, 4e-3}};
  for (const char* text : {"a,b\n1,-2.5\n3,4e-3\n", "1,-2.5\n3,4e-3", "a;b\r\n1; -2.5\r\n3;+4e-3\r\n\r\n",
                           "1\t-2.5\n3\t4e-3\n", "1,-2.5\r\n3,4e-3\r\n", "# a bench\na  b\n1   -2.5\n3 4e-3\n",
                           "\xef\xbb\xbf\"a, of one\",b\n1,-2.5\n3,4e-3\n"}) {
    const NumberTable table = parse_number_table(text, "t.csv");
    EXPECT_EQ(table.values, expected) << text;
    EXPECT_EQ(table.names.size(), 2u);
    EXPECT_EQ(table.names[1], table.has_header ? "b" : "2");
  }
}

TEST(NumberTable, FindsColumnsByName) {
  const NumberTable table = parse_number_table("time,force\n1,2\n", "t.csv");
  EXPECT_EQ(table.column("force"), 1);
  EXPECT_EQ(fathom::test::error_text([&] { table.column("forse"); }),
            "t.csv:1: there is no column 'forse' (did you mean 'force'?)");
}

TEST(NumberTable, NamesNoKeyOfADescriptionWhereThereIsNone) {
  for (const char* text : {"a,b\n1,x\n", "a,b\n1\n", "a,b\n1,\n", "a;b\n1;2,5\n", "a,b\n1,2\n3,inf\n", "\n"}) {
    const std::string error = fathom::test::error_text([&] { parse_number_table(text, "t.csv"); });
    EXPECT_NE(error.find("t.csv"), std::string::npos) << error;
    for (const char* key : {"drop_bad_lines", "skip", "decimal:", "header:"})
      EXPECT_EQ(error.find(key), std::string::npos) << error;
  }
}

/// A run of an hour at 1 kHz with 31 columns has more than a gigabyte.
TEST(NumberTableLong, HasNoLimitOfItsSize) {
  const fathom::test::TemporaryFolder folder;
  {
    std::ofstream file(folder / "run.csv");
    file << "t,q.1,q.2\n";
    std::string line(1000, ' ');
    for (int k = 0; k < 70'000; ++k) {
      line.replace(0, 13, fmt::format("{:06},1.5,-2", k));
      file << line << '\n';
    }
  }
  ASSERT_GT(std::filesystem::file_size(folder / "run.csv"), 64u << 20);
  const NumberTable table = read_number_table(folder / "run.csv");
  EXPECT_EQ(table.values.rows(), 70'000);
  EXPECT_EQ(table.values(69'999, table.column("t")), 69'999);
}

}  // namespace
}  // namespace fathom::log::number_table_test
