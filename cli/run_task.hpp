#pragma once
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "fathom/base/file.hpp"
#include "fathom/fields/flags.hpp"
#include "fathom/report/page.hpp"
#include "fathom/task/context.hpp"
#include "fathom/task/result.hpp"

#include "cli/output.hpp"
#include "cli/terminal/table.hpp"
#include "cli/terminal/warnings.hpp"
#include "cli/verb.hpp"

namespace fathom::cli {

/// Adds the flags and arguments of an options table, which write to `options`.
void add_flags(CLI::App& app, const std::vector<fields::Flag>& flags, void* options);
template <class Options>
void add_flags(CLI::App& app, Options& options) {
  add_flags(app, fields::flags<Options>(), &options);
}

/// Adds a verb whose flags are those of the options table. `about` stands in the help before the example.
template <class Options>
void add_task(CLI::App& program, const std::string& name, const std::string& what, const std::string& about,
              const std::string& example, Takes takes, int (*run)(const Verb&, const Options&)) {
  const auto verb = std::make_shared<Verb>(program, name, what, example, takes);
  const auto options = std::make_shared<Options>();
  add_flags(verb->app(), *options);
  if (!about.empty()) verb->app().footer(about + "\n\n" + verb->app().get_footer());
  verb->runs([verb, options, run] { return run(*verb, *options); });
}

/// Returns the context of this program: shipped files, a progress bar, warnings kept for the end, interrupts.
task::Context context_of(const CommonOptions& common);

/// Prints a result and returns the exit status that it states. `more` follows the text; `page` is the page that
/// was written, which has all warnings.
template <class Result>
int print_result(const Verb& verb, const Result& result, const std::string& more,
                 const std::string& page = "") {
  verb.print(result.to_json(), report::to_text(result.report(), terminal_width()) + more);
  for (const std::string& reason : result.reasons()) warn("fathom: " + reason);
  run_warnings().add_first(result.warnings());
  run_warnings().print(most_warnings, page);
  return static_cast<int>(result.status());
}

/// Writes a result with the warnings of the run, and returns the name of its page.
template <class Result>
std::string save_result(Result& result, OutputFolder& out) {
  result.input_findings = run_warnings().findings();
  result.save(out);
  return Result::has_page ? "report.html" : "";
}

/// Writes a result, prints it with the files that were written, and returns the exit status.
template <class Result>
int finish_task(const Verb& verb, Result result, OutputFolder& out) {
  const std::string page = save_result(result, out);
  std::string written = "\n";
  for (const std::string& path : result.summary.files) written += fmt::format("written: {}\n", path);
  return print_result(verb, result, written, page);
}

/// The same where --out names the one file that is wanted: the first of the result, without a summary.
template <class Result>
int finish_one_file(const Verb& verb, Result result, const std::vector<std::filesystem::path>& inputs) {
  const std::filesystem::path file = verb.common().out;
  task::check_not_read(file, inputs);
  write_file_atomically(file, result.files().front().bytes);
  result.summary.files = {file.string()};
  return print_result(verb, result, fmt::format("\nwritten: {}\n", file.string()));
}

}  // namespace fathom::cli
