#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/log/csv_reader.hpp"
#include "fathom/log/internal/table_text.hpp"

namespace fathom::log::reader_errors_test {
namespace {

using fathom::test::error_text;
using fathom::test::spill;
using fathom::test::TemporaryFolder;

std::string text(const std::string& bytes, const ReadOptions& options = {}) {
  return error_text([&] { parse_channel(bytes, "a.csv", options); });
}

const std::string fathom_header = "# fathom log 1\n# channel: imu\n# frame: b\nt [s],u [m/s]\n";

TEST(ReaderErrors, Nothing) {
  EXPECT_EQ(text(""), "a.csv: is empty (a log begins with its header)");
  EXPECT_EQ(text("\n \n"), "a.csv: has no header line (expected a line such as t [s],u [m/s],v [m/s])");
  EXPECT_EQ(text("# fathom log 1\n"),
            "a.csv: has no header line (expected a line such as t [s],u [m/s],v [m/s])");
  EXPECT_EQ(text(fathom_header),
            "a.csv: has a header but no rows (nothing was logged; allow_empty takes it as it is)");
  EXPECT_EQ(text("t,u"), "a.csv: has a header but no rows (nothing was logged; allow_empty takes it as it is)");
  EXPECT_EQ(parse_channel(fathom_header, "a.csv", {.allow_empty = true}).size(), 0u);
}

TEST(ReaderErrors, NotALog) {
  EXPECT_EQ(text(std::string("\x7f"
                             "ELF\2\1\1\0\0\0",
                             10)),
            "a.csv:1: is not text: '\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00' "
            "(is it binary, compressed, or not saved as UTF-8? a log is plain text)");
  EXPECT_EQ(text("\xff\xfet\0,\0u\0\n\0").substr(0, 22), "a.csv:1: is not text: ");
  EXPECT_EQ(text("t;u\n0;1\n"),
            "a.csv:1: the columns are separated by semicolons (expected commas, and points in numbers; export "
            "it so)");
  EXPECT_EQ(text("t\tu\n0\t1\n"), "a.csv:1: the columns are separated by tabs (expected commas; export it so)");
  EXPECT_EQ(text("# fathom log 2\nt,u\n0,1\n"),
            "a.csv:1: is log format '2', expected 1 (a newer Fathom may read it)");
  EXPECT_EQ(text("# fathom log 1\n# frame: b\n# frame: n\n"),
            "a.csv:3: frame is given twice (remove one of them)");
  EXPECT_EQ(text("# fathom log 1\n# channel:\n"), "a.csv:2: channel is empty (give it, or remove the line)");
}

TEST(ReaderErrors, Columns) {
  const std::string such = " (expected a header such as t [s],u [m/s],v [m/s])";
  EXPECT_EQ(text("u,v\n0,1\n"), "a.csv:1: has no column t" + such);
  EXPECT_EQ(text("u,time\n0,1\n"), "a.csv:1: has no column t (if 'time' is the clock in seconds, call it t)");
  EXPECT_EQ(text("0.5,1\n1,2\n"),
            "a.csv:1: begins with the number '0.5', expected a header "
            "(name the columns in the first line, such as t [s],u [m/s],v [m/s])");
  EXPECT_EQ(text("t\n0\n"), "a.csv:1: has no column beside t" + such);
  EXPECT_EQ(text("t [ms],u\n0,1\n"), "a.csv:1: t has the unit 'ms', expected s (convert it to seconds)");
  EXPECT_EQ(text("t,u [m],u [s]\n"),
            "a.csv:1: two columns are called 'u' (each needs a name of its own; brackets hold the unit)");
  EXPECT_EQ(text("t,u,t\n"), "a.csv:1: two columns are called 't' (there is one clock)");
  EXPECT_EQ(text("t,u,\n0,1,\n"), "a.csv:1: column 3 has no name (is there a comma too many?)");
  EXPECT_EQ(text("t,\"a,b\"\n"), "a.csv:1: column 2 is '\"a' (names have no quotes and no commas)");
  EXPECT_EQ(
      text("t,u [m\n"),
      "a.csv:1: column 'u [m': the bracket is not closed at its end (write name [unit], such as u [m/s])");
}

TEST(ReaderErrors, Rows) {
  const std::string fields =
      " (t and one value for each column, with points in numbers and commas between them)";
  EXPECT_EQ(text("t,u\n0,1\n1\n"), "a.csv:3: 1 field, expected 2 as in line 1" + fields);
  EXPECT_EQ(text("t,u\n0,1,5\n"), "a.csv:2: 3 fields, expected 2 as in line 1" + fields);
  EXPECT_EQ(text("t,u\n0,1,\n"), "a.csv:2: 3 fields, expected 2 as in line 1" + fields);
  EXPECT_EQ(text("t,u\n0,x,5\n"), "a.csv:2: 3 fields, expected 2 as in line 1" + fields);
  EXPECT_EQ(text(fathom_header + "0;1\n"), "a.csv:5: 1 field, expected 2 as in line 4" + fields);
  EXPECT_EQ(text("t,u\n0,1.5x\n"), "a.csv:2: u = '1.5x', expected a number (numbers look like 12.5 or 1e-3)");
  EXPECT_EQ(text("t,u\n0,1e\n"), "a.csv:2: u = '1e', expected a number (numbers look like 12.5 or 1e-3)");
  EXPECT_EQ(text("t,u\n0,0x10\n"), "a.csv:2: u = '0x10', expected a number (numbers look like 12.5 or 1e-3)");
  EXPECT_EQ(text("t,u\n0,+-1\n"), "a.csv:2: u = '+-1', expected a number (numbers look like 12.5 or 1e-3)");
  EXPECT_EQ(text("u,t\n0,on\n"), "a.csv:2: t = 'on', expected a number (numbers look like 12.5 or 1e-3)");
  EXPECT_EQ(text("t,u\n0,1;2\n"), "a.csv:2: u = '1;2', expected a number (columns are separated by commas)");
  EXPECT_EQ(text("t,u\n0,\"1\"\n"), "a.csv:2: u = '\"1\"', expected a number (numbers have no quotes)");
  EXPECT_EQ(text("t,u\n0,1\n# late, 1\n"),
            "a.csv:3: t = '# late', expected a number (comments belong above the header)");
  EXPECT_EQ(text(std::string("t,u\n0,\0\n", 8)),
            "a.csv:2: u = '\\x00', expected a number (numbers look like 12.5 or 1e-3)");
  EXPECT_EQ(text("t,u\n0,-inf\n"),
            "a.csv:2: u = '-inf', expected a finite number (leave the field empty where nothing was measured)");
  EXPECT_EQ(text("t,u\n0,1e400\n"),
            "a.csv:2: u = '1e400', expected a finite number (it is outside the range of a double)");
  EXPECT_EQ(text("t,u\n,1\n"), "a.csv:2: t is missing (every row needs its time)");
  EXPECT_EQ(text("t,u\nnan,1\n"), "a.csv:2: t is missing (every row needs its time)");
  EXPECT_EQ(text("t,u\n0,1\n\n1,2\n"),
            "a.csv:3: is blank, and rows follow (only the end may have blank lines)");
}

TEST(ReaderErrors, ClockStepsBack) {
  const std::string log = "t,u\n0,1\n0.25,2\n0.125,3\n0.5,4\n";
  EXPECT_EQ(text(log),
            "a.csv:4: t = 0.125 s, after t = 0.25 s: the clock steps back "
            "(are there two runs in the file, or was the clock set anew?)");
  EXPECT_EQ(parse_channel(log, "a.csv", {.allow_clock_steps = true}).t,
            (std::vector<double>{0, 0.25, 0.125, 0.5}));
}

TEST(ReaderErrors, AnInterruptedRun) {
  const std::string hint = " (the run that wrote it was interrupted; delete that line to read what is before)";
  EXPECT_EQ(text(fathom_header + "0,1\n1,2"), "a.csv:6: ends in the middle of a line: 2 fields of 2" + hint);
  EXPECT_EQ(text(fathom_header + "0,1\n1"), "a.csv:6: ends in the middle of a line: 1 field of 2" + hint);
  EXPECT_EQ(text("t,u\n0,1\n1"), "a.csv:3: ends in the middle of a line: 1 field of 2" + hint);
  EXPECT_EQ(
      text("# fathom log 1\n# channel: imu\nt [s],u"),
      "a.csv:3: ends in the middle of the header (the run that wrote it was interrupted before its first row)");
  const Channel channel = parse_channel(fathom_header + "0,1\n1,2", "a.csv", {.drop_truncated_line = true});
  EXPECT_EQ(channel.t, std::vector<double>{0});
  EXPECT_EQ(channel.dropped_lines, 1u);
  EXPECT_EQ(text(fathom_header + "1", {.drop_truncated_line = true}),
            "a.csv: has a header but no rows (nothing was logged; allow_empty takes it as it is)");
}

TEST(ReaderErrors, EveryCutOfALogIsTold) {
  const std::string log = fathom_header + "0,1.5\n1,2.5\n2,\n";
  for (std::size_t k = 0; k < log.size(); ++k) {
    const bool whole_lines = k > fathom_header.size() && log[k - 1] == '\n';
    EXPECT_EQ(text(log.substr(0, k)) == "(nothing was thrown)", whole_lines) << k;
  }
}

TEST(ReaderErrors, ALineWithoutEnd) {
  const std::string hint = " (is this a log? a row has one line)";
  const std::string long_line(internal::LineReader::longest, '1');
  const std::string too_long = "the line is longer than 1048575 bytes" + hint;
  EXPECT_EQ(text(long_line), "a.csv:1: " + too_long);
  EXPECT_EQ(text("t,u\n0," + long_line + "\n"), "a.csv:2: " + too_long);
  const TemporaryFolder folder;
  spill(folder / "a.csv", "t,u\n0," + long_line + "\n");
  EXPECT_EQ(error_text([&] { read_channel(folder / "a.csv"); }),
            (folder / "a.csv").string() + ":2: " + too_long);
}

TEST(ReaderErrors, Paths) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_text([] { read_channel("no/such.csv"); }),
            "no/such.csv: does not exist (check the path; it is relative to the current folder)");
  EXPECT_EQ(
      error_text([&] { read_channel(folder.path()); }),
      folder.path().string() + ": is a folder, expected a file (read_dataset reads a folder of channels)");
  EXPECT_EQ(error_text([] { read_dataset("no/such"); }),
            "no/such: does not exist (check the path; it is relative to the current folder)");
  EXPECT_EQ(
      error_text([&] { read_dataset(folder.path()); }),
      folder.path().string() +
          ": has no channels (a channel is a file such as imu.csv; docs/log-files.md tells what is in it)");
  spill(folder / "a.csv", "");
  EXPECT_EQ(error_text([&] { read_dataset(folder / "a.csv"); }),
            (folder / "a.csv").string() + ": is a file, expected a folder (read_channel reads one channel)");
}

TEST(ReaderErrors, ADatasetTellsWhatIsWrongWithEachFile) {
  const TemporaryFolder folder;
  const auto path = [&](const char* name) { return (folder / name).string(); };
  spill(folder / "a.csv", fathom_header + "0,1\n");
  spill(folder / "b.csv", fathom_header + "0,x\n");
  spill(folder / "c.csv", "# fathom log 1\nu\n");
  spill(folder / "d.csv", fathom_header + "0,1\n");
  spill(folder / "e.csv", "t,u\n0,1,2\n");
  const std::string found = error_text([&] { read_dataset(folder.path()); });
  EXPECT_EQ(found, path("b.csv") + ":5: u = 'x', expected a number (numbers look like 12.5 or 1e-3)\n" +
                       path("c.csv") +
                       ":2: has no column t (expected a header such as t [s],u [m/s],v [m/s])\n" +
                       path("d.csv") + ": two channels are called 'imu' (each needs a name of its own)\n" +
                       path("e.csv") +
                       ":2: 3 fields, expected 2 as in line 1 "
                       "(t and one value for each column, with points in numbers and commas between them)");
}

}  // namespace
}  // namespace fathom::log::reader_errors_test
