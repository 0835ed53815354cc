#include "fathom/task/output_folder.hpp"

#include <csignal>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"
#include "fathom/base/random.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/base/test/temporary_folder.hpp"

namespace fathom::task::output_folder_test {
namespace {

namespace fs = std::filesystem;
using test::error_text;
using test::TemporaryFolder;

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

/// Results whose every file says `stamp`.
void write_results(const fs::path& folder, int stamp, const OutputHooks& hooks = {},
                   const std::string& more = "") {
  OutputFolder out(folder, {"simulate"}, hooks);
  const std::string text = std::to_string(stamp);
  write_file_atomically(out.log_folder() / "rov.state.csv", "# fathom log 1\n" + text);
  nlohmann::json summary{{"command", "simulate s.yaml"},
                         {"stamp", text},
                         {"log", "results/log"},
                         {"files", {"results/report.html"}}};
  if (!more.empty()) {
    out.write(more, text);
    summary["files"].push_back("results/" + more);
  }
  out.write("report.html", text);
  out.write("summary.json", summary.dump());
  out.commit();
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

/// The stamps of all files of a result that are there.
std::set<std::string> stamps(const fs::path& folder) {
  std::set<std::string> found;
  for (const char* name : {"log/rov.state.csv", "report.html"})
    if (fs::exists(folder / name)) {
      const std::string text = read_file(folder / name);
      found.insert(text.substr(text.find('\n') + 1));
    }
  if (fs::exists(folder / "summary.json"))
    found.insert(nlohmann::json::parse(read_file(folder / "summary.json"))["stamp"].get<std::string>());
  return found;
}

const std::set<std::string> all_names{"log", "report.html", "summary.json"};

/// Runs `f` in a process of its own, and returns true if it was killed.
bool is_killed(const std::function<void()>& f) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      f();
    } catch (...) {
      ::_exit(9);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
  return WIFSIGNALED(status);
}

/// Hooks that kill the process before step `k` of commit().
OutputHooks killed_at(int k) {
  return {.between_steps = [k, at = std::make_shared<int>(0)] {
    if ((*at)++ == k) std::raise(SIGKILL);
  }};
}

TEST(OutputFolder, KilledAtAnyStepLeavesOneOfTheResults) {
  int k = 0;
  for (bool killed = true; killed; ++k) {
    TemporaryFolder folder;
    const fs::path results = folder / "results";
    write_results(results, 1);
    killed = is_killed([&] { write_results(results, 2, killed_at(k)); });
    EXPECT_EQ(names_in(results), all_names) << k;
    EXPECT_EQ(stamps(results).size(), 1u) << k;
    write_results(results, 3);
    EXPECT_EQ(stamps(results), std::set<std::string>{"3"});
    EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"results"}) << k;
  }
  EXPECT_GE(k, 3);  // it was killed before and after the exchange
}

TEST(OutputFolder, KilledAmongOtherFilesIsCompletedByTheNextRun) {
  int k = 0;
  std::set<std::string> seen;
  for (bool killed = true; killed; ++k) {
    TemporaryFolder folder;
    const fs::path results = folder / "results";
    write_results(results, 1, {}, "old.yaml");
    write_file_atomically(results / "notes.txt", "mine");
    killed = is_killed([&] { write_results(results, 2, killed_at(k)); });
    if (fs::exists(results / "summary.json")) EXPECT_EQ(stamps(results).size(), 1u) << k;
    EXPECT_EQ(read_file(results / "notes.txt"), "mine");
    { OutputFolder next(results, {"simulate"}); }  // it writes nothing
    std::set<std::string> expected = all_names;
    expected.insert("notes.txt");
    const std::set<std::string> found = stamps(results);
    ASSERT_EQ(found.size(), 1u) << k;
    if (found.contains("1")) expected.insert("old.yaml");
    EXPECT_EQ(names_in(results), expected) << k;
    EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"results"}) << k;
    seen.insert(found.begin(), found.end());
  }
  EXPECT_EQ(seen.size(), 2u);
  EXPECT_GE(k, 8);
}

/// Hooks that call `f` once, at the first step at which `when` is true.
OutputHooks once(std::function<bool()> when, std::function<void()> f) {
  return {.between_steps = [when = std::move(when), f = std::move(f), is_done = std::make_shared<bool>(false)] {
    if (*is_done || !when()) return;
    *is_done = true;
    f();
  }};
}

TEST(OutputFolder, AFileThatComesJustBeforeTheExchangeStays) {
  TemporaryFolder folder;
  const fs::path results = folder / "results";
  write_results(results, 1);
  write_results(results, 2,
                once([] { return true; },
                     [&] {
                       write_file_atomically(results / "notes.txt", "mine");
                       write_file_atomically(results / "log" / "todo.txt", "mine too");
                     }));
  EXPECT_EQ(stamps(results), std::set<std::string>{"2"});
  EXPECT_EQ(read_file(results / "notes.txt"), "mine");
  EXPECT_EQ(read_file(results / "log.1" / "todo.txt"), "mine too");
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"results"});
}

