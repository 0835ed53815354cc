#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "fathom/assembly/assembly.hpp"
#include "fathom/fields/key.hpp"

namespace fathom::assembly {

/// Reads and checks a robot file with `assembly:` (docs/assembly-file.md). Robots without a path are looked up
/// in `robot_folders`; a path is relative to the file. A module may itself be an assembly: its modules then
/// come in its place, named `outer-inner`. Throws InputError that lists everything wrong, with lines.
Assembly read_assembly(const std::filesystem::path& path,
                       const std::vector<std::filesystem::path>& robot_folders);
Assembly parse_assembly(const std::string& text, const std::string& file,
                        const std::vector<std::filesystem::path>& robot_folders);

/// JSON schema of such a file.
fields::Json assembly_schema();

/// Whether the file says `assembly:`, at a glance: it may still be wrong.
bool is_assembly_file(const std::filesystem::path& path);

}  // namespace fathom::assembly
