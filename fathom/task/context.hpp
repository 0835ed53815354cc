#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "fathom/base/error.hpp"
#include "fathom/base/thread_pool.hpp"

namespace fathom::task {

/// The folders in which shipped files are looked up by name. A name that holds a '/' or ends in .yaml is a
/// path, and needs none of them.
struct SearchPaths {
  using Folders = std::vector<std::filesystem::path>;
  Folders robots, arms, scenarios, assemblies, problems;
  std::filesystem::path studies;

  /// Returns the folders of an installation: robots are in `share`/robots, and so on.
  static SearchPaths in(const std::filesystem::path& share);

  /// Each returns the file of that name or path. Throws InputError that names the nearest.
  std::filesystem::path robot(const std::string& name_or_path) const;
  std::filesystem::path arm(const std::string& name_or_path) const;
  std::filesystem::path scenario(const std::string& name_or_path) const;
  std::filesystem::path assembly(const std::string& name_or_path) const;
  std::filesystem::path problem(const std::string& name_or_path) const;
  /// Returns where the modules of an assembly are looked up: robots, then assemblies.
  Folders modules() const;
};

/// What the caller of a task gives besides its options. None of it changes results.
struct Context {
  SearchPaths paths = {};
  /// Is called with the work at hand ("reading logs"), the share of it that is done, and a line of news.
  std::function<void(const std::string& doing, double share, const std::string& news)> progress = {};
  /// Is called with each warning about the input, which the result has too; the program prints them at its end.
  std::function<void(const Finding& finding)> warn = {};
  /// True once cancellation was requested: the task then throws Interrupted (base/thread_pool.hpp), which is no
  /// std::exception, so that no handler of errors takes it for one.
  Stop stop = {};
  int threads = 0;  ///< 0: all cores; the same numbers whatever it is

  /// Reports progress. Throws Interrupted once cancellation was requested.
  void at(const std::string& doing, double share, const std::string& news = {}) const;
  ThreadPool pool() const { return ThreadPool(threads, stop); }
};

/// Fathom's version, such as 0.1.0.
std::string version();

}  // namespace fathom::task
