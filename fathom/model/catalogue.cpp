#include "fathom/model/catalogue.hpp"

#include <map>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/shelf.hpp"
#include "fathom/base/text.hpp"

namespace fathom::model {

namespace fs = std::filesystem;

std::vector<fs::path> list_robot_files(const std::vector<fs::path>& folders) {
  std::map<std::string, fs::path> by_name;
  for (const fs::path& folder : folders) {
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    if (error) continue;  // not there
    while (entry != fs::directory_iterator()) {
      std::error_code not_a_folder;
      if (entry->path().extension() == ".yaml" && !entry->is_directory(not_a_folder))
        by_name.emplace(entry->path().stem().string(), entry->path());
      entry.increment(error);
      if (error) refuse(folder.string(), 0, "", "cannot be listed: " + error.message(), "is the disk healthy?");
    }
  }
  std::vector<fs::path> files;
  files.reserve(by_name.size());
  for (const auto& [name, path] : by_name) files.push_back(path);
  return files;
}

namespace {

fs::path find_by_name(const char* what, const std::string& name, const std::vector<fs::path>& folders,
                      const char* variable, const char* endings) {
  std::vector<std::string> names;
  for (const fs::path& file : list_robot_files(folders)) {
    if (file.stem() == name) return file;
    names.push_back(file.stem().string());
  }
  std::vector<std::string> searched;
  searched.reserve(folders.size());
  for (const fs::path& folder : folders) searched.push_back(folder.string());
  refuse_name(what, name, names,
              names.empty()
                  ? fmt::format("no {}s in {}{}", what, join(searched, ", "), variable)
                  : fmt::format("known: {}; a path must hold a '/' or end in {}", join(names, ", "), endings));
}

}  // namespace

fs::path find_robot_file(const std::string& name_or_path, const std::vector<fs::path>& folders) {
  if (is_path(name_or_path)) return name_or_path;
  return find_by_name("robot", name_or_path, folders, "; set FATHOM_MODELS", ".yaml");
}

fs::path find_arm_file(const std::string& name_or_path, const std::vector<fs::path>& folders) {
  if (is_path(name_or_path) || name_or_path.ends_with(".urdf")) return name_or_path;
  return find_by_name("arm", name_or_path, folders, "", ".yaml or .urdf");
}

}  // namespace fathom::model
