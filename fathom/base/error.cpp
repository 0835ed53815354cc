#include "fathom/base/error.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fathom {
namespace {

std::string join_texts(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += '\n';
    text += problem.text();
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

std::string Problem::text() const {
  std::string text = file;
  if (!file.empty() && line > 0) text += fmt::format(":{}", line);
  if (!text.empty()) text += ": ";
  if (!key.empty()) text += key + ' ';
  text += message;
  if (!hint.empty()) text += " (" + hint + ')';
  return text;
}

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(join_texts(problems)), problems_(std::move(problems)) {}

InputError::InputError(Problem problem) : InputError(std::vector<Problem>{std::move(problem)}) {}

bool has_errors(const std::vector<Problem>& problems) {
  return std::any_of(problems.begin(), problems.end(),
                     [](const Problem& problem) { return problem.severity == Severity::error; });
}

}  // namespace fathom
