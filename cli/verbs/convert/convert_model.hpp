#pragma once
#include <filesystem>

#include "cli/verb.hpp"

namespace fathom::cli {

/// Does it hold XML, as models of other simulators do, whatever its name?
bool is_model_file(const std::filesystem::path& path);

/// Writes the model as a robot file, each value with the place that it comes from. Returns the exit status.
int convert_model(const Verb& verb, const std::string& source);

}  // namespace fathom::cli
