#include "cli/terminal/warnings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/text.hpp"

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
  std::vector<std::string> more;
  for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
    const auto count = std::count_if(kept_.begin() + static_cast<std::ptrdiff_t>(shown), kept_.end(),
                                     [&](const Finding& finding) { return finding.severity == severity; });
    if (count > 0)
      more.push_back(fmt::format("{} more {}{}", count, to_string(severity), count == 1 ? "" : "s"));
  }
  if (!more.empty())
    warn(fmt::format("fathom: and {}{}", join(more, " and "),
                     report.empty() ? "" : fmt::format(": {} has all", report)));
  kept_.clear();
}

Warnings& run_warnings() {
  static Warnings warnings;
  return warnings;
}

}  // namespace fathom::cli
