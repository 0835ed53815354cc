#pragma once
#include <cstdlib>
#include <filesystem>

namespace fathom::test {

/// Real recordings, which are not part of the repository: FATHOM_DATA, or beside the project.
inline std::filesystem::path data_folder() {
  if (const char* folder = std::getenv("FATHOM_DATA")) return folder;
  return std::filesystem::path(FATHOM_SOURCE_DIR).parent_path() / "shared" / "data";
}

}  // namespace fathom::test
