#include "fathom/task/internal/folder_commit.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"

namespace fathom::task::internal {
namespace {

namespace fs = std::filesystem;

constexpr const char* journal_name = ".fathom-journal";
constexpr const char* summary_name = "summary.json";

void step(const BetweenSteps& between) {
  if (between) between();
}

/// The process number in `PREFIX.PID.COUNT.tmp` (temporary_beside); 0 for any other name.
int process_in(const std::string& name, const std::string& prefix) {
  constexpr std::string_view end = ".tmp";
  if (!name.starts_with(prefix + ".") || !name.ends_with(end)) return 0;
  const char *at = name.data() + prefix.size() + 1, *stop = name.data() + name.size() - end.size();
  int process = 0;
  unsigned count = 0;
  const auto first = std::from_chars(at, stop, process);
  if (first.ec != std::errc() || first.ptr == stop || *first.ptr != '.') return 0;
  const auto second = std::from_chars(first.ptr + 1, stop, count);
  return second.ec == std::errc() && second.ptr == stop ? process : 0;
}

void remove_temporaries(const fs::path& folder, const std::string& prefix, bool is_exclusive) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const int process = process_in(entry->path().filename().string(), prefix);
    if (process <= 0 || !entry->is_directory(error) || entry->is_symlink(error)) continue;
    const bool has_ended = ::kill(process, 0) != 0 && errno == ESRCH;
    if (is_exclusive || has_ended) found.push_back(entry->path());
  }
  for (const fs::path& path : found) fs::remove_all(path, error);
}

bool is_current_folder(const fs::path& folder) {
  std::error_code error;
  for (fs::path at = fs::current_path(error); !error && !at.empty(); at = at.parent_path()) {
    if (fs::equivalent(at, folder, error)) return true;
    if (at == at.parent_path()) break;
  }
  return false;
}

/// Moves of one replacement. They are undone in reverse order unless they were kept.
class Moves {
 public:
  explicit Moves(const BetweenSteps& between) : between_(between) {}
  Moves(const Moves&) = delete;
  Moves& operator=(const Moves&) = delete;
  ~Moves() {
    std::error_code error;
    for (auto move = done_.rbegin(); move != done_.rend(); ++move) fs::rename(move->second, move->first, error);
  }

  void move(const fs::path& from, const fs::path& to) {
    step(between_);
    std::error_code error;
    fs::rename(from, to, error);
    if (error)
      reject(from.string(), 0, "", "cannot be replaced: " + error.message(),
             "choose another folder with --out");
    done_.emplace_back(from, to);
  }
  void keep() { done_.clear(); }

 private:
  const BetweenSteps& between_;
  std::vector<std::pair<fs::path, fs::path>> done_;
};

/// A name in `folder` that is not taken.
fs::path free_name(const fs::path& folder, const std::string& name) {
  fs::path path = folder / name;
  std::error_code error;
  for (int k = 1; fs::exists(fs::symlink_status(path, error)); ++k)
    path = folder / fmt::format("{}.{}", name, k);
  return path;
}

std::vector<std::string> names_of(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    names.push_back(entry->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Each step can be repeated: what was moved is no longer in the journal. The summary leaves the folder before
/// anything else changes and comes last, so that a folder with a summary is never mixed.
void finish(const fs::path& target, const BetweenSteps& between) {
  const fs::path journal = target / journal_name, fresh = journal / "new", old = journal / "old";
  std::error_code error;
  const auto is_there = [&](const fs::path& path) { return fs::exists(fs::symlink_status(path, error)); };
  std::vector<std::string> names = names_of(fresh);
  std::stable_partition(names.begin(), names.end(),
                        [](const std::string& name) { return name != summary_name; });
  std::vector<std::string> leaving;
  if (std::ifstream stale(journal / "stale"); stale)
    for (std::string name; std::getline(stale, name);) leaving.push_back(name);
  Moves moves(between);
  const auto set_aside = [&](const std::string& name) {
    if (is_there(target / name)) moves.move(target / name, free_name(old, name));
  };
  if (!names.empty() && names.back() == summary_name) set_aside(summary_name);
  for (const std::string& name : leaving) set_aside(name);
  for (const std::string& name : names) {
    set_aside(name);
    moves.move(fresh / name, target / name);
  }
  moves.keep();
  step(between);
  // Under another name first: a journal that is half removed must not be taken for one to complete.
  const fs::path done = temporary_beside(target / ".fathom");
  fs::rename(journal, done, error);
  step(between);
  fs::remove_all(error ? journal : done, error);
}

}  // namespace

bool is_own_log(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;  // a pipe would wait for a writer
  constexpr std::string_view mark = "# fathom log 1";
  std::string begin(mark.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return file && begin == mark;
}

bool has_only_own_logs(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (!is_own_log(entry->path())) return false;
  return !error;
}

bool is_all_own(const fs::path& folder, const std::set<std::string>& own) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0 || status.st_uid != ::geteuid()) return false;
  if (is_current_folder(folder)) return false;  // the shell of its user would stay in the removed one
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->is_symlink(error) || !own.contains(entry->path().filename().string())) return false;
    if (entry->is_directory(error) ? !has_only_own_logs(entry->path()) : !entry->is_regular_file(error))
      return false;
  }
  return !error;
}

bool exchange_folders(const fs::path& fresh, const fs::path& target, const BetweenSteps& between) {
#ifdef RENAME_EXCHANGE
  std::error_code error;
  fs::permissions(fresh, fs::status(target, error).permissions(), error);
  step(between);
  if (::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) != 0) return false;
  step(between);
  fs::remove_all(fresh, error);  // the old one; what cannot be removed is a leftover for the next run
  return true;
#else
  static_cast<void>(fresh), static_cast<void>(target), static_cast<void>(between);
  return false;
#endif
}

void replace_entries(const fs::path& fresh, const fs::path& target, const std::set<std::string>& stale,
                     const BetweenSteps& between) {
  const fs::path staged = temporary_beside(target / ".fathom");
  std::error_code error;
  const auto check = [&] {
    if (!error) return;
    const std::string reason = error.message();
    fs::remove_all(staged, error);
    reject(target.string(), 0, "", "cannot be written: " + reason, "choose another folder with --out");
  };
  fs::create_directories(staged / "old", error);
  check();
  step(between);
  fs::rename(fresh, staged / "new", error);
  check();
  std::string names;
  for (const std::string& name : stale) names += name + "\n";
  try {
    write_file_atomically(staged / "stale", names);
  } catch (...) {
    fs::remove_all(staged, error);
    throw;
  }
  step(between);
  fs::rename(staged, target / journal_name, error);  // from here on the next run completes it
  check();
  try {
    finish(target, between);
  } catch (...) {
    fs::rename(target / journal_name, staged, error);
    fs::remove_all(staged, error);
    throw;
  }
}

void complete_replacement(const fs::path& target) {
  std::error_code error;
  if (fs::is_directory(target / journal_name, error)) finish(target, {});
}

void remove_leftovers(const fs::path& target, bool is_exclusive) {
  remove_temporaries(target.parent_path(), target.filename().string(), is_exclusive);
  remove_temporaries(target, ".fathom", is_exclusive);
}

}  // namespace fathom::task::internal
