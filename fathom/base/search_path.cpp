#include "fathom/base/search_path.hpp"

#include <map>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"

namespace fathom {
namespace {

namespace fs = std::filesystem;

bool is_path(const SearchPath& search_path, const std::string& name_or_path) {
  return name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".yaml") ||
         (!search_path.other_ending.empty() && name_or_path.ends_with(search_path.other_ending));
}

std::string where_nothing_is(const SearchPath& search_path) {
  std::vector<std::string> searched;
  for (const fs::path& folder : search_path.folders) searched.push_back(folder.string());
  return (searched.empty() ? "there is no folder to look in" : "there is none in " + join(searched, ", ")) +
         (search_path.variable.empty() ? "" : "; set " + search_path.variable);
}

[[noreturn]] void reject_name(const SearchPath& search_path, const std::string& name,
                              const std::vector<std::string>& names) {
  const std::string message = fmt::format("there is no {} {}", search_path.what, in_quotes(name));
  for (const char* ending : {"", ".yaml", ".yml"})
    if (std::error_code error; fs::is_regular_file(name + ending, error))
      reject("", message, fmt::format("a file here is meant by its path: ./{}{}", name, ending));
  const std::string otherwise =
      names.empty() ? where_nothing_is(search_path)
                    : fmt::format("known: {}; a path must hold a '/' or end in .yaml{}", join(names, ", "),
                                  search_path.other_ending.empty() ? "" : " or " + search_path.other_ending);
  reject("", message, did_you_mean(name, std::vector<std::string_view>(names.begin(), names.end()), otherwise));
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
      if (error) reject(folder.string(), 0, "", "cannot be listed: " + error.message(), "is the disk healthy?");
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

fs::path find_file(const SearchPath& search_path, const std::string& name_or_path) {
  if (is_path(search_path, name_or_path)) return name_or_path;
  for (const fs::path& file : list_files(search_path.folders))
    if (file.stem() == name_or_path) return file;
  reject_name(search_path, name_or_path, list_names(search_path.folders));
}

}  // namespace fathom
