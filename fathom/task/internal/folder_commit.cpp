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
#include "fathom/log/log_folder.hpp"

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

/// Moves of one replacement.
class Moves {
 public:
  explicit Moves(const BetweenSteps& between) : between_(between) {}

  void move(const fs::path& from, const fs::path& to) {
    step(between_);
    std::error_code error;
    fs::rename(from, to, error);
    if (error)
      reject(from.string(), 0, "", "cannot be replaced: " + error.message(),
             "choose another folder with --out");
    done_.emplace_back(from, to);
  }
  /// Undoes all moves in reverse order. Returns false if one of them could not be undone.
  bool undo() {
    bool all = true;
    for (auto move = done_.rbegin(); move != done_.rend(); ++move) {
      std::error_code error;
      fs::rename(move->second, move->first, error);
      all = all && !error;
    }
    return all;
  }

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

/// Returns true for a file, or a folder of logs, that a run may remove; any name of a result is taken for one.
bool is_result(const fs::directory_entry& entry) {
  std::error_code error;
  if (entry.is_symlink(error)) return false;
  return entry.is_directory(error) ? has_only_own_logs(entry.path()) : entry.is_regular_file(error);
}

/// Returns true where an entry was written, or put into its place, after the file `mark`.
bool is_newer(const fs::path& entry, const fs::path& mark) {
  struct stat of_entry {
  }, of_mark{};
  if (::lstat(entry.c_str(), &of_entry) != 0 || ::lstat(mark.c_str(), &of_mark) != 0) return false;
  const timespec &a = of_entry.st_ctim, &b = of_mark.st_ctim;
  return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

/// The folder that replace_entries() makes in the target: `new` holds the entries that are to go in, `stale`
/// lists those that are to leave, and `old` takes what has left.
struct Journal {
  explicit Journal(const fs::path& target) : path(target / journal_name) {}
  fs::path path, fresh = path / "new", old = path / "old", stale = path / "stale";
};

std::vector<std::string> stale_names(const Journal& journal) {
  std::vector<std::string> names;
  if (std::ifstream stale(journal.stale); stale)
    for (std::string name; std::getline(stale, name);) names.push_back(name);
  return names;
}

/// Each step can be repeated: what was moved is no longer in the journal. The summary leaves the folder before
/// anything else changes and comes last, so that a folder with a summary is never mixed.
///
/// Where a killed run wrote the journal, the folder may have changed since: `is_replayed` keeps what is newer
/// than the journal, or holds anything but logs. What stands where a result goes keeps a number after its name.
void move_entries(const fs::path& target, const Journal& journal, bool is_replayed, Moves& moves) {
  std::error_code error;
  std::vector<std::string> names = names_of(journal.fresh);
  std::stable_partition(names.begin(), names.end(),
                        [](const std::string& name) { return name != summary_name; });
  const auto set_aside = [&](const std::string& name, bool is_in_the_way) {
    const fs::directory_entry entry(target / name, error);
    if (!fs::exists(entry.symlink_status(error))) return;
    const bool is_foreign = is_replayed && (!is_result(entry) || is_newer(entry.path(), journal.stale));
    if (!is_foreign)
      moves.move(entry.path(), free_name(journal.old, name));
    else if (is_in_the_way)
      moves.move(entry.path(), free_name(target, name));
  };
  if (!names.empty() && names.back() == summary_name) set_aside(summary_name, true);
  for (const std::string& name : stale_names(journal)) set_aside(name, false);
  for (const std::string& name : names) {
    set_aside(name, true);
    moves.move(journal.fresh / name, target / name);
  }
}

/// Throws InputError with everything as it was where an entry cannot be moved. Where not even that succeeds,
/// the journal stays: it holds results, and the next run may complete it.
void finish(const fs::path& target, bool is_replayed, const BetweenSteps& between) {
  const Journal journal(target);
  std::error_code error;
  Moves moves(between);
  try {
    move_entries(target, journal, is_replayed, moves);
  } catch (const InputError& failure) {
    const bool is_undone = moves.undo();
    if (is_replayed && is_undone) throw;
    if (!is_undone) {
      ::utimensat(AT_FDCWD, journal.stale.c_str(), nullptr, 0);  // what was moved back is not newer
      reject(target.string(), 0, "",
             "is half replaced: " + failure.findings().front().text() + "; earlier results are in " +
                 journal.old.string(),
             "clear what is in the way, then run again: the next run completes the replacement");
    }
    const fs::path staged = temporary_beside(target / ".fathom");
    fs::rename(journal.path, staged, error);
    fs::remove_all(error ? journal.path : staged, error);
    throw;
  }
  step(between);
  // Under another name first: a journal that is half removed must not be taken for one to complete.
  const fs::path done = temporary_beside(target / ".fathom");
  fs::rename(journal.path, done, error);
  step(between);
  fs::remove_all(error ? journal.path : done, error);
}

/// Gives a folder the group and the permissions of another one. Returns false where it cannot have them.
bool takes_owner(const fs::path& folder, const fs::path& other) {
  struct stat own {
  }, wanted{};
  if (::stat(folder.c_str(), &own) != 0 || ::stat(other.c_str(), &wanted) != 0) return false;
  if (own.st_gid != wanted.st_gid && ::chown(folder.c_str(), static_cast<uid_t>(-1), wanted.st_gid) != 0)
    return false;
  return ::chmod(folder.c_str(), wanted.st_mode & 07777) == 0;  // after chown, which may clear bits
}

/// Moves what is not a result out of a folder that was exchanged and is about to be removed: a file may have
/// been put there after the folder was looked at.
void save_foreign_entries(const fs::path& replaced, const fs::path& target, const std::set<std::string>& own) {
  std::error_code error;
  for (const std::string& name : names_of(replaced)) {
    const fs::directory_entry entry(replaced / name, error);
    if (own.contains(name) && is_result(entry)) continue;
    fs::rename(entry.path(), free_name(target, name), error);
    if (!error) continue;
    const std::string reason = error.message();
    const fs::path kept = free_name(target.parent_path(), target.filename().string() + ".replaced");
    fs::rename(replaced, kept, error);  // the name of a temporary folder would not last
    reject(target.string(), 0, "",
           fmt::format("is written, but {} cannot be moved into it: {}", (kept / name).string(), reason),
           "look at what it is, and move it by hand");
  }
}

}  // namespace

bool has_only_own_logs(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (!log::has_log_marker(entry->path())) return false;
  return !error;
}

bool is_all_own(const fs::path& folder, const std::set<std::string>& own) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0 || status.st_uid != ::geteuid()) return false;
  if (is_current_folder(folder)) return false;  // the shell of its user would stay in the removed one
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (!own.contains(entry->path().filename().string()) || !is_result(*entry)) return false;
  }
  return !error;
}

bool exchange_folders(const fs::path& fresh, const fs::path& target, const std::set<std::string>& own,
                      const BetweenSteps& between) {
#ifdef RENAME_EXCHANGE
  std::error_code error;
  if (!takes_owner(fresh, target)) return false;
  step(between);
  if (::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) != 0) return false;
  step(between);
  save_foreign_entries(fresh, target, own);
  fs::remove_all(fresh, error);  // the old one; what cannot be removed is a leftover for the next run
  return true;
#else
  static_cast<void>(fresh), static_cast<void>(target), static_cast<void>(own), static_cast<void>(between);
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
  finish(target, false, between);
}

void complete_replacement(const fs::path& target) {
  std::error_code error;
  if (fs::is_directory(target / journal_name, error)) finish(target, true, {});
}

void remove_leftovers(const fs::path& target, bool is_exclusive) {
  remove_temporaries(target.parent_path(), target.filename().string(), is_exclusive);
  remove_temporaries(target, ".fathom", is_exclusive);
}

}  // namespace fathom::task::internal
