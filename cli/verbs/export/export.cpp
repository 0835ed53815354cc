#include "fathom/exchange/export.hpp"

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/model/catalogue.hpp"
#include "fathom/model/robot_file.hpp"

#include "cli/finish.hpp"
#include "cli/output.hpp"
#include "cli/shipped.hpp"
#include "cli/verb.hpp"
#include "cli/verbs/export/exchange_text.hpp"

namespace fathom::cli {
namespace {

struct ExportArguments {
  std::string robot, format;
  double density = model::fresh_water;
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const exchange::FormatFacts& facts : exchange::formats) names.emplace_back(facts.name);
  return names;
}

nlohmann::ordered_json export_summary(const ExportArguments& arguments, const model::Robot& robot,
                                      const exchange::Exported& exported) {
  return {{"command", fmt::format("export --robot {} --to {}", shell_word(arguments.robot), arguments.format)},
          {"robot", robot.name()},
          {"format", arguments.format},
          {"density", arguments.density},
          {"losses", losses_json(exported.losses)}};
}

int export_model(const Verb& verb, const ExportArguments& arguments) {
  const std::filesystem::path file = model::find_robot_file(arguments.robot, robot_folders());
  const model::Robot robot = model::read_robot(file);
  const exchange::Format format = exchange::format_from(arguments.format);
  const exchange::Exported exported =
      exchange::export_robot(robot, format, {model::Environment(arguments.density)});
  std::vector<std::string> names;
  for (const exchange::ExportedFile& written : exported.files) names.push_back(written.name);
  names.emplace_back("summary.json");
  OutputFolder out(verb.out_folder(robot.name() + "-" + arguments.format), {verb.name(), {file}, names});
  for (const exchange::ExportedFile& written : exported.files) out.write(written.name, written.text);
  finish(verb, export_summary(arguments, robot, exported), names,
         fmt::format("{} for {}\n{}", robot.name(), exchange::facts_of(format).title,
                     losses_text(exported.losses)),
         out);
  return Status::done;
}

}  // namespace

void add_export(CLI::App& program) {
  auto verb = std::make_shared<Verb>(
      program, "export", "Writes a robot as another simulator reads it, and lists what that cannot hold",
      "fathom export --robot bluerov2-heavy --to gz-sim --out out/gazebo",
      Takes{.out = true, .out_folder = "out/export-NAME-FORMAT"});
  auto arguments = std::make_shared<ExportArguments>();
  verb->app()
      .add_option("--robot", arguments->robot, "Robot by name or file; a result of identify too")
      ->required()
      ->option_text("NAME|FILE REQUIRED");
  verb->app()
      .add_option("--to", arguments->format, fmt::format("{} (docs/export.md)", join(format_names(), ", ")))
      ->required()
      ->check(is_word(format_names()))
      ->option_text("FORMAT REQUIRED");
  add_density(verb->app(), arguments->density);
  verb->runs([verb, arguments] { return export_model(*verb, *arguments); });
}

}  // namespace fathom::cli
