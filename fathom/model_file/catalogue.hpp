#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace fathom::model {

/// Where robots and arms are looked up by name, the first folder first.
struct Folders {
  std::vector<std::filesystem::path> robots, arms;
};

/// A robot by name, looked up in `folders`, or by path: what holds a '/' or ends in .yaml is a path.
/// Throws InputError that names the nearest robot, or the folders that were searched (base/search_path.hpp).
std::filesystem::path find_robot_file(const std::string& name_or_path,
                                      const std::vector<std::filesystem::path>& folders);

/// An arm, likewise; what ends in .urdf is a path too.
std::filesystem::path find_arm_file(const std::string& name_or_path,
                                    const std::vector<std::filesystem::path>& folders);

}  // namespace fathom::model
