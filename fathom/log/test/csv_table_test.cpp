// Tables that others wrote: what is taken, and what is rejected with place and remedy.
#include "fathom/log/csv_table.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"

namespace fathom::log::csv_table_test {
namespace {

using fathom::test::error_text;

/// All of columns a and b, row after row.
std::vector<double> read(std::string_view text, const TableOptions& options = {}) {
  CsvTable table(text, "x.csv", options);
  const std::size_t columns[] = {options.header ? table.find("a") : table.find(1),
                                 options.header ? table.find("b") : table.find(2)};
  table.pick(columns);
  std::vector<double> values;
  while (table.next()) values.insert(values.end(), table.values().begin(), table.values().end());
  return values;
}

const std::vector<double> expected = {1.5, -2, 3, 4e-3};

TEST(Table, OfManyKinds) {
  EXPECT_EQ(read("a,b\n1.5,-2\n3,4e-3\n"), expected);
  EXPECT_EQ(read("a,b\r\n1.5,-2\n3,4e-3\r\n"), expected);  // mixed line ends
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "a,b\n1.5,-2\n3,4e-3"),
            expected);
  EXPECT_EQ(read("# note\n\na,b\n1.5,-2\n# in between\n3,4e-3\n\n"), expected);
  EXPECT_EQ(read("b,text,a\n-2,\"one, two\",1.5\n4e-3,three,3\n"), expected);
  EXPECT_EQ(read("\"a\",\"b\"\n\"1.5\",\"-2\"\n\"3\", 4e-3 \n"), expected);
  EXPECT_EQ(read("a;b\n1.5;-2\n3;4e-3\n", {.separator = ';'}), expected);
  EXPECT_EQ(read("a;b\n1,5;-2\n3;4e-3\n", {.separator = ';', .decimal = ','}), expected);
  EXPECT_EQ(read("a\tb\n1.5\t-2\n+3\t4e-3\n", {.separator = '\t'}), expected);
  EXPECT_EQ(read("  a   b\n 1.5 \t -2\n3 4e-3  \n", {.separator = ' '}), expected);
  EXPECT_EQ(read("1.5,-2\n3,4e-3\n", {.header = false}), expected);
  EXPECT_EQ(read("logger 3\n%%%\na,b\n1.5,-2\n3,4e-3\n", {.skip = 2}), expected);
  EXPECT_EQ(read("#a,#b,a,b\n1,1,1.5,-2\n1,1,3,4e-3\n", {.comment = ""}), expected);
}

TEST(Table, WordsThatAreValues) {
  const auto values = read("a,b\n,nan\nN/A, null\nNone,NA\ntrue,False\n");
  for (std::size_t k = 0; k < 6; ++k) EXPECT_TRUE(std::isnan(values[k])) << k;
  EXPECT_EQ(values[6], 1);
  EXPECT_EQ(values[7], 0);
}

TEST(Table, OneColumnTwiceAndStampsThatAddUp) {
  CsvTable table("s,ns,x\n1669909203,330211715,7\n", "x.csv");
  const std::size_t columns[] = {2, 0, 2};
  const StampColumn stamps[] = {{0, false, 9}, {1, false, 0}};
  table.pick(columns, stamps);
  ASSERT_TRUE(table.next());
  EXPECT_EQ(table.stamp_ns(), 1669909203330211715);
  EXPECT_EQ(std::vector<double>(table.values().begin(), table.values().end()),
            (std::vector<double>{7, 1669909203, 7}));
  EXPECT_FALSE(table.next());
}

TEST(Table, MissingColumnNamesTheNearest) {
  EXPECT_EQ(error_text([] { CsvTable("t,altitude,b\n", "x.csv").find("altitud"); }),
            "'altitud' is no column of x.csv (did you mean altitude? it has t, altitude, b)");
  EXPECT_EQ(error_text([] { read("a;b\n1;2\n"); }),
            "'a' is no column of x.csv (its header is one column; did you forget separator: \";\"?)");
  EXPECT_EQ(error_text([] { read("a,b,a\n1,2,3\n"); }),
            "'a' names columns 1, 3 of x.csv (pick one of them by its number)");
  EXPECT_EQ(error_text([] { read("1\n", {.header = false}); }),
            "= 2, and x.csv has 1 column (numbers of columns begin at 1; is the separator right?)");
  EXPECT_EQ(error_text([] { CsvTable("1,2\n", "x.csv", {.header = false}).find("a"); }),
            "'a' is a name, and x.csv has none (with header: false columns go by their number, from 1)");
}

