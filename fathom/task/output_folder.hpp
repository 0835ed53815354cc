#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fathom/base/error.hpp"
#include "fathom/base/thread_pool.hpp"

namespace fathom::task {

namespace internal {
class FolderLock;
}

/// Throws InputError if a verb would write its one file over one that it reads.
void check_not_read(const std::filesystem::path& file, const std::vector<std::filesystem::path>& inputs);

/// How an output folder takes part in a program that may be interrupted.
struct OutputHooks {
  Stop stop = {};                                ///< commit() throws Interrupted once it returns true
  std::function<void(bool)> has_temporary = {};  ///< true while an exit would leave files behind
  std::function<void()> between_steps = {};      ///< called between the steps of commit(), for tests
  /// Called with what an exit at once has to remove, in order: the lock, then the folders made for it, as far
  /// as they are empty. Called with nothing before the lock is released.
  std::function<void(const std::vector<std::filesystem::path>&)> holds_lock = {};
  std::function<void(const Finding&)> warn = {};  ///< called where the file system cannot lock the folder
};

/// A folder of results that appears whole or not at all: files are written to a temporary folder, and commit()
/// puts that in its place. If the verb fails or is interrupted before, what was there stays.
///
/// One run at a time holds the folder, by a lock beside it. Where the folder holds only results of Fathom,
/// commit() exchanges it in one step. Among other files it replaces its own ones with a journal; if the process
/// is killed meanwhile, the next run into the folder completes that first, and removes what killed runs left.
class OutputFolder {
 public:
  /// What a run reads and writes, as far as it is known before the work.
  struct Run {
    std::string verb;  ///< such as identify; a folder of another verb is left alone
    std::vector<std::filesystem::path> inputs = {};
    std::vector<std::string> outputs = {};
  };
  /// Throws at once if the folder cannot be made, is being written by another run, holds the results of another
  /// verb, or if the run would write over what it reads.
  OutputFolder(std::filesystem::path target, const Run& run, OutputHooks hooks = {});
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  ~OutputFolder();

  void write(const std::string& name, const std::string& bytes);
  /// Where to stream a log. Throws at once if what is there cannot be replaced when the run is over.
  std::filesystem::path log_folder(const std::string& name = "log");
  /// Files replace those of the same name, and files that only an earlier run of the verb wrote are removed. A
  /// folder of logs replaces the one before it as a whole, so that channels of two runs never mix; a folder
  /// that holds anything but logs is left alone, and that is an error.
  void commit();
  const std::filesystem::path& target() const { return target_; }

 private:
  void choose_temporary();
  void make_temporary();
  void remove_temporary();

  OutputHooks hooks_;
  std::filesystem::path target_;
  std::unique_ptr<internal::FolderLock> lock_;
  std::filesystem::path place_;  ///< target_ without symbolic links
  std::filesystem::path temporary_;
  bool is_made_ = false;
};

}  // namespace fathom::task
