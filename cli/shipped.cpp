#include "cli/shipped.hpp"

#include <cstdlib>

#include "fathom/base/search_path.hpp"

namespace fathom::cli {
namespace {

namespace fs = std::filesystem;
using Folders = std::vector<fs::path>;

Folders shared(const char* folder) {
  const fs::path share = share_folder();
  return share.empty() ? Folders() : Folders{share / folder};
}

}  // namespace

fs::path share_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path() : program.parent_path().parent_path() / "share" / "fathom";
}

task::SearchPaths search_paths() {
  task::SearchPaths paths = task::SearchPaths::in(share_folder());
  paths.robots = robot_folders();
  return paths;
}

Folders robot_folders() {
  Folders folders = shared("robots");
  if (const char* own = std::getenv("FATHOM_MODELS")) folders.insert(folders.begin(), own);
  return folders;
}

std::vector<std::string> scenario_names() { return list_names(shared("scenarios")); }
std::vector<std::string> problem_names() { return list_names(shared("problems")); }

fs::path data_folder() {
  if (const char* own = std::getenv("FATHOM_DATA")) return own;
  std::error_code error;  // in a build share/fathom/studies is a link into the project
  const fs::path project = fs::weakly_canonical(share_folder() / "studies", error).parent_path();
  return project.parent_path() / "shared" / "data";
}

fs::path study_folder(const std::string& name) { return share_folder() / "studies" / name; }

}  // namespace fathom::cli
