#pragma once
#include <string>

#include <nlohmann/json.hpp>

#include "studies/study.hpp"

namespace fathom::cli {

/// Each row with what is published, ours, the criterion and whether it holds.
nlohmann::ordered_json json_of(const studies::Study& study);
/// Table and explanation.
std::string text_of(const studies::Study& study);

}  // namespace fathom::cli
