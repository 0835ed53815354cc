
#include <fmt/format.h>

#include "fathom/base/file.hpp"
#include "fathom/exchange/lint.hpp"
#include "fathom/model_file/robot_spec_file.hpp"

namespace fathom::exchange {
namespace {

namespace fs = std::filesystem;

LintFindings of_rule(const Findings& findings, const char* rule) {
  LintFindings result;
  for (const Finding& finding : findings) result.push_back({finding, rule, ""});
  return result;
}

void append_findings(LintFindings& to, LintFindings more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

LintOptions lint_options(const LintFileOptions& options, Target written_for, std::optional<double> density,
                         std::optional<double> gravity) {
  const model::Environment usual;
  const auto positive = [](std::optional<double> x) { return x && *x > 0 && *x < 1e6; };
  LintOptions result;
  result.target = options.target.value_or(written_for);
  result.environment =
      model::Environment(options.density.value_or(positive(density) ? *density : usual.density()),
                         positive(gravity) ? *gravity : usual.gravity());
  return result;
}

LintedFile lint_robot_yaml(const fs::path& path, const LintFileOptions& options) {
  LintOptions lint = lint_options(options, Target::fathom, std::nullopt, std::nullopt);
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

LintFinding of_loss(const Loss& loss, const std::string& file, const char* rule, Severity severity) {
  LintFinding finding;
  finding.severity = severity;
  finding.file = file;
  finding.key = loss.key;
  finding.message = loss.what;
  finding.hint = loss.remedy;
  finding.rule = rule;
  return finding;
}

/// What the file holds and a robot cannot: no rule has looked at it. Fathom convert lists it all.
LintFindings of_losses(const Imported& model, const std::string& file) {
  LintFindings result;
  std::vector<const Loss*> others;
  for (const Loss& loss : model.losses)
    // The readers say of what does not change its sign with the motion that it drives.
    if (loss.what.find("drives") != std::string::npos)
      result.push_back(of_loss(loss, file, "drives-one-way", Severity::warning));
    else
      others.push_back(&loss);
  if (others.empty()) return result;
  result.push_back(of_loss(*others.front(), file, "not-judged", Severity::note));
  if (others.size() > 1) {
    result.back().message += fmt::format(" (and {} more that no rule looks at)", others.size() - 1);
    result.back().hint = "fathom convert lists them all, with remedies";
  }
  return result;
}

LintedFile lint_foreign(const fs::path& path, const LintFileOptions& options) {
  LintedFile result;
  result.file = path.string();
  try {
    const Imported model = import_model(path);
    LintOptions lint = lint_options(options, target_of(model.format), model.density, model.gravity);
    lint.places = model.places;
    lint.allocation_b = model.allocation_b;
    result.reads = true;
    result.format = facts_of(model.format).name;
    result.target = lint.target;
    result.findings = lint_model(model.spec, lint);
    for (LintFinding& finding : result.findings)
      if (finding.file.empty()) finding.file = path.string();
    append_findings(result.findings, of_losses(model, path.string()));
    model::Robot::make(model.spec);
    result.loads = true;
  } catch (const InputError& error) {
    if (!result.reads) result.findings = of_rule(error.findings(), "reads");
  }
  return result;
}

/// XML begins with <, and no YAML does. A pipe can be read only once: it is a robot file.
bool is_xml(const fs::path& path) {
  for (const char* ending : {".sdf", ".urdf", ".xml", ".world", ".xacro", ".rdml"})
    if (path.extension() == ending) return true;
  if (std::error_code error; !fs::is_regular_file(path, error)) return false;
  try {
    const std::string text = read_file(path, 1u << 22);
    const std::size_t first = text.find_first_not_of("\xef\xbb\xbf \t\r\n");
    return first != std::string::npos && text[first] == '<';
  } catch (const InputError&) {
    return false;  // the reader of robot files says why
  }
}

}  // namespace

LintedFile lint_file(const fs::path& path, const LintFileOptions& options) {
  return is_xml(path) ? lint_foreign(path, options) : lint_robot_yaml(path, options);
}

}  // namespace fathom::exchange
