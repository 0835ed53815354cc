#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace fathom::task::internal {

/// Holds an output folder for one run: a second run into the same folder fails while the first one lasts.
///
/// The lock is an advisory lock (flock) on the file `.NAME.fathom-lock` beside the folder, or inside it where
/// nothing can be written beside it; each excludes the other. The system releases it when the process ends,
/// however it ends. The destructor removes the file, and the parent folders that were made for it as far as
/// they are empty.
class FolderLock {
 public:
  /// @param target  The output folder; it need not exist.
  /// @param run     Written to the lock for the message of a second run, such as "fathom identify".
  /// Throws InputError if another run holds the folder, or if nothing can be written there.
  FolderLock(const std::filesystem::path& target, const std::string& run);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

  /// Returns false where the file system has no locks: other runs may then write to the same folder.
  bool is_exclusive() const { return is_exclusive_; }

  /// Returns the absolute path of the folder without symbolic links.
  const std::filesystem::path& folder() const { return folder_; }

  /// Returns the absolute paths that the destructor removes, in its order: the file, then the parent folders.
  std::vector<std::filesystem::path> paths() const;

 private:
  bool open_file();
  bool take(const std::filesystem::path& target);
  void release();

  std::filesystem::path folder_;
  std::filesystem::path file_;
  std::vector<std::filesystem::path> made_parents_;  ///< the deepest first
  int fd_ = -1;
  bool is_held_ = false;  ///< the file is ours to remove
  bool is_exclusive_ = true;
};

}  // namespace fathom::task::internal
