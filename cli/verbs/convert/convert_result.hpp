#pragma once
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "fathom/log/convert.hpp"

namespace fathom::cli {

/// What is odd about a channel, a sentence each; what was left out or replaced first.
std::vector<std::string> warnings_of(const log::ConvertedChannel& channel);

nlohmann::ordered_json convert_summary(const log::Conversion& conversion);
/// For the terminal.
std::string convert_text(const log::Conversion& conversion);
/// What a bag holds, for the terminal.
std::string topics_text(const log::Bag& bag);

}  // namespace fathom::cli
