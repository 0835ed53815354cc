#include "fathom/task/exchange.hpp"

#include <fstream>
#include <map>

#include <fmt/format.h>

#include "fathom/base/file.hpp"
#include "fathom/fields/yaml.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/task/internal/json.hpp"
#include "fathom/task/internal/option_table.hpp"

namespace fathom {

template <>
const fields::Keys& fields::Table<task::ExportOptions>::fields() {
  using task::ExportOptions;
  std::vector<std::string_view> formats;
  for (const exchange::FormatFacts& facts : exchange::formats) formats.push_back(facts.name);
  static const Keys keys{
      field<&ExportOptions::robot>("robot")
          .required()
          .metavar("NAME|FILE")
          .doc("Robot by name or file; a result of identify too."),
      field<&ExportOptions::to>("to").required().metavar("FORMAT").words(formats).doc(
          "Format (docs/export.md)."),
      task::internal::water_density(field<&ExportOptions::density>("density")).doc("Water density.")};
  return keys;
}

}  // namespace fathom

namespace fathom::task {
namespace {

namespace fs = std::filesystem;

std::vector<LossSummary> losses_of(const std::vector<exchange::Loss>& losses) {
  std::vector<LossSummary> list;
  for (const exchange::Loss& loss : losses) list.push_back({loss.key, loss.what, loss.remedy});
  return list;
}

/// thrusters[3].map and thrusters[4].map are alike.
std::string without_number(const std::string& key) {
  const auto begin = key.find('['), end = key.find(']');
  return begin == std::string::npos || end < begin ? key : key.substr(0, begin) + key.substr(end + 1);
}

/// Losses that are alike share a row.
void add_losses(report::Document& document, const std::vector<LossSummary>& losses) {
  if (losses.empty()) return document.add_text({.paragraphs = {"nothing is lost"}});
  std::map<std::pair<std::string, std::string>, int> alike;
  for (const LossSummary& loss : losses) ++alike[{without_number(loss.key), loss.remedy}];
  report::Table table{.title = "Losses", .columns = {"lost on the way", ""}};
  for (const LossSummary& loss : losses) {
    int& count = alike[{without_number(loss.key), loss.remedy}];
    if (count == 0) continue;  // shown with the first of them
    table.rows.push_back({loss.key, loss.what +
                                        (count > 1 ? fmt::format("; and {} more alike", count - 1) : "") +
                                        (loss.remedy.empty() ? "" : fmt::format(" ({})", loss.remedy))});
    count = 0;
  }
  document.add(std::move(table));
}

/// Physical limits that the model breaks are reported at the lines of the model.
model::Robot checked(const exchange::Imported& imported, const std::string& source) {
  try {
    return model::Robot::make(imported.spec);
  } catch (const InputError& error) {
    std::map<std::string, int> lines;
    for (const auto& [key, place] : imported.places) lines[key] = place.line;
    Findings findings = error.findings();
    for (Finding& finding : findings) {
      finding.file = source;
      finding.line = yaml::nearest_line(lines, finding.key);
      // A matrix is judged as a whole; its entries have the lines.
      const auto below = lines.lower_bound(finding.key);
      if (finding.line == 0 && below != lines.end() && below->first.starts_with(finding.key))
        finding.line = below->second;
      // Robot files have keys for the other sign, models of other programs have not.
      if (finding.wrong_sign)
        finding.hint = "a sign turned over? fathom lint " + shell_word(source) + " says which";
    }
    throw InputError(findings);
  }
}

}  // namespace

FATHOM_JSON(LossSummary, key, what, remedy)
FATHOM_SUMMARY(ExportSummary, command, robot, format, density, losses, files)
FATHOM_JSON(ImportSummary::Place, file, line, tag)
FATHOM_SUMMARY(ImportSummary, command, robot, format, losses, places, files)

report::Document ExportResult::report() const {
  report::Document document{.title = summary.robot};
  const auto& facts = exchange::facts_of(exchange::format_from(summary.format));
  document.add_text({.paragraphs = {fmt::format("{} for {}", summary.robot, facts.title)}});
  add_losses(document, summary.losses);
  return document;
}
std::vector<ResultFile> ExportResult::files() const {
  std::vector<ResultFile> files;
  for (const exchange::ExportedFile& file : exported) files.push_back({file.name, file.text});
  return files;
}
ExportResult ExportResult::load(const fs::path& folder) {
  ExportResult result{{load_summary(folder)}};
  for (const std::string& file : result.summary.files)
    if (const std::string name = fs::path(file).filename().string(); name != "summary.json")
      result.exported.push_back({name, read_file(folder / name)});
  return result;
}

ExportResult export_robot(const ExportOptions& options, const Context& context) {
  fields::check_values(options);
  const model::Robot robot = model::read_robot(context.paths.robot(options.robot));
  exchange::Exported exported =
      exchange::export_robot(robot, exchange::format_from(options.to), {model::Environment(options.density)});
  return {{{internal::command_of("export", options), robot.name(), options.to, options.density,
            losses_of(exported.losses)}},
          std::move(exported.files)};
}

report::Document ImportResult::report() const {
  report::Document document{.title = summary.robot};
  const auto& facts = exchange::facts_of(exchange::format_from(summary.format));
  const std::size_t thrusters = robot.thrusters().size();
  document.add_text(
      {.paragraphs = {fmt::format("{}: a model of {}, {} kg, {} thruster{}", robot.name(), facts.title,
                                  robot.hull().mass.value, thrusters, thrusters == 1 ? "" : "s")}});
  add_losses(document, summary.losses);
  return document;
}
std::vector<ResultFile> ImportResult::files() const {
  return {{robot.name() + ".yaml", model::robot_to_yaml(robot)}};
}
ImportResult ImportResult::load(const fs::path& folder) {
  ImportSummary summary = load_summary(folder);
  return {{summary}, model::read_robot(folder / (summary.robot + ".yaml"))};
}

bool is_model_file(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string begin(256, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  if (begin.starts_with("\xef\xbb\xbf")) begin.erase(0, 3);
  const std::size_t first = begin.find_first_not_of(" \t\r\n");
  const std::string extension = path.extension().string();
  return (first != std::string::npos && begin[first] == '<') || extension == ".sdf" || extension == ".urdf";
}

ImportResult import_robot(const std::string& source, const Context& context) {
  throw_if(context.stop);
  const exchange::Imported imported = exchange::import_model(source);
  ImportSummary summary{"convert " + shell_word(source), imported.spec.name,
                        std::string(exchange::facts_of(imported.format).name), losses_of(imported.losses)};
  for (const auto& [key, place] : imported.places)
    summary.places.emplace_back(key, ImportSummary::Place{place.file, place.line, place.tag});
  return {{std::move(summary)}, checked(imported, source)};
}

}  // namespace fathom::task
