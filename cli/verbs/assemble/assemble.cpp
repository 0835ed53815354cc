#include "fathom/task/assemble/assemble.hpp"

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/model_file/vehicle_with_arms_file.hpp"

#include "cli/run_task.hpp"

namespace fathom::cli {
namespace {

const std::string& name_of(const task::AssembleSummary& summary) { return summary.assembly; }
const std::string& name_of(const task::HeldArmsSummary& summary) { return summary.name; }

template <class Result>
int write(const Verb& verb, Result result) {
  const std::vector<std::filesystem::path> inputs = result.inputs;
  if (verb.common().out.extension() == ".yaml") {
    if (result.robots.size() > 1)
      reject("--out",
             fmt::format("= {}, one file, but there are {} clusters", in_quotes(verb.common().out.string()),
                         result.robots.size()),
             "name a folder: it gets one robot file for each");
    return finish_one_file(verb, std::move(result), inputs);
  }
  OutputFolder::Run run{verb.name(), inputs, {"report.html", "summary.json"}};
  for (const model::Robot& robot : result.robots) run.outputs.push_back(robot.name() + ".yaml");
  OutputFolder out(verb.out_folder(name_of(result.summary)), run);
  return finish_task(verb, std::move(result), out);
}

int assemble(const Verb& verb, const task::AssembleOptions& options) {
  const task::Context context = context_of(verb.common());
  if (model::names_arms(context.paths.assembly(options.assembly)))
    return write(verb, task::assemble_arms(options, context));
  return write(verb, task::assemble(options, context));
}

}  // namespace

void add_assemble(CLI::App& program) {
  add_task<task::AssembleOptions>(
      program, "assemble",
      "Merges docked robots, or a vehicle and its arms, into one; tells what their couplings carry",
      "--out NAME.yaml writes the merged robot alone.", "fathom assemble bluerov-pair --push \"A: X=10, N=2\"",
      Takes{.out = true, .out_folder = "out/assemble-NAME"}, assemble);
}

}  // namespace fathom::cli
