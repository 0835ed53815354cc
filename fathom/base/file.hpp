#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace fathom {

/// The bytes of a file. Throws InputError if it is missing, is a folder, cannot be read or is larger than
/// `max_bytes`.
std::string read_file(const std::filesystem::path& path, std::size_t max_bytes = 64u << 20);

/// Writes a temporary file beside `path`, flushes it to disk and renames it: an interrupted or failed write
/// leaves what was there before. Makes the parent folder. Throws InputError.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// A name beside `path` that no other call gives out, in this process or another that runs:
/// `path.PID.COUNT.tmp`.
std::filesystem::path temporary_beside(const std::filesystem::path& path);

}  // namespace fathom
