#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/model/catalogue.hpp"
#include "fathom/model/robot_file.hpp"

#include "cli/robots.hpp"
#include "cli/verb.hpp"

namespace fathom::cli {
namespace {

struct LintOptions {
  std::vector<std::string> files;
  double density = model::fresh_water;
};

struct FileResult {
  std::string file;
  model::LintResult lint;
};

FileResult lint_file(const std::string& name, const model::Environment& environment) {
  try {
    const std::string file = model::find_robot_file(name, robot_folders()).string();
    return {file, model::lint_robot_file(file, environment)};
  } catch (const InputError& error) {  // no robot of that name
    return {name, {false, error.findings()}};
  }
}

std::string counted(std::ptrdiff_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

nlohmann::ordered_json to_json(const FileResult& result) {
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();
  for (const Finding& finding : result.lint.findings)
    findings.push_back({{"severity", to_string(finding.severity)},
                        {"file", finding.file},
                        {"line", finding.line},
                        {"key", finding.key},
                        {"message", finding.message},
                        {"hint", finding.hint}});
  return {{"file", result.file}, {"loads", result.lint.loads}, {"findings", findings}};
}

int lint(const Verb& verb, const LintOptions& options) {
  const model::Environment environment(options.density);
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  std::string text;
  int status = Status::done;
  for (const std::string& name : options.files) {
    const FileResult result = lint_file(name, environment);
    files.push_back(to_json(result));
    for (const Finding& finding : result.lint.findings)
      text += fmt::format("{}: {}\n", to_string(finding.severity), finding.text());
    const auto count = [&](Severity severity) {
      return std::count_if(result.lint.findings.begin(), result.lint.findings.end(),
                           [&](const Finding& finding) { return finding.severity == severity; });
    };
    text += fmt::format("{}: {}, {}, {}, {}\n", result.file, result.lint.loads ? "loads" : "does not load",
                        counted(count(Severity::error), "error"), counted(count(Severity::warning), "warning"),
                        counted(count(Severity::note), "note"));
    if (!result.lint.loads)
      status = Status::bad_input;
    else if (has_errors(result.lint.findings))
      status = std::max<int>(status, Status::check_failed);
  }
  verb.print({{"files", files}, {"status", status}}, text);
  return status;
}

}  // namespace

void add_lint(CLI::App& program) {
  auto verb = std::make_shared<Verb>(
      program, "lint", "Checks robot files for physics that nature does not allow, and for likely slips",
      "fathom models bluerov2-heavy --yaml > my_rov.yaml\n  fathom lint my_rov.yaml bluerov2-heavy", Takes{});
  auto options = std::make_shared<LintOptions>();
  verb->app()
      .add_option("FILE", options->files, "Robot files, or names of robots that ship")
      ->required()
      ->option_text("NAME|FILE... REQUIRED");
  verb->app()
      .add_option("--density", options->density, "Of the water, kg/m^3 (fresh 1000, sea 1025)")
      ->check(is_density())
      ->option_text("KG_M3=1000");
  verb->app().footer("Exit status: 0 no errors, 1 loads but with errors, 2 does not load.\n\n" +
                     verb->app().get_footer());
  verb->runs([verb, options] { return lint(*verb, *options); });
}

}  // namespace fathom::cli
