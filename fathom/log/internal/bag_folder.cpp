#include "fathom/log/internal/bag_folder.hpp"

#include <algorithm>
#include <tuple>

namespace fathom::log::internal {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view bag_hint = "expected a .db3 or .mcap file, or a folder of rosbag2 that holds some";

/// `bag_10.db3` comes after `bag_9.db3`: by the text without the digits at its end, then by what they say.
auto part_key(const fs::path& path) {
  const std::string stem = path.stem().string();
  const std::size_t digits = stem.find_last_not_of("0123456789") + 1;  // npos + 1 is 0
  const std::string number = stem.substr(std::min(stem.find_first_not_of('0', digits), stem.size()));
  return std::tuple(stem.substr(0, digits), number.size(), number, path.extension().string());
}

[[noreturn]] void reject_compressed(const fs::path& path) {
  reject(path.string(), 0, "", "is compressed as a whole",
         "unpack it first: zstd -d " + path.filename().string());
}

std::vector<fs::path> parts_of(const fs::path& folder) {
  std::vector<fs::path> parts;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const fs::path& path = entry.path();
    if (path.extension() == ".db3" || path.extension() == ".mcap") parts.push_back(path);
    if (path.extension() == ".zstd") reject_compressed(path);
  }
  if (error) reject(folder.string(), 0, "", "cannot be read: " + error.message(), "check its permissions");
  if (parts.empty()) reject(folder.string(), 0, "", "holds neither .db3 nor .mcap", std::string(bag_hint));
  std::sort(parts.begin(), parts.end(),
            [](const fs::path& a, const fs::path& b) { return part_key(a) < part_key(b); });
  return parts;
}

std::unique_ptr<BagFile> open_file(const fs::path& path, const BagOptions& options) {
  if (path.extension() == ".db3") return open_db3(path, options);
  if (path.extension() == ".mcap") return open_mcap(path, options);
  if (path.extension() == ".zstd") reject_compressed(path);
  if (path.extension() == ".bag")
    reject(path.string(), 0, "", "is a bag of ROS 1",
           "rosbags-convert (PyPI: rosbags) makes one of ROS 2 of it");
  reject(path.string(), 0, "", "is no bag by its name", std::string(bag_hint));
}

}  // namespace

std::vector<std::unique_ptr<BagFile>> open_files(const fs::path& path, const BagOptions& options) {
  std::error_code error;
  if (!fs::exists(path, error))
    reject(path.string(), 0, "", "does not exist", "check the path; it is relative to the current folder");
  std::vector<std::unique_ptr<BagFile>> files;
  if (!fs::is_directory(path, error)) {
    files.push_back(open_file(path, options));
  } else {
    for (const fs::path& part : parts_of(path)) files.push_back(open_file(part, options));
  }
  return files;
}

}  // namespace fathom::log::internal
