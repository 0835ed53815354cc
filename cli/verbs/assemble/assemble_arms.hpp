#pragma once
#include <filesystem>

#include "cli/verb.hpp"

namespace fathom::cli {

/// A vehicle with its arms held: what they weigh on it, what holding them takes, and the robot file of the
/// whole, which every verb takes.
int assemble_arms(const Verb& verb, const std::filesystem::path& file, double density);

}  // namespace fathom::cli
