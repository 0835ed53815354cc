#include "fathom/log/log_folder.hpp"

#include <algorithm>
#include <fstream>

#include "fathom/base/error.hpp"
#include "fathom/log/internal/csv_header.hpp"
#include "fathom/log/internal/table_text.hpp"

namespace fathom::log {

namespace fs = std::filesystem;

LogFolder list_log(const fs::path& folder, const std::string& for_a_file) {
  const auto fail = [&](const std::string& message, const std::string& hint) {
    reject(folder.string(), 0, "", message, hint);
  };
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status)) fail("does not exist", "check the path; it is relative to the current folder");
  if (!fs::is_directory(status)) fail("is a file, expected a folder", for_a_file);
  fs::directory_iterator entries(folder, error);
  if (error) fail("cannot be listed: " + error.message(), "check its permissions");
  LogFolder found;
  for (const fs::directory_entry& entry : entries) {
    const fs::path& path = entry.path();
    if (entry.is_directory(error)) continue;
    if (path.extension() == ".csv") found.channels.push_back(path);
    if (path.extension() == ".part" && path.stem().extension() == ".csv") found.unfinished.push_back(path);
  }
  std::sort(found.channels.begin(), found.channels.end());
  std::sort(found.unfinished.begin(), found.unfinished.end());
  return found;
}

bool has_log_marker(const fs::path& file) {
  if (std::error_code error; !fs::is_regular_file(file, error)) return false;  // a pipe would wait for a writer
  std::string begin(internal::byte_order_mark.size() + internal::log_marker.size(), '\0');
  std::ifstream(file, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return internal::without_byte_order_mark(begin).starts_with(internal::log_marker);
}

std::string name_of_log(const fs::path& folder) {
  const fs::path path = fs::absolute(folder).lexically_normal();
  const fs::path own = path.has_filename() ? path : path.parent_path();
  return (own.filename() == "log" && own.has_parent_path() ? own.parent_path() : own).filename().string();
}

}  // namespace fathom::log
