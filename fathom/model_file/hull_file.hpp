#pragma once
#include <filesystem>
#include <string>

#include "fathom/model/geometric_prior.hpp"

namespace fathom::model {

/// Reads a hull file (docs/prior.md). Throws InputError that lists everything wrong, with lines.
HullDescription read_hull_file(const std::filesystem::path& path);
/// The same from text; `file` is the name that messages carry.
HullDescription parse_hull_file(const std::string& text, const std::string& file);

}  // namespace fathom::model
