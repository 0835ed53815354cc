#pragma once
#include <filesystem>
#include <vector>

namespace fathom::cli {

/// Where robots are looked up by name: $FATHOM_MODELS if set, then share/fathom/models beside the program.
std::vector<std::filesystem::path> robot_folders();

}  // namespace fathom::cli
