#include "fathom/base/error.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fathom {
namespace {

std::string join_texts(const Findings& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    if (!text.empty()) text += '\n';
    text += finding.text();
  }
  return text;
}

}  // namespace

std::string to_string(Severity severity) {
  switch (severity) {
    case Severity::note: return "note";
    case Severity::warning: return "warning";
    case Severity::error: return "error";
  }
  return "error";
}

std::string Finding::text() const {
  std::string text = file;
  if (!file.empty() && line > 0) text += fmt::format(":{}", line);
  if (!text.empty()) text += ": ";
  if (!key.empty()) text += key + ' ';
  text += message;
  if (!hint.empty()) text += " (" + hint + ')';
  return text;
}

InputError::InputError(Findings findings)
    : std::runtime_error(join_texts(findings)), findings_(std::move(findings)) {}

InputError::InputError(Finding finding) : InputError(Findings{std::move(finding)}) {}

void reject(std::string key, std::string message, std::string hint) {
  reject("", 0, std::move(key), std::move(message), std::move(hint));
}

void reject(std::string file, int line, std::string key, std::string message, std::string hint) {
  throw InputError(
      Finding{Severity::error, std::move(file), line, std::move(key), std::move(message), std::move(hint)});
}

void add_error(Findings& findings, std::string key, std::string message, std::string hint) {
  findings.push_back({Severity::error, "", 0, std::move(key), std::move(message), std::move(hint)});
}

bool has_errors(const Findings& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.severity == Severity::error; });
}

}  // namespace fathom
