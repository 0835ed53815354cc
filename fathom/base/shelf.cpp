#include "fathom/base/shelf.hpp"

#include <map>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"

namespace fathom {
namespace {

namespace fs = std::filesystem;

bool is_path(const Shelf& shelf, const std::string& name_or_path) {
  return name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".yaml") ||
         (!shelf.other_ending.empty() && name_or_path.ends_with(shelf.other_ending));
}

std::string where_nothing_is(const Shelf& shelf) {
  std::vector<std::string> searched;
  for (const fs::path& folder : shelf.folders) searched.push_back(folder.string());
  return (searched.empty() ? "there is no folder to look in" : "there is none in " + join(searched, ", ")) +
         (shelf.variable.empty() ? "" : "; set " + shelf.variable);
}

[[noreturn]] void refuse_name(const Shelf& shelf, const std::string& name,
                              const std::vector<std::string>& names) {
  const std::string message = fmt::format("there is no {} {}", shelf.what, in_quotes(name));
  for (const char* ending : {"", ".yaml", ".yml"})
    if (std::error_code error; fs::is_regular_file(name + ending, error))
      refuse("", message, fmt::format("a file here is meant by its path: ./{}{}", name, ending));
  const std::string otherwise =
      names.empty() ? where_nothing_is(shelf)
                    : fmt::format("known: {}; a path must hold a '/' or end in .yaml{}", join(names, ", "),
                                  shelf.other_ending.empty() ? "" : " or " + shelf.other_ending);
  refuse("", message, did_you_mean(name, std::vector<std::string_view>(names.begin(), names.end()), otherwise));
}

}  // namespace

std::vector<fs::path> list_files(const std::vector<fs::path>& folders) {
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

std::vector<std::string> list_names(const std::vector<fs::path>& folders) {
  std::vector<std::string> names;
  for (const fs::path& file : list_files(folders)) names.push_back(file.stem().string());
  return names;
}

fs::path find_file(const Shelf& shelf, const std::string& name_or_path) {
  if (is_path(shelf, name_or_path)) return name_or_path;
  for (const fs::path& file : list_files(shelf.folders))
    if (file.stem() == name_or_path) return file;
  refuse_name(shelf, name_or_path, list_names(shelf.folders));
}

}  // namespace fathom
