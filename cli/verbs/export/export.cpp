#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/task/exchange.hpp"

#include "cli/run_task.hpp"

namespace fathom::cli {
namespace {

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
  add_task<task::ExportOptions>(program, "export",
                                "Writes a robot as another simulator reads it, and lists what that cannot hold",
                                "", "fathom export --robot bluerov2-heavy --to gz-sim --out out/gazebo",
                                Takes{.out = true, .out_folder = "out/export-NAME-FORMAT"}, export_model);
}

}  // namespace fathom::cli
