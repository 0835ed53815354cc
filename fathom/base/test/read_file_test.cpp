#include <chrono>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "fathom/base/file.hpp"
#include "fathom/base/read_stop.hpp"
#include "fathom/base/regular_file.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/base/test/temporary_folder.hpp"

namespace fathom::read_file_test {
namespace {

using test::error_text;
using test::spill;
using test::TemporaryFolder;

TEST(ReadFile, GivesEveryByteAsItStands) {
  const TemporaryFolder folder;
  std::string bytes = "line\r\n";
  for (int c = 0; c < 256; ++c) bytes += static_cast<char>(c);
  for (int k = 0; k < 100000; ++k) bytes += static_cast<char>(k % 251);  // more than one block
  spill(folder / "a", bytes);
  EXPECT_EQ(read_file(folder / "a"), bytes);
}

TEST(ReadFile, GivesNothingForAnEmptyFile) {
  const TemporaryFolder folder;
  spill(folder / "empty", "");
  EXPECT_EQ(read_file(folder / "empty"), "");
}

TEST(ReadFile, RefusesAMissingFile) {
  const TemporaryFolder folder;
  const std::string path = (folder / "none").string();
  EXPECT_EQ(error_text([&] { read_file(path); }),
            path + ": does not exist (check the path; it is relative to the current folder)");
}

TEST(ReadFile, RefusesAPathBelowARegularFile) {
  const TemporaryFolder folder;
  spill(folder / "file", "x");
  const std::string path = (folder / "file" / "below").string();
  EXPECT_EQ(error_text([&] { read_file(path); }),
            path + ": does not exist (check the path; it is relative to the current folder)");
}

TEST(ReadFile, RefusesAFolder) {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  EXPECT_EQ(error_text([&] { read_file(path); }), path + ": is a folder, expected a file (name a file in it)");
}

TEST(ReadFile, RefusesOneByteTooManyAndTakesTheLargestAllowed) {
  const TemporaryFolder folder;
  const std::string path = (folder / "big").string();
  spill(path, std::string(1000, 'x'));
  EXPECT_EQ(read_file(path, 1000).size(), 1000u);
  EXPECT_EQ(error_text([&] { read_file(path, 999); }),
            path + ": is larger than 999 bytes (is this the right file?)");
}

TEST(ReadFile, StopsOnAFileWithoutEnd) {
  EXPECT_EQ(error_text([] { read_file("/dev/zero", 1 << 20); }),
            "/dev/zero: is larger than 1048576 bytes (is this the right file?)");
}

TEST(ReadFile, ReadsAPipeThatAProgramWritesTo) {
  const TemporaryFolder folder;
  const std::string path = (folder / "pipe").string();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { spill(path, "what passes"); });
  EXPECT_EQ(read_file(path), "what passes");
  writer.join();
}

TEST(ReadFile, ASilentPipeIsWaitedForUntilInterrupted) {
  const TemporaryFolder folder;
  const std::string path = (folder / "pipe").string();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  set_read_stop([] { return true; });
  EXPECT_THROW(read_file(path), Interrupted);
  set_read_stop({});
}

TEST(ReadFileLong, ASlowWriterIsWaitedFor) {
  const TemporaryFolder folder;
  const std::string path = (folder / "pipe").string();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] {
    std::ofstream pipe(path);
    pipe << "what " << std::flush;
    std::this_thread::sleep_for(std::chrono::milliseconds(5500));
    pipe << "passes";
  });
  EXPECT_EQ(read_file(path), "what passes");
  writer.join();
}

TEST(ReadFileLong, APipeWithoutAWriterIsAnError) {
  const TemporaryFolder folder;
  const std::string path = (folder / "pipe").string();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(error_text([&] { read_file(path); }),
            path +
                ": is a pipe or a device that gave nothing for 5 s (start the program that writes to it first, "
                "or write to a file)");
}

TEST(OpenRegularFile, RefusesAPipeAtOnce) {
  const TemporaryFolder folder;
  const std::string path = (folder / "pipe").string();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(error_text([&] { open_regular_file(path); }),
            path + ": is a pipe or a device, expected a file (write its content to a file first)");
}

}  // namespace
}  // namespace fathom::read_file_test
