#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/task/exchange.hpp"

#include "cli/run_task.hpp"

namespace fathom::cli {
namespace {

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const exchange::FormatFacts& facts : exchange::formats) names.emplace_back(facts.name);
  return names;
}

int export_model(const Verb& verb, const task::ExportOptions& options) {
  const task::Context context = context_of(verb.common());
  task::ExportResult result = task::export_robot(options, context);
  std::vector<std::string> names = {"summary.json"};
  for (const exchange::ExportedFile& file : result.exported) names.push_back(file.name);
  OutputFolder out(verb.out_folder(result.summary.robot + "-" + options.to),
                   {verb.name(), {context.paths.robot(options.robot)}, names});
  return finish_task(verb, std::move(result), out);
}

}  // namespace

void add_export(CLI::App& program) {
  auto verb = std::make_shared<Verb>(
      program, "export", "Writes a robot as another simulator reads it, and lists what that cannot hold",
      "fathom export --robot bluerov2-heavy --to gz-sim --out out/gazebo",
      Takes{.out = true, .out_folder = "out/export-NAME-FORMAT"});
  auto options = std::make_shared<task::ExportOptions>();
  verb->app()
      .add_option("--robot", options->robot, "Robot by name or file; a result of identify too")
      ->required()
      ->option_text("NAME|FILE REQUIRED");
  verb->app()
      .add_option("--to", options->to, fmt::format("{} (docs/export.md)", join(format_names(), ", ")))
      ->required()
      ->check(is_word(format_names()))
      ->option_text("FORMAT REQUIRED");
  add_density(verb->app(), options->density);
  verb->runs([verb, options] { return export_model(*verb, *options); });
}

}  // namespace fathom::cli
