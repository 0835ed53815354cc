#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace fathom {

/// Returns the bytes of a file. Throws InputError if it is missing, is a folder, cannot be read or is larger
/// than `max_bytes`.
std::string read_file(const std::filesystem::path& path, std::size_t max_bytes = 64u << 20);

/// Writes a temporary file beside `path`, flushes it to disk and renames it: an interrupted or failed write
/// leaves the old file in place. Creates the parent folder. Throws InputError.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// Returns a unique name beside `path`, also among processes: `path.PID.COUNT.tmp`.
std::filesystem::path temporary_beside(const std::filesystem::path& path);

}  // namespace fathom
