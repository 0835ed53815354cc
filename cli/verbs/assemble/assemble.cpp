#include <algorithm>

#include <fmt/format.h>

#include "fathom/assembly/assembly_file.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/model/vehicle_with_arms.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/model_file/vehicle_with_arms_file.hpp"
#include "fathom/report/assembly_page.hpp"

#include "cli/finish.hpp"
#include "cli/output.hpp"
#include "cli/shipped.hpp"
#include "cli/verb.hpp"
#include "cli/verbs/assemble/assemble_arms.hpp"
#include "cli/verbs/assemble/assemble_result.hpp"
#include "version.hpp"

namespace fathom::cli {
namespace {

struct AssembleArguments {
  std::string name;
  double density = model::fresh_water;
  std::string origin = "centre_of_mass", pose;
  std::vector<std::string> pushes, failed;
};

assembly::SurveyOptions survey_options(const AssembleArguments& arguments, const assembly::Assembly& assembly) {
  assembly::SurveyOptions options;
  if (arguments.origin == "first_module") options.merge.origin = assembly::MergeOptions::Origin::first_module;
  for (const std::string& text : arguments.pushes) options.pushes.push_back(push_of(text, assembly));
  if (!arguments.pose.empty()) options.attitude = pose_of(arguments.pose);
  options.failed = arguments.failed;
  return options;
}

/// Throws InputError unless every thruster of --fail is one of a merged robot.
void check_thrusters_to_fail(const Assembled& assembled) {
  std::vector<std::string_view> names;
  for (const assembly::ClusterSurvey& survey : assembled.clusters)
    for (const model::Thruster& thruster : survey.merged.robot.thrusters()) names.push_back(thruster.name);
  for (const std::string& failed : assembled.options.failed) {
    if (std::find(names.begin(), names.end(), failed) != names.end()) continue;
    reject("--fail",
           fmt::format("= {}, which is no thruster of {}", in_quotes(failed), assembled.assembly.name()),
           names.empty()
               ? "it has none"
               : did_you_mean(failed, names,
                              fmt::format("they are called MODULE-THRUSTER, such as {}", names.front())));
  }
}

std::string robot_file_name(const assembly::ClusterSurvey& survey) {
  return survey.merged.robot.name() + ".yaml";
}

void write_merged_robot(const Verb& verb, const Assembled& assembled) {
  if (assembled.clusters.size() > 1)
    reject("--out",
           fmt::format("= {}, one file, but there are {} clusters", in_quotes(verb.common().out.string()),
                       assembled.clusters.size()),
           "name a folder: it gets one robot file for each");
  const std::filesystem::path file = verb.common().out;
  std::vector<std::filesystem::path> read = {assembled.file};
  for (const assembly::Module& module : assembled.assembly.modules()) read.emplace_back(module.robot_file);
  check_not_read(file, read);
  model::write_robot(assembled.clusters.front().merged.robot, file);
  nlohmann::ordered_json summary = assemble_summary(assembled);
  summary["files"] = {file.string()};
  verb.print(summary, assemble_text(assembled) + fmt::format("written: {}\n", file.string()));
}

void write_folder(const Verb& verb, const Assembled& assembled) {
  std::vector<std::string> names;
  std::vector<report::FileLink> links;
  for (const assembly::ClusterSurvey& survey : assembled.clusters) {
    names.push_back(robot_file_name(survey));
    links.push_back({names.back(), "the merged robot, which every verb takes"});
  }
  names.emplace_back("report.html");
  names.emplace_back("summary.json");
  OutputFolder out(verb.out_folder(assembled.assembly.name()), {verb.name(), {assembled.file}, names});
  for (const assembly::ClusterSurvey& survey : assembled.clusters)
    out.write(robot_file_name(survey), model::robot_to_yaml(survey.merged.robot));
  nlohmann::ordered_json summary = assemble_summary(assembled);
  const report::AssemblyPage page{
      &assembled.assembly, assembled.clusters, assembled.environment, links,
      fmt::format("fathom {}: {}", FATHOM_VERSION, summary["command"].get<std::string>())};
  out.write("report.html", report::to_html(report::assembly_page(page)));
  finish(verb, std::move(summary), names, assemble_text(assembled), out);
}

void reject_what_if(const AssembleArguments& arguments) {
  for (const auto& [is_given, option] : {std::pair(!arguments.pushes.empty(), "--push"),
                                         {!arguments.pose.empty(), "--pose"},
                                         {!arguments.failed.empty(), "--fail"},
                                         {arguments.origin != AssembleArguments().origin, "--origin"}})
    if (is_given)
      reject(option, "is for docked robots; this is a vehicle with arms",
             "write the robot with its arms held, then ask of that");
}

int assemble(const Verb& verb, const AssembleArguments& arguments) {
  const std::filesystem::path file = find_assembly_file(arguments.name);
  if (model::names_arms(file)) {
    reject_what_if(arguments);
    return assemble_arms(verb, file, arguments.density);
  }
  const assembly::Assembly assembly = assembly::read_assembly(file, module_folders());
  Assembled assembled{
      assembly, file, model::Environment(arguments.density), survey_options(arguments, assembly), {}};
  for (std::size_t k = 0; k < assembly.clusters().size(); ++k)
    assembled.clusters.push_back(assembly::survey(assembly, k, assembled.environment, assembled.options));
  check_thrusters_to_fail(assembled);
  if (verb.common().out.extension() == ".yaml")
    write_merged_robot(verb, assembled);
  else
    write_folder(verb, assembled);
  return Status::done;
}

void add_what_if(CLI::App& app, AssembleArguments& arguments) {
  app.add_option(
         "--push", arguments.pushes,
         "\"MODULE: X=10, N=2\", N and N m on a module in its own axes: what the couplings then carry; may be "
         "repeated, all act at once")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text("WRENCH");
  app.add_option("--pose", arguments.pose,
                 "\"roll=90, pitch=10\", degrees: tell the loads of weight and buoyancy in this attitude too")
      ->option_text("ANGLES");
  app.add_option("--fail", arguments.failed,
                 "A thruster that gives no force, MODULE-THRUSTER: what is still reachable; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text("NAME");
}

}  // namespace

void add_assemble(CLI::App& program) {
  auto verb = std::make_shared<Verb>(
      program, "assemble",
      "Merges docked robots, or a vehicle and its arms, into one; tells what their couplings carry",
      "fathom assemble bluerov-pair --push \"A: X=10, N=2\"",
      Takes{.out = true, .out_folder = "out/assemble-NAME"});
  auto arguments = std::make_shared<AssembleArguments>();
  verb->app()
      .add_option("assembly", arguments->name,
                  "An assembly that ships, or the path of an assembly file (docs/assembly-file.md) or of a "
                  "vehicle with arms "
                  "(docs/robot-file.md)")
      ->required()
      ->option_text("NAME|FILE REQUIRED");
  verb->app()
      .add_option("--origin", arguments->origin,
                  "Of the merged robot: centre_of_mass (default) or first_module")
      ->check(is_word({"centre_of_mass", "first_module"}))
      ->option_text("WORD");
  add_density(verb->app(), arguments->density);
  add_what_if(verb->app(), *arguments);
  verb->app().footer("--out NAME.yaml writes the merged robot alone.\n\n" + verb->app().get_footer());
  verb->runs([verb, arguments] { return assemble(*verb, *arguments); });
}

}  // namespace fathom::cli
