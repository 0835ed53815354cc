#pragma once
#include <filesystem>
#include <functional>
#include <set>
#include <string>

namespace fathom::task::internal {

/// Is called between the steps that change an output folder; tests end the process there.
using BetweenSteps = std::function<void()>;

/// Returns true if a run may replace the folder as a whole: it holds nothing but files and folders of logs with
/// the names `own`, belongs to this user, and is not the current folder of this process.
bool is_all_own(const std::filesystem::path& folder, const std::set<std::string>& own);

/// Exchanges two folders in one step, so that at any time the name stands for the whole old or the whole new
/// folder, and removes the old one; the new one gets its group and permissions. What came into the old one
/// since is_all_own() looked, and is none of `own`, moves into the new one. Returns false, and changes no
/// entry, where the system cannot do it.
bool exchange_folders(const std::filesystem::path& fresh, const std::filesystem::path& target,
                      const std::set<std::string>& own, const BetweenSteps& between);

/// Moves the entries of `fresh` into `target`, among what else is there, with a journal: if the process is
/// killed half way, complete_replacement() finishes the work. Entries `stale` of an earlier run are removed.
/// `fresh` must be on the file system of `target`. Throws InputError if an entry cannot be moved, with
/// everything as it was; where that cannot be had either, the journal stays, and the message names it.
void replace_entries(const std::filesystem::path& fresh, const std::filesystem::path& target,
                     const std::set<std::string>& stale, const BetweenSteps& between);

/// Finishes a replacement that a killed run has left half done. Does nothing where there is none. What came
/// into the folder since, and is no result, stays; a number is added to its name where a result goes there.
void complete_replacement(const std::filesystem::path& target);

/// Removes the temporary folders that killed runs have left beside the folder and in it. Folders of processes
/// that still run stay unless `is_exclusive`, that is, unless a lock shows that they are of other processes.
void remove_leftovers(const std::filesystem::path& target, bool is_exclusive);

/// Returns true for a folder that holds nothing but channels that Fathom wrote, whole or in part.
bool has_only_own_logs(const std::filesystem::path& folder);

}  // namespace fathom::task::internal
