#pragma once
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/output.hpp"
#include "cli/verb.hpp"

namespace fathom::cli {

/// Ends a verb that has written `files`: names them in the summary, writes that, puts the folder in its place
/// and prints.
void finish(const Verb& verb, nlohmann::ordered_json summary, const std::vector<std::string>& files,
            const std::string& text, OutputFolder& out);

}  // namespace fathom::cli
