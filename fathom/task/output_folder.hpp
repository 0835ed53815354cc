#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "fathom/base/thread_pool.hpp"

namespace fathom::task {

/// Throws InputError if a verb would write its one file over one that it reads.
void check_not_read(const std::filesystem::path& file, const std::vector<std::filesystem::path>& inputs);

/// How an output folder takes part in a program that may be interrupted.
struct OutputHooks {
  Stop stop = {};                                ///< commit() throws Interrupted once it returns true
  std::function<void(bool)> has_temporary = {};  ///< called when the temporary folder is made and removed
};

/// A folder of results that appears whole or not at all: files are written to a temporary folder beside it, and
/// commit() puts that in its place. If the verb fails or is interrupted before, what was there stays. The
/// temporary folder is there only from the first write on.
class OutputFolder {
 public:
  /// What a run reads and writes, as far as it is known before the work.
  struct Run {
    std::string verb;  ///< such as identify; a folder of another verb is left alone
    std::vector<std::filesystem::path> inputs = {};
    std::vector<std::string> outputs = {};
  };
  /// Throws at once if the folder cannot be made, holds the results of another verb, or if the run would write
  /// over what it reads.
  OutputFolder(std::filesystem::path target, const Run& run, OutputHooks hooks = {});
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  ~OutputFolder();

  void write(const std::string& name, const std::string& bytes);
  /// Where to stream a log. Throws at once if what is there cannot be replaced when the run is over.
  std::filesystem::path log_folder(const std::string& name = "log");
  /// Files replace those of the same name. A folder of logs replaces the one before it as a whole, so that
  /// channels of two runs never mix; a folder that holds anything but logs is left alone, and that is an error.
  void commit();
  const std::filesystem::path& target() const { return target_; }

 private:
  void make_temporary();
  void remove_temporary();

  OutputHooks hooks_;
  std::filesystem::path target_, temporary_;
  std::vector<std::filesystem::path> made_parents_;  ///< of the temporary folder, the deepest first
  bool is_made_ = false;
};

}  // namespace fathom::task
