#include "fathom/task/align.hpp"

#include "fathom/log/log_folder.hpp"

#include "cli/run_task.hpp"

namespace fathom::cli {
namespace {

int align(const Verb& verb, const task::AlignOptions& options) {
  OutputFolder out(verb.out_folder(log::name_of_log(options.log)),
                   {verb.name(), {options.log}, {"log", "summary.json"}});
  return finish_task(verb, task::align(options, context_of(verb.common())), out);
}

}  // namespace

void add_align(CLI::App& program) {
  add_task<task::AlignOptions>(
      program, "align", "Finds how far the clocks of a log's channels are apart, by the motion that they share",
      "Exit status: 0 aligned, 1 no channel could be, or pairs contradict each other, 2 bad input.",
      "fathom simulate tank-waypoints --out out/swim\n"
      "  fathom align --log out/swim/log --robot bluerov2-heavy --out out/aligned",
      Takes{.out = true, .out_folder = "out/align-NAME"}, align);
}

}  // namespace fathom::cli
