#include "cli/terminal/warnings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/verb.hpp"

namespace fathom::cli {

void Warnings::add_first(const std::vector<std::string>& warnings) {
  Findings first;
  for (const std::string& text : warnings) first.push_back({Severity::warning, "", 0, "", text, ""});
  kept_.insert(kept_.begin(), first.begin(), first.end());
}

void Warnings::print(std::size_t most, const std::string& report) {
  std::stable_sort(kept_.begin(), kept_.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  const std::size_t shown = std::min(most, kept_.size());
  for (std::size_t k = 0; k < shown; ++k)
    warn(fmt::format("fathom: {}: {}", to_string(kept_[k].severity), kept_[k].text()));
  if (const std::size_t more = kept_.size() - shown; more > 0)
    warn(fmt::format("fathom: and {} more warning{}{}", more, more == 1 ? "" : "s",
                     report.empty() ? "" : fmt::format(": {} has all", report)));
  kept_.clear();
}

Warnings& run_warnings() {
  static Warnings warnings;
  return warnings;
}

}  // namespace fathom::cli
