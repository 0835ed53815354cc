#include "fathom/task/lint.hpp"

#include "cli/run_task.hpp"

namespace fathom::cli {
namespace {

int lint(const Verb& verb, const task::LintOptions& options) {
  return print_result(verb, task::lint(options, context_of(verb.common())), "");
}

}  // namespace

void add_lint(CLI::App& program) {
  add_task<task::LintOptions>(
      program, "lint",
      "Checks robot files and other simulators' models for physics that will blow up, and for likely slips",
      "Exit status: 0 no errors, 1 errors, 2 a robot file that does not load or a file that "
      "cannot be read. The rules: docs/lint.md.",
      "fathom models bluerov2-heavy --yaml > my_rov.yaml\n  fathom lint my_rov.yaml rexrov --for uuv-simulator",
      Takes{}, lint);
}

}  // namespace fathom::cli
