#pragma once
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "fathom/exchange/export.hpp"

namespace fathom::cli {

/// What one side knows and the other cannot hold, for a summary and for the terminal.
nlohmann::ordered_json losses_json(const std::vector<exchange::Loss>& losses);
std::string losses_text(const std::vector<exchange::Loss>& losses);

}  // namespace fathom::cli
