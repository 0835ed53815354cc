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
  auto verb = std::make_shared<Verb>(
      program, "align", "Finds how far the clocks of a log's channels are apart, by the motion that they share",
      "fathom simulate tank-waypoints --out out/swim\n"
      "  fathom align --log out/swim/log --robot bluerov2-heavy --out out/aligned",
      Takes{.out = true, .out_folder = "out/align-NAME"});
  auto options = std::make_shared<task::AlignOptions>();
  add_flags(verb->app(), task::option_list(*options));
  verb->app()
      .add_option("--most", options->most, "Largest offset between two channels that is sought, s")
      ->check(is_time("offset"))
      ->option_text("S=2");
  verb->app().footer(
      "Exit status: 0 aligned, 1 no channel could be, or pairs contradict each other, 2 bad input.\n\n" +
      verb->app().get_footer());
  verb->runs([verb, options] { return align(*verb, *options); });
}

}  // namespace fathom::cli
