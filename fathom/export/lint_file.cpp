#include <algorithm>

#include "fathom/export/lint.hpp"
#include "fathom/model/robot_spec_file.hpp"

namespace fathom::exchange {
namespace {

LintFindings of_rule(const Findings& findings, const char* rule) {
  LintFindings result;
  for (const Finding& finding : findings) result.push_back({finding, rule, ""});
  return result;
}

void append_findings(LintFindings& to, LintFindings more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

LintOptions options_for(const LintFileOptions& options, Target written_for, std::optional<double> density,
                        std::optional<double> gravity) {
  const model::Environment usual;
  LintOptions result;
  result.target = options.target.value_or(written_for);
  result.environment = model::Environment(options.density.value_or(density.value_or(usual.density())),
                                          gravity.value_or(usual.gravity()));
  return result;
}

LintedFile lint_robot_yaml(const std::filesystem::path& path, const LintFileOptions& options) {
  LintOptions lint = options_for(options, Target::fathom, std::nullopt, std::nullopt);
  model::RobotSpecFile file = model::read_robot_spec(path, lint.environment);
  LintedFile result{
      path.string(), file.spec.has_value(), file.loads, std::string(robot_format), lint.target, {}};
  result.findings = of_rule(file.findings, file.loads ? "robot-file" : "loads");
  if (!file.spec) return result;
  for (const auto& [key, line] : file.lines) lint.places[key] = {path.string(), line, ""};
  LintFindings physics = lint_model(*file.spec, lint);
  for (LintFinding& finding : physics) {
    finding.file = path.string();
    // What keeps a robot from loading is told as such; this says how to see it.
    if (!file.loads && finding.severity == Severity::error) finding.severity = Severity::note;
  }
  append_findings(result.findings, std::move(physics));
  return result;
}

}  // namespace

LintedFile lint_file(const std::filesystem::path& path, const LintFileOptions& options) {
  return lint_robot_yaml(path, options);
}

}  // namespace fathom::exchange
