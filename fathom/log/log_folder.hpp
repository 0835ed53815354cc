#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace fathom::log {

/// What a folder holds of a log, each list in order.
struct LogFolder {
  std::vector<std::filesystem::path> channels;    ///< files such as imu.csv
  std::vector<std::filesystem::path> unfinished;  ///< imu.csv.part: of a run that did not end
};

/// Throws InputError where there is no folder that can be listed; `for_a_file` is the hint where it is a file.
LogFolder list_log(const std::filesystem::path& folder, const std::string& for_a_file);

/// Returns true for a channel that Fathom wrote, whole or in part.
bool has_log_marker(const std::filesystem::path& file);

/// `fathom simulate` calls the folder of every log `log`: what tells them apart is then the folder above.
std::string name_of_log(const std::filesystem::path& folder);

}  // namespace fathom::log