TEST(OutputFolder, AFailedRollbackKeepsTheEarlierResults) {
  TemporaryFolder folder;
  const fs::path results = folder / "results", obstacle = results / "report.html",
                 kept = results / ".fathom-journal" / "old";
  write_results(results, 1);
  write_file_atomically(results / "notes.txt", "mine");
  const OutputHooks hooks = once([&] { return fs::exists(kept / "report.html"); },
                                 [&] { write_file_atomically(obstacle / "x", "in the way of both"); });
  const std::string text = error_text([&] { write_results(results, 2, hooks); });
  EXPECT_HAS(text, "earlier results are in " + kept.string());
  EXPECT_EQ(read_file(kept / "report.html"), "1");
  EXPECT_EQ(read_file(obstacle / "x"), "in the way of both");
  fs::remove_all(obstacle);
  { OutputFolder next(results, {"simulate"}); }
  EXPECT_EQ(stamps(results), std::set<std::string>{"2"});
  std::set<std::string> expected = all_names;
  expected.insert("notes.txt");
  EXPECT_EQ(names_in(results), expected);
}

TEST(OutputFolder, AReplayedJournalKeepsWhatCameSince) {
  TemporaryFolder folder;
  const fs::path results = folder / "results", journal = results / ".fathom-journal";
  write_results(results, 1, {}, "old.yaml");
  write_file_atomically(results / "notes.txt", "mine");
  ASSERT_TRUE(is_killed([&] {
    write_results(results, 2, once([&] { return fs::exists(journal); }, [] { std::raise(SIGKILL); }));
  }));
  ::usleep(20'000);  // the clock of the file system ticks
  write_file_atomically(results / "old.yaml", "edited");
  write_file_atomically(results / "log" / "todo.txt", "put there since");
  { OutputFolder next(results, {"simulate"}); }
  EXPECT_EQ(stamps(results), std::set<std::string>{"2"});
  EXPECT_EQ(read_file(results / "old.yaml"), "edited");
  EXPECT_EQ(read_file(results / "log.1" / "todo.txt"), "put there since");
  EXPECT_FALSE(fs::exists(journal));
}

TEST(OutputFolder, GroupStays) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may change groups at will";
  TemporaryFolder folder;
  const fs::path results = folder / "results";
  write_results(results, 1);
  constexpr gid_t group = 12345;
  ASSERT_EQ(::chown(results.c_str(), static_cast<uid_t>(-1), group), 0);
  write_results(results, 2);
  struct stat status {};
  ASSERT_EQ(::stat(results.c_str(), &status), 0);
  EXPECT_EQ(status.st_gid, group);
}

TEST(OutputFolder, ALockThatAnotherRunMadeStays) {
  TemporaryFolder folder;
  const fs::path lock = folder / ".results.fathom-lock";
  {
    OutputFolder out(folder / "results", {"identify"});
    fs::remove(lock);
    write_file_atomically(lock, "of another run");
  }
  EXPECT_EQ(read_file(lock), "of another run");
}

TEST(OutputFolder, LocksInsideAndBesideExcludeEachOther) {
  TemporaryFolder folder;
  const fs::path results = folder / "results", inside = results / ".fathom-lock";
  write_results(results, 1);
  write_file_atomically(inside, "process 999999 (fathom simulate)\n");
  const int fd = ::open(inside.c_str(), O_RDWR);
  ASSERT_EQ(::flock(fd, LOCK_EX), 0);
  EXPECT_HAS(error_text([&] { write_results(results, 2); }),
             "is being written by process 999999 (fathom simulate)");
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"results"});
  ::close(fd);  // as when that run is killed
  write_results(results, 2);
  EXPECT_EQ(names_in(results), all_names);
}

TEST(OutputFolder, SecondRunIsToldWhoWritesThere) {
  TemporaryFolder folder;
  const fs::path results = folder / "a" / "results";
  {
    OutputFolder first(results, {"identify"});
    const std::string text = error_text([&] { OutputFolder second(results, {"identify"}); });
    EXPECT_HAS(text, fmt::format("is being written by process {} (fathom identify)", ::getpid()));
    EXPECT_HAS(text, "--out");
  }
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{});
  write_results(results, 1);
  EXPECT_EQ(names_in(folder / "a"), std::set<std::string>{"results"});
}

TEST(OutputFolder, LockIsTheSameByAnyPath) {
  TemporaryFolder folder;
  fs::create_directory(folder / "real");
  fs::create_directory_symlink(folder / "real", folder / "link");
  OutputFolder first(folder / "link", {"identify"});
  EXPECT_HAS(error_text([&] { OutputFolder second(folder / "real", {"identify"}); }), "is being written");
}

TEST(OutputFolder, LeftoversOfKilledRunsAreRemoved) {
  TemporaryFolder folder;
  const fs::path results = folder / "results";
  write_results(results, 1);
  for (const fs::path& left : {folder / "results.999999.0.tmp", results / ".fathom.999999.3.tmp"})
    write_file_atomically(left / "log" / "x.csv.part", "x");
  write_file_atomically(folder / ".results.fathom-lock", "process 999999 (fathom simulate)\n");
  write_file_atomically(folder / "results.backup.tmp" / "notes.txt", "mine");
  write_results(results, 2);
  EXPECT_EQ(names_in(folder.path()), (std::set<std::string>{"results", "results.backup.tmp"}));
  EXPECT_EQ(names_in(results), all_names);
}

