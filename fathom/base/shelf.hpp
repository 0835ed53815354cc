#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace fathom {

/// Files (*.yaml) that may be called by their names.
struct Shelf {
  std::string what;                            ///< one of them, for people: "robot"
  std::vector<std::filesystem::path> folders;  ///< of two files with one name the first folder's counts
  std::string variable = {};                   ///< of the environment, that names one more folder
  std::string other_ending = {};               ///< of a path, beside .yaml: ".urdf"
};

/// Sorted by name. A folder that is not there has none; one that cannot be read to its end throws InputError.
std::vector<std::filesystem::path> list_files(const std::vector<std::filesystem::path>& folders);
/// Their names.
std::vector<std::string> list_names(const std::vector<std::filesystem::path>& folders);

/// The file of that name, or the path: what holds a '/' or ends as a file of the shelf does is one, and need
/// not be there. Throws InputError whose hint is that a file here is meant by its path, or the nearest name, or
/// all of them, or the folders that were searched.
std::filesystem::path find_file(const Shelf& shelf, const std::string& name_or_path);

}  // namespace fathom
