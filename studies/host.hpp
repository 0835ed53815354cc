#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/thread_pool.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::studies {

/// What a study is given by whoever runs it.
struct Host {
  ThreadPool& pool;  ///< whose stop() ends the study with Interrupted
  std::uint64_t seed = 1;
  std::filesystem::path shared;  ///< holds arms/, problems/ and studies/, as the repository does
  std::vector<std::filesystem::path> robot_folders;  ///< where robots are looked up by name
  std::filesystem::path data;                        ///< measured data, which the repository does not hold
  /// Hears which share of the work is done, 0 to 1, and what it is at.
  std::function<void(double share, std::string_view news)> progress = [](double, std::string_view) {};

  model::Robot robot(const std::string& name) const;
};

}  // namespace fathom::studies
