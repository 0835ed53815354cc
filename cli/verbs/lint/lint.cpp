#include "fathom/task/lint.hpp"

#include "cli/run_task.hpp"

namespace fathom::cli {

void add_lint(CLI::App& program) {
  auto verb = std::make_shared<Verb>(
      program, "lint",
      "Checks robot files and other simulators' models for physics that will blow up, and for likely slips",
      "fathom models bluerov2-heavy --yaml > my_rov.yaml\n  fathom lint my_rov.yaml rexrov --for uuv-simulator",
      Takes{});
  auto options = std::make_shared<task::LintOptions>();
  verb->app()
      .add_option(
          "FILE", options->file,
          "Robot files, those of assemblies and of vehicles with arms too, names of those that ship, or SDF "
          "and URDF of other simulators")
      ->required()
      ->option_text("NAME|FILE... REQUIRED");
  add_flags(verb->app(), task::option_list(*options));
  verb->app().footer(
      "Exit status: 0 no errors, 1 errors, 2 a robot file that does not load or a file that "
      "cannot be read. The rules: docs/lint.md.\n\n" +
      verb->app().get_footer());
  verb->runs(
      [verb, options] { return print_result(*verb, task::lint(*options, context_of(verb->common())), ""); });
}

}  // namespace fathom::cli
