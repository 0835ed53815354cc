#include <csignal>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/log/csv_reader.hpp"
#include "fathom/log/csv_writer.hpp"
#include "fathom/log/test/channels.hpp"

namespace fathom::log::writer_errors_test {
namespace {

namespace fs = std::filesystem;
using fathom::test::error_text;
using fathom::test::slurp;
using fathom::test::spill;
using fathom::test::TemporaryFolder;
using test::small_info;

constexpr double inf = std::numeric_limits<double>::infinity();
const std::vector<double> row = {1, 2, 3};

TEST(Writer, RefusesARowThatIsNoneAndWritesNothingOfIt) {
  const TemporaryFolder folder;
  CsvChannelWriter writer(folder.path(), small_info());
  writer.append(0.5, row);
  const auto text = [&](double t, const std::vector<double>& values) {
    return error_text([&] { writer.append(t, values); });
  };
  EXPECT_EQ(text(0.25, row),
            "channel 'imu', row 2: t = 0.25 s, after t = 0.5 s: the clock steps back (rows must be in order of "
            "time)");
  EXPECT_EQ(text(inf, row), "channel 'imu', row 2: t = inf, must be finite");
  EXPECT_EQ(text(std::nan(""), row), "channel 'imu', row 2: t = nan, must be finite");
  EXPECT_EQ(text(1, {1, 2}), "channel 'imu', row 2: 2 values, expected 3 (one for each column, without t)");
  EXPECT_EQ(text(1, {1, -inf, 3}),
            "channel 'imu', row 2: v = -inf at t = 1 s, must be finite or NaN "
            "(NaN stands for a value that was not measured)");
  writer.append(0.5, row);  // the same time again is counted by the reader, not rejected
  writer.close();
  EXPECT_EQ(read_channel(folder / "imu.csv").t, (std::vector<double>{0.5, 0.5}));
}

TEST(Writer, AWholeChannelIsCheckedBeforeAnythingIsWritten) {
  const TemporaryFolder folder;
  Channel channel = test::random_channel(3);
  channel.t[2] = -1;
  const std::string expected =
      "channel 'imu', row 3: t = -1 s, after t = 0.01 s: the clock steps back (rows must be in order of time)";
  EXPECT_EQ(error_text([&] { write_channel(folder.path(), channel); }), expected);
  EXPECT_EQ(error_text([&] { channel_to_csv(channel); }), expected);
  EXPECT_TRUE(folder.names().empty());
}

TEST(Writer, ReportsAFullDisk) {
  const TemporaryFolder folder;
  fs::create_symlink("/dev/full", folder / "imu.csv.part");
  const std::string path = (folder / "imu.csv").string();
  CsvChannelWriter writer(folder.path(), small_info());
  std::size_t rows = 0;
  const std::string text = error_text([&] {
    for (; rows < 1000000; ++rows) writer.append(0, row);
  });
  const std::string what =
      fmt::format("{}: cannot be written after {} rows: No space left on device", path, rows);
  EXPECT_EQ(text, what + " (free some space; what was written is in imu.csv.part)");
  EXPECT_EQ(error_text([&] { writer.append(1, row); }), what + " (the log ended there)");
  EXPECT_EQ(error_text([&] { writer.close(); }), what + " (the log ended there)");
  EXPECT_FALSE(fs::exists(path));
}

TEST(Writer, ReportsAFullDiskWhenItIsClosed) {
  const TemporaryFolder folder;
  fs::create_symlink("/dev/full", folder / "imu.csv.part");
  CsvChannelWriter writer(folder.path(), small_info());
  writer.append(0, row);
  for (int k = 0; k < 2; ++k)
    EXPECT_TRUE(error_text([&] { writer.close(); })
                    .starts_with((folder / "imu.csv").string() +
                                 ": cannot be written after 1 rows: No space left on device ("));
  EXPECT_FALSE(fs::exists(folder / "imu.csv"));
}

TEST(Writer, ReportsOtherFailuresOfTheDisk) {
  const auto with_a_file_size_limit = [](const fs::path& folder) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100000, 100000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    CsvChannelWriter writer(folder, small_info());
    const std::string text = error_text([&] {
      for (int k = 0; k < 1000000; ++k) writer.append(0, row);
    });
    const bool as_expected = text.find("imu.csv: cannot be written after ") != std::string::npos &&
                             text.find(" rows: File too large (what was written is in ") != std::string::npos;
    std::_Exit(as_expected ? 0 : 1);
  };
  const TemporaryFolder folder;
  EXPECT_EXIT(with_a_file_size_limit(folder.path()), ::testing::ExitedWithCode(0), "");
}

TEST(Writer, IsClosedOnce) {
  const TemporaryFolder folder;
  CsvChannelWriter writer(folder.path(), small_info());
  writer.append(0, row);
  writer.close();
  writer.close();
  EXPECT_EQ(error_text([&] { writer.append(1, row); }),
            (folder / "imu.csv").string() + ": is closed (append before close())");
}

TEST(Writer, WithoutCloseLeavesWhatWasThereAndAPart) {
  const TemporaryFolder folder;
  spill(folder / "imu.csv", "before");
  { CsvChannelWriter(folder.path(), small_info()).append(0.25, row); }
  EXPECT_EQ(slurp(folder / "imu.csv"), "before");
  EXPECT_EQ(read_channel(folder / "imu.csv.part").t, std::vector<double>{0.25});
  fs::remove(folder / "imu.csv");
  EXPECT_EQ(error_text([&] { read_channel(folder / "imu.csv"); }),
            (folder / "imu.csv").string() +
                ": does not exist (the run that wrote it did not end; what it wrote is in imu.csv.part)");
}

TEST(Writer, CanBeMoved) {
  const TemporaryFolder folder;
  CsvChannelWriter first(folder.path(), small_info());
  first.append(0, row);
  CsvChannelWriter second(std::move(first));
  second.append(1, row);
  second.close();
  EXPECT_EQ(read_channel(folder / "imu.csv").size(), 2u);
}

TEST(Writer, CannotWriteWhereItMayNot) {
  const TemporaryFolder folder;
  spill(folder / "file", "");
  const std::string file = (folder / "file").string();
  EXPECT_EQ(error_text([&] { CsvChannelWriter(file, small_info()); }),
            file + ": cannot be made: Not a directory (is it a file, or not writable?)");
  fs::create_directory(folder / "imu.csv.part");
  EXPECT_EQ(error_text([&] { CsvChannelWriter(folder.path(), small_info()); }),
            (folder / "imu.csv").string() + ": cannot be written: Is a directory (is the folder writable?)");
  EXPECT_THROW(CsvChannelWriter("/proc", small_info()), InputError);
}

TEST(Writer, CannotReplaceAFolder) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "imu.csv");
  CsvChannelWriter writer(folder.path(), small_info());
  writer.append(0, row);
  EXPECT_EQ(error_text([&] { writer.close(); }),
            (folder / "imu.csv").string() +
                ": cannot be replaced after 1 rows: Is a directory (what was written is in imu.csv.part)");
}

