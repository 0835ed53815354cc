#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"

#include "cli/interrupt.hpp"
#include "cli/ranks.hpp"
#include "cli/verb.hpp"
#include "version.hpp"

namespace fathom::cli {
namespace {

void explain_unknown_verb(CLI::App& program, const std::string& word) {
  std::vector<std::string_view> names;
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->get_name() == word) return;
    names.push_back(verb->get_name());
  }
  const std::string nearest = nearest_word(word, names);
  complain(fmt::format("there is no verb {}{}", in_quotes(word),
                       nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest)));
}

int run(int argc, char** argv) {
  CLI::App program("Fathom turns the motion of an underwater robot into a dynamic model that can be trusted.",
                   "fathom");
  program.set_version_flag("--version", "fathom " FATHOM_VERSION);
  program.require_subcommand(1);
  program.footer(
      "fathom VERB --help shows a working example. Exit status: 0 done and its checks hold, 1 a check\n"
      "failed, 2 bad usage or bad input.");
  add_demo(program);
  add_simulate(program);
  add_excite(program);
  add_identify(program);
  add_validate(program);
  add_models(program);
  add_lint(program);
  add_reproduce(program);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
    if (argc > 1 && argv[1][0] != '-') explain_unknown_verb(program, argv[1]);
    program.exit(error);
    return Status::bad_input;
  }
  return exit_status();
}

}  // namespace
}  // namespace fathom::cli

int main(int argc, char** argv) {
  using namespace fathom::cli;
  watch_for_interrupt();
  silence_other_ranks();
  try {
    const int status = run(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
      complain("fathom: standard output cannot be written");
      return Status::bad_input;
    }
    return status;
  } catch (const fathom::InputError& error) {
    complain(error.what());
    return Status::bad_input;
  } catch (const Interrupted&) {
    complain("fathom: interrupted; what was there before is as it was");
    return Status::interrupted;
  } catch (const CrewLost& error) {
    complain(fmt::format("fathom: {}", error.what()));
    return Status::check_failed;
  } catch (const std::exception& error) {
    complain(fmt::format("fathom: internal error: {}; please report it with the command and its files",
                         error.what()));
    return Status::internal_error;
  }
}
