#include "cli/exchange_text.hpp"

#include <fmt/format.h>

#include "cli/table.hpp"

namespace fathom::cli {

nlohmann::ordered_json losses_json(const std::vector<exchange::Loss>& losses) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const exchange::Loss& loss : losses)
    list.push_back({{"key", loss.key}, {"what", loss.what}, {"remedy", loss.remedy}});
  return list;
}

std::string losses_text(const std::vector<exchange::Loss>& losses) {
  if (losses.empty()) return "nothing is lost\n";
  Table table({"lost on the way", ""});
  for (const exchange::Loss& loss : losses)
    table.row({loss.key, loss.what + (loss.remedy.empty() ? "" : fmt::format(" ({})", loss.remedy))});
  return table.text();
}

}  // namespace fathom::cli
