#pragma once
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "fathom/report/page.hpp"

#include "studies/study.hpp"

namespace fathom::cli {

/// Each row with what is published, ours, the criterion and whether it holds.
nlohmann::ordered_json json_of(const studies::Study& study);
/// Table and explanation.
std::string text_of(const studies::Study& study);
/// A page with the table and the explanation of each study.
report::Document page_of(const std::vector<studies::Study>& studies);

}  // namespace fathom::cli
