#pragma once
#include <filesystem>

namespace fathom {

/// Opens a file that is read more than once or in parts, and returns its descriptor. Throws InputError if it
/// cannot be opened or is no regular file: a pipe would wait for a writer.
int open_regular_file(const std::filesystem::path& path);

}  // namespace fathom