TEST(Writer, RefusesNamesThatTheFormatCannotHold) {
  const TemporaryFolder folder;
  const auto text = [&](const ChannelInfo& info) {
    return error_text([&] { CsvChannelWriter(folder.path(), info); });
  };
  ChannelInfo info = small_info();
  for (const char* name : {"", "../imu", "a/b", ".hidden", "-x", "a b", "n\xc3\xa4", "a\x01"}) {
    info.name = name;
    EXPECT_NE(text(info).find(
                  "the name cannot be a file's name (letters, digits, _ - . and a letter or digit first)"),
              std::string::npos)
        << name;
  }
  info = small_info();
  info.frame = "n e";
  EXPECT_EQ(text(info), "channel 'imu': frame = 'n e' is no frame (n, b, s, c, none or a sensor's name)");
  const auto column = [&](Column c) {
    ChannelInfo changed = small_info();
    changed.columns[1] = std::move(c);
    return text(changed);
  };
  const std::string hint = " (names and units stand between commas and brackets)";
  EXPECT_EQ(column({"a,b", ""}), "channel 'imu': column 'a,b': the name has the character ," + hint);
  EXPECT_EQ(column({"a\"", ""}), "channel 'imu': column 'a\"': the name has the character \"" + hint);
  EXPECT_EQ(column({"a[0]", ""}), "channel 'imu': column 'a[0]': the name has the character [" + hint);
  EXPECT_EQ(column({"#a", ""}), "channel 'imu': column '#a': the name has the character #" + hint);
  EXPECT_EQ(column({"a\n", ""}),
            "channel 'imu': column 'a\\x0a': the name has a control character or is not UTF-8" + hint);
  EXPECT_EQ(column({" a", ""}), "channel 'imu': column ' a': the name begins or ends with a blank" + hint);
  EXPECT_EQ(column({"a", "m]"}), "channel 'imu': column 'a': unit 'm]' has the character ]" + hint);
  EXPECT_EQ(column({"", "m"}), "channel 'imu': a column has no name");
  EXPECT_EQ(column({"t", "s"}),
            "channel 'imu': a column is called t (t is the clock, which every channel has)");
  EXPECT_EQ(column({"u", "m"}), "channel 'imu': column 'u' stands there twice (each needs a name of its own)");
  info = small_info();
  info.columns.clear();
  info.about = "a\rb";
  EXPECT_EQ(text(info),
            "channel 'imu': has no columns (a row needs a value beside t)\n"
            "channel 'imu': about has a control character, is not UTF-8 or very long (it is text for people)");
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace fathom::log::writer_errors_test
