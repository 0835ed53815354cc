#pragma once
#include <algorithm>
#include <string>

#include "fathom/exchange/lint.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::exchange::test {

/// A robot that ships, to be spoilt.
inline model::RobotSpec shipped(const std::string& name) {
  return model::read_robot(FATHOM_ROBOTS_DIR "/" + name + ".yaml").spec();
}

inline LintOptions lint_for(Target target) {
  LintOptions options;
  options.target = target;
  return options;
}

/// A line for each finding: what it says, and the rule that says it.
inline std::string lines_of(const LintFindings& findings) {
  std::string text;
  for (const LintFinding& finding : findings)
    text += to_string(finding.severity) + ": " + finding.text() + " [" + finding.rule + "]\n";
  return text;
}

inline const LintFinding* found_by(const LintFindings& findings, const std::string& rule,
                                   const std::string& key = "") {
  const auto at = std::find_if(findings.begin(), findings.end(), [&](const LintFinding& finding) {
    return finding.rule == rule && (key.empty() || finding.key == key);
  });
  return at == findings.end() ? nullptr : &*at;
}

}  // namespace fathom::exchange::test
