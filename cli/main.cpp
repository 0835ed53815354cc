#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/read_stop.hpp"
#include "fathom/base/text.hpp"
#include "fathom/task/batch.hpp"

#include "cli/ranks.hpp"
#include "cli/terminal/interrupt.hpp"
#include "cli/terminal/warnings.hpp"
#include "cli/verb.hpp"
#include "version.hpp"

namespace fathom::cli {
namespace {

/// CLI11 sets a blank line for a group of hidden options too.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n"))
      text.erase(at, 1);
    return text;
  }
};

void explain_unknown_verb(CLI::App& program, const std::string& word) {
  std::vector<std::string_view> names;
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->get_name() == word) return;
    names.push_back(verb->get_name());
  }
  const std::string nearest = word == "help" ? "--help" : nearest_word(word, names);
  warn(fmt::format("there is no verb {}{}", in_quotes(word),
                   nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest)));
}

/// Names the first word that the verb has no use for, and the option that it may have been meant for.
void explain_extra(CLI::App& verb) {
  const std::string word = verb.remaining().empty() ? "" : verb.remaining().front();
  if (!word.starts_with("-"))
    return warn(fmt::format("fathom {}: {} is one word too many", verb.get_name(), in_quotes(word)));
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options())
    if (!option->get_lnames().empty() && !option->get_group().empty())
      names.push_back("--" + option->get_lnames().front());
  const std::string nearest = nearest_word(word, std::vector<std::string_view>(names.begin(), names.end()));
  warn(fmt::format("fathom {}: there is no option {}{}", verb.get_name(), in_quotes(word),
                   nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest)));
}

/// An option at the end of its line, or one of two values: CLI11 says "1 required TEXT missing".
void explain_missing_value(CLI::App& verb, const std::string& error_text) {
  const std::string name = error_text.substr(0, error_text.find(':'));
  const CLI::Option* option = verb.get_option_no_throw(name);
  std::string value = option ? option->get_option_text() : "";
  value = value.substr(0, value.find(" REQUIRED"));
  const std::size_t equals = value.find('=');  // a default follows it, or, in capitals, the rest of the form
  if (equals != std::string::npos &&
      value.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ", equals) == std::string::npos)
    value.resize(equals);
  warn(fmt::format("fathom {}: {} lacks a value, expected {} {}", verb.get_name(), name, name, value));
}

/// Bad usage, in our words where CLI11 speaks of subcommands and of arguments that were not expected.
int explain(CLI::App& program, const CLI::ParseError& error, int argc, char** argv) {
  const auto verbs = program.get_subcommands();
  if (argc == 1) {
    warn(program.help());
  } else if (verbs.empty() && argv[1][0] != '-') {
    explain_unknown_verb(program, argv[1]);
  } else if (verbs.empty()) {
    warn(fmt::format("fathom: {} is no verb", in_quotes(argv[1])));
  } else if (dynamic_cast<const CLI::ExtrasError*>(&error) && !verbs.front()->remaining().empty()) {
    explain_extra(*verbs.front());
  } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
    explain_missing_value(*verbs.front(), error.what());
  } else {
    program.exit(error);
    return Status::bad_input;
  }
  warn("fathom --help lists the verbs, fathom VERB --help the options of one");
  return Status::bad_input;
}

int run(int argc, char** argv) {
  CLI::App program("Fathom turns the motion of an underwater robot into a dynamic model that can be trusted.",
                   "fathom");
  program.set_version_flag("--version", "fathom " FATHOM_VERSION);
  program.require_subcommand(1);
  program.formatter(std::make_shared<HelpFormatter>());
  program.get_formatter()->label("SUBCOMMAND", "VERB");
  program.footer(
      "fathom VERB --help shows a working example. Exit status: 0 done and its checks hold, 1 a check\n"
      "failed, 2 bad usage or bad input, 3 a fault of Fathom itself, 130 interrupted.");
  add_demo(program);
  add_simulate(program);
  add_excite(program);
  add_identify(program);
  add_validate(program);
  add_convert(program);
  add_align(program);
  add_prior(program);
  add_assemble(program);
  add_export(program);
  add_models(program);
  add_lint(program);
  add_schema(program);
  add_reproduce(program);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
    return explain(program, error, argc, argv);
  }
  return exit_status();
}

/// A run that fails says first what was odd about its input.
int end_with(int status, const std::string& why) {
  run_warnings().print(most_warnings);
  warn(why);
  return status;
}

}  // namespace
}  // namespace fathom::cli

int main(int argc, char** argv) {
  using namespace fathom::cli;
  watch_for_interrupt();
  fathom::set_read_stop(is_to_stop);
  silence_other_ranks();
  try {
    const int status = run(argc, argv);
    run_warnings().print(most_warnings);
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
      warn("fathom: standard output cannot be written");
      return Status::bad_input;
    }
    return status;
  } catch (const fathom::InputError& error) {
    return end_with(Status::bad_input, error.what());
  } catch (const Interrupted&) {
    return end_with(Status::interrupted, "fathom: interrupted; what was there before is as it was");
  } catch (const fathom::task::BatchIncomplete& error) {
    return end_with(Status::check_failed, fmt::format("fathom: {}", error.what()));
  } catch (const std::exception& error) {
    return end_with(Status::internal_error,
                    fmt::format("fathom: internal error: {}; please report it with the command and its files",
                                error.what()));
  }
}
