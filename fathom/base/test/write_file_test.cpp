#include <atomic>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "fathom/base/file.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/base/test/temporary_folder.hpp"

namespace fathom::write_file_test {
namespace {

namespace fs = std::filesystem;
using test::error_text;
using test::slurp;
using test::spill;
using test::TemporaryFolder;

TEST(WriteFileAtomically, PutsEveryByteThere) {
  const TemporaryFolder folder;
  std::string bytes(200000, '\0');
  for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = static_cast<char>(k % 251);
  write_file_atomically(folder / "a", bytes);
  EXPECT_EQ(slurp(folder / "a"), bytes);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a"});
}

TEST(WriteFileAtomically, ReplacesALongerFile) {
  const TemporaryFolder folder;
  spill(folder / "a", "something long that was there");
  write_file_atomically(folder / "a", "new");
  EXPECT_EQ(slurp(folder / "a"), "new");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a"});
}

TEST(WriteFileAtomically, MakesTheParentFolders) {
  const TemporaryFolder folder;
  write_file_atomically(folder.path() / "x" / "y" / "a", "deep");
  EXPECT_EQ(slurp(folder.path() / "x" / "y" / "a"), "deep");
}

TEST(WriteFileAtomically, WritesAnEmptyFile) {
  const TemporaryFolder folder;
  spill(folder / "a", "old");
  write_file_atomically(folder / "a", "");
  EXPECT_TRUE(fs::exists(folder / "a"));
  EXPECT_EQ(slurp(folder / "a"), "");
}

TEST(WriteFileAtomically, WritesOneOfTheTextsWholeIfThreadsWriteAtOnce) {
  const TemporaryFolder folder;
  std::atomic<int> failures{0};
  const auto write_often = [&](char letter) {
    for (int k = 0; k < 50; ++k) {
      const auto write = [&] { write_file_atomically(folder / "a", std::string(20000, letter)); };
      if (error_text(write) != "(nothing was thrown)") ++failures;
    }
  };
  std::thread other(write_often, 'x');
  write_often('y');
  other.join();
  EXPECT_EQ(failures, 0);
  const std::string text = slurp(folder / "a");
  EXPECT_EQ(text, std::string(20000, text.front()));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a"});
}

TEST(TemporaryBeside, GivesNoNameTwice) {
  EXPECT_NE(temporary_beside("folder/a"), temporary_beside("folder/a"));
  const fs::path temporary = temporary_beside("folder/a");
  EXPECT_EQ(temporary.parent_path(), "folder");
  EXPECT_TRUE(temporary.filename().string().starts_with("a.")) << temporary;
  EXPECT_EQ(temporary.extension(), ".tmp");
}

TEST(WriteFileAtomically, WritesIntoTheCurrentFolder) {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  write_file_atomically("bare_name", "here");
  fs::current_path(before);
  EXPECT_EQ(slurp(folder / "bare_name"), "here");
}

TEST(WriteFileAtomically, RefusesAPathBelowARegularFileAndKeepsThatFile) {
  const TemporaryFolder folder;
  spill(folder / "file", "kept");
  const std::string file = (folder / "file").string();
  EXPECT_EQ(error_text([&] { write_file_atomically(folder.path() / "file" / "below", "x"); }),
            file + ": cannot be made: Not a directory (is it a file, or not writable?)");
  EXPECT_EQ(error_text([&] { write_file_atomically(folder.path() / "file" / "far" / "below", "x"); }),
            file + "/far: cannot be made: Not a directory (is it a file, or not writable?)");
  EXPECT_EQ(slurp(folder / "file"), "kept");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
}

TEST(WriteFileAtomically, LeavesNoTemporaryFileBesideATargetThatIsAFolder) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "target");
  spill(folder.path() / "target" / "inside", "kept");
  const std::string target = (folder / "target").string();
  EXPECT_EQ(error_text([&] { write_file_atomically(target, "x"); }),
            target + ": cannot be replaced: Is a directory (is it a folder?)");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"target"});
  EXPECT_EQ(slurp(folder.path() / "target" / "inside"), "kept");
}

TEST(WriteFileAtomically, RefusesAFolderThatNobodyCanWriteTo) {
  EXPECT_THROW(write_file_atomically("/proc/fathom_test/a", "x"), InputError);
  EXPECT_THROW(write_file_atomically("/proc/a", "x"), InputError);
}

/// The disk is never full on demand; a limit on the size of files fails the write in the same place.
void write_with_a_file_size_limit(const fs::path& path) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{1000, 1000};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const std::string text = error_text([&] { write_file_atomically(path, std::string(100000, 'x')); });
  const bool as_expected = text == path.string() + ": cannot be written: File too large (is the disk full?)";
  std::_Exit(as_expected ? 0 : 1);
}

TEST(WriteFileAtomically, KeepsTheOldContentIfTheDiskFillsUp) {
  const TemporaryFolder folder;
  spill(folder / "a", "old content");
  EXPECT_EXIT(write_with_a_file_size_limit(folder / "a"), ::testing::ExitedWithCode(0), "");
  EXPECT_EQ(slurp(folder / "a"), "old content");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace fathom::write_file_test
