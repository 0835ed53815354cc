#include "fathom/task/models/models.hpp"

#include "fathom/model_file/robot_file.hpp"

#include "cli/run_task.hpp"

namespace fathom::cli {
namespace {

int show(const Verb& verb, const task::ModelOptions& options, bool as_yaml) {
  const task::ModelResult result = task::show_model(options, context_of(verb.common()));
  if (!as_yaml) return print_result(verb, result, "");
  const std::string yaml = model::robot_to_yaml(*result.robot);
  verb.print({{"name", result.summary.name}, {"file", result.summary.file}, {"yaml", yaml}}, yaml);
  return Status::done;
}

int list(const Verb& verb) {
  const task::ModelListResult result = task::list_models(context_of(verb.common()));
  for (const std::string& error : result.errors) warn(error);
  return print_result(verb, result, "");
}

}  // namespace

void add_models(CLI::App& program) {
  auto verb = std::make_shared<Verb>(
      program, "models", "Lists the robots, or shows one: values with units and sources, matrices, checks",
      "fathom models bluerov2-heavy", Takes{});
  auto options = std::make_shared<task::ModelOptions>();
  auto as_yaml = std::make_shared<bool>(false);
  add_flags(verb->app(), *options);
  verb->app().add_flag("--yaml", *as_yaml, "Print the robot as a robot file, to begin one of your own");
  verb->runs([verb, options, as_yaml] {
    if (!options->name.empty()) return show(*verb, *options, *as_yaml);
    if (*as_yaml) reject("--yaml", "prints one robot, and none is named", "fathom models NAME --yaml");
    return list(*verb);
  });
}

}  // namespace fathom::cli
