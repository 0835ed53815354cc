#include "fathom/task/lint.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/assembly/assembly_file.hpp"
#include "fathom/base/error.hpp"
#include "fathom/model/vehicle_with_arms.hpp"
#include "fathom/model_file/catalogue.hpp"
#include "fathom/model_file/vehicle_with_arms_file.hpp"
#include "fathom/task/internal/json.hpp"
#include "fathom/task/internal/option_table.hpp"

namespace fathom {

template <>
const fields::Keys& fields::Table<task::LintOptions>::fields() {
  using task::LintOptions;
  static const Keys keys{field<&LintOptions::file>("file")
                             .positional()
                             .required()
                             .metavar("NAME|FILE...")
                             .doc("Robot files, those of assemblies and of vehicles with arms too, names of "
                                  "those that ship, or SDF and "
                                  "URDF of other simulators."),
                         field<&LintOptions::target>("for")
                             .words({exchange::target_names.begin(), exchange::target_names.end()})
                             .by_default("that of the file")
                             .doc("Program that is to run the model."),
                         task::internal::water_density(field<&LintOptions::density>("density"))
                             .by_default("that of the file, or 1000")
                             .doc("Water density.")};
  return keys;
}

}  // namespace fathom

namespace fathom::task {
namespace {

/// Reads a file of several bodies; the files that it names are judged by themselves.
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

/// A name without an extension is looked up among the shipped robots and assemblies.
exchange::LintedFile lint_named(const std::string& name, const exchange::LintFileOptions& options,
                                const SearchPaths& paths) {
  try {
    const std::filesystem::path path = std::filesystem::path(name).has_extension()
                                           ? name
                                           : model::find_robot_file(name, paths.modules()).string();
    std::error_code error;  // a pipe can be read only once: it is a robot file
    const bool is_yaml = std::filesystem::is_regular_file(path, error) &&
                         (path.extension() == ".yaml" || path.extension() == ".yml");
    if (is_yaml && assembly::is_assembly_file(path))
      return lint_several(path, [&] { assembly::read_assembly(path, paths.modules()); });
    if (is_yaml && model::names_arms(path))
      return lint_several(path, [&] { model::read_vehicle_with_arms(path, {paths.robots, paths.arms}); });
    return exchange::lint_file(path, options);
  } catch (const InputError& error) {  // no robot of that name
    exchange::LintedFile none;
    none.file = name;
    for (const Finding& finding : error.findings()) none.findings.push_back({finding, "reads", ""});
    return none;
  }
}

LintSummary::File summary_of(const exchange::LintedFile& linted) {
  LintSummary::File file{linted.file, linted.format, std::string(exchange::name_of(linted.target)),
                         linted.loads};
  for (const exchange::LintFinding& finding : linted.findings)
    file.findings.push_back({to_string(finding.severity), finding.rule, finding.file, finding.line, finding.key,
                             finding.tag, finding.message, finding.hint});
  return file;
}

std::ptrdiff_t count(const LintSummary::File& file, Severity severity) {
  return std::count_if(file.findings.begin(), file.findings.end(),
                       [&](const auto& finding) { return finding.severity == to_string(severity); });
}

Status status_of(const exchange::LintedFile& linted) {
  if (!linted.reads || (linted.format == exchange::robot_format && !linted.loads)) return Status::bad_input;
  return count(summary_of(linted), Severity::error) > 0 ? Status::check_failed : Status::done;
}

std::string counted(std::ptrdiff_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

/// A file of another simulator's format, which no robot file is and no file that could not be read.
bool is_foreign(const LintSummary::File& file) {
  return std::any_of(exchange::formats.begin(), exchange::formats.end(),
                     [&](const exchange::FormatFacts& facts) { return facts.name == file.format; });
}

std::string last_line(const LintSummary::File& file) {
  const std::string verdict =
      is_foreign(file) ? fmt::format("reads as {}", file.format) : (file.loads ? "loads" : "does not load");
  const bool is_own = file.for_ == exchange::name_of(exchange::Target::fathom);
  return fmt::format("{}: {}{}, {}, {}, {}", file.file, verdict, is_own ? "" : " for " + file.for_,
                     counted(count(file, Severity::error), "error"),
                     counted(count(file, Severity::warning), "warning"),
                     counted(count(file, Severity::note), "note"));
}

}  // namespace

FATHOM_JSON(LintSummary::Found, severity, rule, file, line, key, tag, message, hint)
FATHOM_JSON(LintSummary::File, file, format, for_, loads, findings)
FATHOM_SUMMARY(LintSummary, files, status)

report::Document LintResult::report() const {
  report::Text text{.verbatim = true};
  for (const LintSummary::File& file : summary.files) {
    for (const auto& f : file.findings) {
      const Finding finding{Severity::error, f.file, f.line, f.key, f.message, f.hint};
      text.paragraphs.push_back(fmt::format("{}: {}{}", f.severity, finding.text(),
                                            exchange::is_rule(f.rule) ? fmt::format(" [{}]", f.rule) : ""));
    }
    text.paragraphs.push_back(last_line(file));
  }
  report::Document document{.title = "fathom lint"};
  document.add_text(std::move(text));
  return document;
}

LintResult lint(const LintOptions& options, const Context& context) {
  fields::check_values(options);
  exchange::LintFileOptions how;
  how.density = options.density;
  if (options.target) how.target = exchange::target_from(*options.target);
  LintResult result;
  for (const std::string& name : options.file) {
    throw_if(context.stop);
    const exchange::LintedFile linted = lint_named(name, how, context.paths);
    result.summary.files.push_back(summary_of(linted));
    result.summary.status = std::max(result.summary.status, static_cast<int>(status_of(linted)));
  }
  return result;
}

}  // namespace fathom::task
