#include "cli/verbs/export/exchange_text.hpp"

#include <map>

#include <fmt/format.h>

#include "cli/terminal/table.hpp"

namespace fathom::cli {

nlohmann::ordered_json losses_json(const std::vector<exchange::Loss>& losses) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const exchange::Loss& loss : losses)
    list.push_back({{"key", loss.key}, {"what", loss.what}, {"remedy", loss.remedy}});
  return list;
}

namespace {

/// thrusters[3].map and thrusters[4].map are alike.
std::string without_number(const std::string& key) {
  const auto begin = key.find('['), end = key.find(']');
  return begin == std::string::npos || end < begin ? key : key.substr(0, begin) + key.substr(end + 1);
}

}  // namespace

std::string losses_text(const std::vector<exchange::Loss>& losses) {
  if (losses.empty()) return "nothing is lost\n";
  std::map<std::pair<std::string, std::string>, int> alike;
  for (const exchange::Loss& loss : losses) ++alike[{without_number(loss.key), loss.remedy}];
  Table table({"lost on the way", ""});
  for (const exchange::Loss& loss : losses) {
    int& count = alike[{without_number(loss.key), loss.remedy}];
    if (count == 0) continue;  // told with the first of them
    std::string text = loss.what;
    if (count > 1) text += fmt::format("; and {} more alike", count - 1);
    if (!loss.remedy.empty()) text += fmt::format(" ({})", loss.remedy);
    table.row({loss.key, text});
    count = 0;
  }
  return table.text();
}

}  // namespace fathom::cli
