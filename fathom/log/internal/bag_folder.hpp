#pragma once
#include <filesystem>
#include <memory>
#include <vector>

#include "fathom/log/internal/bag_file.hpp"

namespace fathom::log::internal {

/// The file, or the files of the folder in the order of their numbers: rosbag2 splits a long recording.
std::vector<std::unique_ptr<BagFile>> open_files(const std::filesystem::path& path, const BagOptions& options);

}  // namespace fathom::log::internal
