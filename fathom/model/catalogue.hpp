#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace fathom::model {

/// The robot files (*.yaml) of these folders, sorted by name; of two with one name the first folder's counts.
/// A folder that is not there has none; one that cannot be read to its end throws InputError.
std::vector<std::filesystem::path> list_robot_files(const std::vector<std::filesystem::path>& folders);

/// A robot by name, looked up in `folders`, or by path: what holds a '/' or ends in .yaml is a path.
/// Throws InputError that names the nearest robot, or the folders that were searched.
std::filesystem::path find_robot_file(const std::string& name_or_path,
                                      const std::vector<std::filesystem::path>& folders);

/// An arm, likewise; what ends in .urdf is a path too.
std::filesystem::path find_arm_file(const std::string& name_or_path,
                                    const std::vector<std::filesystem::path>& folders);

}  // namespace fathom::model
