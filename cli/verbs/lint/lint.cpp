#include "fathom/exchange/lint.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/assembly/assembly_file.hpp"
#include "fathom/base/error.hpp"
#include "fathom/model/catalogue.hpp"
#include "fathom/model/vehicle_with_arms.hpp"

#include "cli/shipped.hpp"
#include "cli/verb.hpp"

namespace fathom::cli {
namespace {

struct LintArguments {
  std::vector<std::string> files;
  std::string target;
  std::optional<double> density;
};

/// What keeps several bodies from being read; those that have files of their own are judged by themselves.
template <class Read>
exchange::LintedFile lint_several(const std::filesystem::path& path, const Read& read) {
  exchange::LintedFile result;
  result.file = path.string();
  result.format = exchange::robot_format;
  result.reads = true;
  try {
    read();
    result.loads = true;
  } catch (const InputError& error) {
    for (const Finding& finding : error.findings()) result.findings.push_back({finding, "reads", ""});
  }
  return result;
}

/// A robot's name is looked up; what has an ending, such as .sdf, is a file.
exchange::LintedFile lint_named(const std::string& name, const exchange::LintFileOptions& options) {
  try {
    const std::filesystem::path path = std::filesystem::path(name).has_extension()
                                           ? name
                                           : model::find_robot_file(name, module_folders()).string();
    const bool is_yaml = path.extension() == ".yaml" || path.extension() == ".yml";
    if (is_yaml && assembly::is_assembly_file(path))
      return lint_several(path, [&] { assembly::read_assembly(path, module_folders()); });
    if (is_yaml && model::names_arms(path))
      return lint_several(path, [&] { model::read_vehicle_with_arms(path, {robot_folders(), arm_folders()}); });
    return exchange::lint_file(path, options);
  } catch (const InputError& error) {  // no robot of that name
    exchange::LintedFile none;
    none.file = name;
    for (const Finding& finding : error.findings()) none.findings.push_back({finding, "reads", ""});
    return none;
  }
}

std::string counted(std::ptrdiff_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

nlohmann::ordered_json lint_json(const exchange::LintedFile& result) {
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();
  for (const exchange::LintFinding& finding : result.findings)
    findings.push_back({{"severity", to_string(finding.severity)},
                        {"rule", finding.rule},
                        {"file", finding.file},
                        {"line", finding.line},
                        {"key", finding.key},
                        {"tag", finding.tag},
                        {"message", finding.message},
                        {"hint", finding.hint}});
  return {{"file", result.file},
          {"format", result.format},
          {"for", exchange::name_of(result.target)},
          {"loads", result.loads},
          {"findings", findings}};
}

std::string lint_text(const exchange::LintedFile& result) {
  std::string text;
  const bool is_robot_file = !result.reads || result.format == exchange::robot_format;
  for (const exchange::LintFinding& finding : result.findings)
    text += fmt::format("{}: {}{}\n", to_string(finding.severity), finding.text(),
                        exchange::is_rule(finding.rule) ? fmt::format(" [{}]", finding.rule) : "");
  const auto count = [&](Severity severity) {
    return std::count_if(result.findings.begin(), result.findings.end(),
                         [&](const Finding& finding) { return finding.severity == severity; });
  };
  const std::string verdict =
      is_robot_file ? (result.loads ? "loads" : "does not load") : fmt::format("reads as {}", result.format);
  const std::string target =
      result.target == exchange::Target::fathom ? "" : fmt::format(" for {}", exchange::name_of(result.target));
  return text + fmt::format("{}: {}{}, {}, {}, {}\n", result.file, verdict, target,
                            counted(count(Severity::error), "error"),
                            counted(count(Severity::warning), "warning"),
                            counted(count(Severity::note), "note"));
}

int status_of(const exchange::LintedFile& result) {
  if (!result.reads || (result.format == exchange::robot_format && !result.loads)) return Status::bad_input;
  const bool errors = std::any_of(result.findings.begin(), result.findings.end(),
                                  [](const Finding& finding) { return finding.severity == Severity::error; });
  return errors ? Status::check_failed : Status::done;
}

int lint(const Verb& verb, const LintArguments& arguments) {
  exchange::LintFileOptions options;
  options.density = arguments.density;
  if (!arguments.target.empty()) options.target = exchange::target_from(arguments.target);
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  std::string text;
  int status = Status::done;
  for (const std::string& name : arguments.files) {
    const exchange::LintedFile result = lint_named(name, options);
    files.push_back(lint_json(result));
    text += lint_text(result);
    status = std::max(status, status_of(result));
  }
  verb.print({{"files", files}, {"status", status}}, text);
  return status;
}

}  // namespace

void add_lint(CLI::App& program) {
  auto verb = std::make_shared<Verb>(
      program, "lint",
      "Checks robot files and other simulators' models for physics that will blow up, and for likely slips",
      "fathom models bluerov2-heavy --yaml > my_rov.yaml\n  fathom lint my_rov.yaml rexrov --for uuv-simulator",
      Takes{});
  auto arguments = std::make_shared<LintArguments>();
  verb->app()
      .add_option(
          "FILE", arguments->files,
          "Robot files, those of assemblies and of vehicles with arms too, names of those that ship, or SDF "
          "and URDF of other simulators")
      ->required()
      ->option_text("NAME|FILE... REQUIRED");
  verb->app()
      .add_option("--for", arguments->target,
                  "Who is to swim it: fathom, gz-sim, uuv-simulator or stonefish (default: the file's own)")
      ->check(is_word({exchange::target_names.begin(), exchange::target_names.end()}))
      ->option_text("TARGET");
  verb->app()
      .add_option("--density", arguments->density, "Of the water, kg/m^3 (default: the file's, or 1000)")
      ->check(is_density())
      ->option_text("KG_M3");
  verb->app().footer(
      "Exit status: 0 no errors, 1 errors, 2 a robot file that does not load or a file that "
      "cannot be read. The rules: docs/lint.md.\n\n" +
      verb->app().get_footer());
  verb->runs([verb, arguments] { return lint(*verb, *arguments); });
}

}  // namespace fathom::cli
