#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace fathom {

/// Says where files (*.yaml) of one kind are looked up by name.
struct SearchPath {
  std::string what;                            ///< the kind, for messages: "robot"
  std::vector<std::filesystem::path> folders;  ///< the first folder that has the name wins
  std::string variable = {};                   ///< environment variable that names one more folder
  std::string other_ending = {};               ///< another file extension of the kind: ".urdf"
};

/// Returns the files, sorted by name. A missing folder has none; one that cannot be read throws InputError.
std::vector<std::filesystem::path> list_files(const std::vector<std::filesystem::path>& folders);
/// Returns the names of these files.
std::vector<std::string> list_names(const std::vector<std::filesystem::path>& folders);

/// Returns the file of that name, or the path itself. A text with a '/' or with the file extension is a path,
/// and the file need not exist. Throws InputError; its hint is the nearest name, all names, or the folders
/// searched.
std::filesystem::path find_file(const SearchPath& search_path, const std::string& name_or_path);

}  // namespace fathom
