#include "cli/robots.hpp"

#include <cstdlib>

namespace fathom::cli {

std::vector<std::filesystem::path> robot_folders() {
  std::vector<std::filesystem::path> folders;
  if (const char* own = std::getenv("FATHOM_MODELS")) folders.emplace_back(own);
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) folders.push_back(program.parent_path().parent_path() / "share" / "fathom" / "models");
  return folders;
}

}  // namespace fathom::cli
