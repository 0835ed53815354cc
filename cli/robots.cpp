#include "cli/robots.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "fathom/base/shelf.hpp"
#include "fathom/base/text.hpp"
#include "fathom/model/catalogue.hpp"
#include "fathom/model/robot_file.hpp"

namespace fathom::cli {

namespace {

namespace fs = std::filesystem;

/// share/fathom beside the program's bin; empty where the system does not say where the program is.
fs::path share_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path() : program.parent_path().parent_path() / "share" / "fathom";
}

/// Files that ship, to be called by name.
struct Shelf {
  const char *folder, *what;
};
constexpr Shelf scenarios = {"scenarios", "scenario"}, problems = {"problems", "problem"},
                assemblies = {"assemblies", "assembly"}, arms = {"arms", "arm"};

std::vector<std::string> names_in(const Shelf& shelf) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto entry = fs::directory_iterator(share_folder() / shelf.folder, error);
       !error && entry != fs::directory_iterator(); entry.increment(error))
    if (entry->path().extension() == ".yaml") names.push_back(entry->path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

fs::path find_in(const Shelf& shelf, const std::string& name_or_path) {
  if (is_path(name_or_path)) return name_or_path;
  fs::path file = share_folder() / shelf.folder / (name_or_path + ".yaml");
  std::error_code error;
  if (fs::exists(file, error)) return file;
  const std::vector<std::string> names = names_in(shelf);
  refuse_name(shelf.what, name_or_path, names,
              fmt::format("there are {}; a path ends in .yaml", join(names, ", ")));
}

}  // namespace

std::vector<fs::path> robot_folders() {
  std::vector<fs::path> folders;
  if (const char* own = std::getenv("FATHOM_MODELS")) folders.emplace_back(own);
  if (const fs::path share = share_folder(); !share.empty()) folders.push_back(share / "models");
  return folders;
}

model::Robot robot_named(const std::string& name_or_path) {
  return model::read_robot(model::find_robot_file(name_or_path, robot_folders()));
}

std::vector<std::string> scenario_names() { return names_in(scenarios); }
fs::path find_scenario_file(const std::string& name_or_path) { return find_in(scenarios, name_or_path); }

std::vector<std::string> assembly_names() { return names_in(assemblies); }
fs::path find_assembly_file(const std::string& name_or_path) { return find_in(assemblies, name_or_path); }

std::vector<fs::path> module_folders() {
  std::vector<fs::path> folders = robot_folders();
  if (const fs::path share = share_folder(); !share.empty()) folders.push_back(share / assemblies.folder);
  return folders;
}

std::vector<std::string> arm_names() { return names_in(arms); }
std::vector<fs::path> arm_folders() {
  const fs::path share = share_folder();
  return share.empty() ? std::vector<fs::path>() : std::vector<fs::path>{share / arms.folder};
}
fs::path find_arm_file(const std::string& name_or_path) {
  return name_or_path.ends_with(".urdf") ? fs::path(name_or_path) : find_in(arms, name_or_path);
}

std::vector<std::string> problem_names() { return names_in(problems); }
fs::path find_problem_file(const std::string& name_or_path) { return find_in(problems, name_or_path); }

fs::path data_folder() {
  if (const char* own = std::getenv("FATHOM_DATA")) return own;
  std::error_code error;  // in a build share/fathom/studies is a link into the project
  const fs::path project = fs::weakly_canonical(share_folder() / "studies", error).parent_path();
  return project.parent_path() / "shared" / "data";
}

fs::path study_folder(const std::string& name) { return share_folder() / "studies" / name; }

}  // namespace fathom::cli