TEST(Table, BadRowsNameTheirLine) {
  const std::string remedy = "drop_bad_lines: true counts such lines and leaves them out";
  EXPECT_EQ(error_text([] { read("a,b\n1,2\n1,2,3\n"); }),
            "x.csv:3: 3 fields, expected 2 (decimal commas, or text without quotes? " + remedy + ")");
  EXPECT_EQ(error_text([] { read("a,b\n1,2\n1\n2,3\n"); }), "x.csv:3: 1 field, expected 2 (" + remedy + ")");
  EXPECT_EQ(error_text([] { read("a,b\n1,2\n1"); }),
            "x.csv:3: 1 field, expected 2 (the file ends in the middle of a line; " + remedy + ")");
  EXPECT_EQ(error_text([] { read("a,b\n1,2\n1,x\n"); }),
            "x.csv:3: b = 'x', expected a number (numbers look like 12.5 or 1e-3; " + remedy + ")");
  EXPECT_EQ(error_text([] { read("a;b\n1;2\n1,5;2\n", {.separator = ';'}); }),
            "x.csv:3: a = '1,5', expected a number (a decimal comma? decimal: \",\" takes them)");
  EXPECT_EQ(error_text([] { read("a,b\n1,2\n\"1,5\",2\n"); }),
            "x.csv:3: a = '1,5', expected a number (a decimal comma? export it with points, or with another "
            "separator)");
  EXPECT_EQ(
      error_text([] { read("a,b\nm,m\n1,2\n"); }),
      "x.csv:2: a = 'm', expected a number (is this line a header, or one of units? skip leaves lines out)");
  EXPECT_EQ(error_text([] { read("a,b\n1,1e999\n"); }),
            "x.csv:2: b = '1e999', expected a finite number (it is outside the range of a double)");
  EXPECT_EQ(error_text([] { read("a,b\n1,\"2\n"); }),
            "x.csv:2: a quote is left open (a field and its quotes stand on one line)");
  EXPECT_EQ(error_text([] { read("a,b\r1,2\r"); }),
            "x.csv:1: lines end in a carriage return alone (save it with line ends of Unix or Windows)");
  EXPECT_EQ(error_text([] { read(""); }), "x.csv: has no rows (is it empty?)");
}

TEST(Table, DropsBadLinesWhereItIsAsked) {
  CsvTable table("a,b\n1,2\n1\nx,3\n4,5\n1,2,3\n", "x.csv", {.drop_bad_lines = true});
  const std::size_t columns[] = {0, 1};
  table.pick(columns);
  std::vector<double> values;
  while (table.next()) values.insert(values.end(), table.values().begin(), table.values().end());
  EXPECT_EQ(values, (std::vector<double>{1, 2, 4, 5}));
  EXPECT_EQ(table.dropped_lines(), 3u);
}

TEST(Table, StampsAreNumbersOrDates) {
  const auto stamp = [](std::string_view text, StampColumn column) {
    CsvTable table(text, "x.csv");
    table.pick({}, std::span(&column, 1));
    table.next();
    return table.stamp_ns();
  };
  EXPECT_EQ(stamp("t,x\n 2022-12-01T15:40:08Z ,1\n", {0, true, 0}), 1669909208000000000);
  EXPECT_EQ(error_text([&] { stamp("t,x\nnow,1\n", {}); }),
            "x.csv:2: t = 'now', expected a time as a number (is it the right column, and the right unit of "
            "the clock?)");
  EXPECT_EQ(error_text([&] { stamp("t,x\n,1\n", {}); }),
            "x.csv:2: t = '', expected a time as a number "
            "(every row needs its time; drop_bad_lines: true counts such lines and leaves them out)");
}

TEST(Table, HasManyColumns) {
  std::string header, row;
  constexpr std::size_t count = 100000;
  for (std::size_t k = 0; k < count; ++k) {
    header += "c" + std::to_string(k) + (k + 1 < count ? "," : "\n");
    row += std::to_string(k % 10) + (k + 1 < count ? "," : "\n");
  }
  const std::string text_of_table = header + row;
  CsvTable table(text_of_table, "wide.csv");
  const std::size_t columns[] = {table.find("c99999"), table.find(2)};
  table.pick(columns);
  ASSERT_TRUE(table.next());
  EXPECT_EQ(table.values()[0], 9);
  EXPECT_EQ(table.values()[1], 1);
  const std::string text = error_text([&] { table.find("x"); });
  EXPECT_NE(text.find("... of 100000"), std::string::npos) << text;
  EXPECT_EQ(error_text([] { CsvTable(std::string(2 << 20, ','), "wider.csv"); }),
            "wider.csv:1: the line is longer than 1048575 bytes (is this a log? a row has one line)");
}

TEST(Table, ChecksItsOptions) {
  EXPECT_EQ(error_text([] { read("a,b\n", {.decimal = ','}); }),
            "decimal and separator are the same (columns with decimal commas have another separator)");
  EXPECT_EQ(error_text([] { read("a,b\n", {.separator = '.'}); }),
            "decimal and separator are the same (columns with decimal commas have another separator)");
  EXPECT_EQ(error_text([] { read("a,b\n", {.separator = '1'}); }),
            "separator is a part of numbers, a quote or a line end (expected \",\", \";\", tab or blank)");
  EXPECT_EQ(error_text([] { read("a,b\n", {.skip = 5}); }),
            "x.csv:1: has fewer than the 5 lines to skip (mend skip)");
}

}  // namespace
}  // namespace fathom::log::csv_table_test