TEST(OutputFolder, FilesOfAnEarlierRunDoNotStay) {
  for (const bool has_other_files : {false, true}) {
    TemporaryFolder folder;
    const fs::path results = folder / "results";
    write_results(results, 1, {}, "old.yaml");
    if (has_other_files) write_file_atomically(results / "notes.txt", "mine");
    write_results(results, 2);
    std::set<std::string> expected = all_names;
    if (has_other_files) expected.insert("notes.txt");
    EXPECT_EQ(names_in(results), expected);
  }
}

/// A file of the earlier results would be removed with them, though this run writes none of that name.
TEST(OutputFolder, AnInputAmongTheEarlierResultsIsRejected) {
  TemporaryFolder folder;
  const fs::path results = folder / "results";
  write_results(results, 1, {}, "robot.yaml");
  const auto reading = [&](const fs::path& input) {
    return error_text([&] { OutputFolder out(results, {"simulate", {input}, {"report.html"}}); });
  };
  for (const char* name : {"robot.yaml", "report.html"})
    EXPECT_HAS(reading(results / name),
               "is read in this run and would be replaced by its result (choose another folder with --out)");
  write_file_atomically(results / "mine.yaml", "mine");
  EXPECT_NO_THROW(OutputFolder(results, {"simulate", {results / "mine.yaml"}, {"report.html"}}));
}

/// Logs that the user has put beside those of the run are not Fathom's to remove.
TEST(OutputFolder, CopiedLogsStay) {
  TemporaryFolder folder;
  const fs::path results = folder / "results";
  write_results(results, 1);
  write_file_atomically(results / "monday" / "rov.state.csv", "# fathom log 1\nmine");
  write_results(results, 2);
  EXPECT_TRUE(fs::exists(results / "monday" / "rov.state.csv"));
  EXPECT_EQ(stamps(results), std::set<std::string>{"2"});
}

TEST(OutputFolder, PermissionsStay) {
  TemporaryFolder folder;
  const fs::path results = folder / "results";
  write_results(results, 1);
  fs::permissions(results, fs::perms::owner_all | fs::perms::group_read);
  write_results(results, 2);
  EXPECT_EQ(fs::status(results).permissions(), fs::perms::owner_all | fs::perms::group_read);
}

TEST(OutputFolder, NamesItsLockOnlyWhileItHoldsIt) {
  TemporaryFolder folder;
  std::vector<fs::path> named;
  bool waits = false;
  OutputHooks hooks;
  hooks.has_temporary = [&](bool is_there) { waits = is_there; };
  hooks.holds_lock = [&](const std::vector<fs::path>& paths) {
    EXPECT_TRUE(paths.empty() == waits) << "an exit between the two would leave the lock";
    named = paths;
  };
  {
    OutputFolder out(folder / "a" / "b" / "results", {"simulate"}, hooks);
    ASSERT_EQ(named.size(), 3u);  // the file, b, a
    for (const fs::path& path : named) EXPECT_TRUE(path.is_absolute() && fs::exists(path)) << path;
    const std::vector<fs::path> held = named;
    EXPECT_THROW(OutputFolder(folder / "a" / "b" / "results", {"simulate"}, hooks), InputError);
    EXPECT_EQ(named, held) << "the second run does not hold the lock";
  }
  EXPECT_TRUE(named.empty());
  EXPECT_FALSE(waits);
  EXPECT_TRUE(names_in(folder.path()).empty());
}

/// Writes results over and over, with other stamps each time.
pid_t writer(const fs::path& results, int first) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  for (int k = 0;; ++k) {
    try {
      write_results(results, first + 2 * k);
    } catch (const InputError&) {  // the other one writes
    }
  }
}

void kill_pairs(int rounds, bool has_other_files) {
  TemporaryFolder folder;
  const fs::path results = folder / "results";
  write_results(results, 0);
  if (has_other_files) write_file_atomically(results / "notes.txt", "mine");
  RandomStream random(1, "kill pairs");
  for (int k = 0; k < rounds; ++k) {
    const pid_t pair[] = {writer(results, 1), writer(results, 2)};
    ::usleep(static_cast<useconds_t>(random.uniform(100, 10'000)));
    for (const pid_t one : pair) ::kill(one, SIGKILL);
    for (const pid_t one : pair) ::waitpid(one, nullptr, 0);
    if (has_other_files) OutputFolder next(results, {"simulate"});  // completes what was begun
    EXPECT_EQ(stamps(results).size(), 1u);
    for (const std::string& name : all_names) EXPECT_TRUE(fs::exists(results / name)) << name;
  }
  write_results(results, -1);
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"results"});
}

TEST(OutputFolder, PairsOfRunsThatAreKilledNeverMix) { kill_pairs(25, false); }
TEST(OutputFolder, PairsAmongOtherFilesNeverMix) { kill_pairs(25, true); }

}  // namespace
}  // namespace fathom::task::output_folder_test
