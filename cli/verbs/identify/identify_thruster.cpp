#include "cli/verbs/identify/identify_thruster.hpp"

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"

#include "cli/finish.hpp"
#include "cli/verbs/identify/identify_thruster_result.hpp"

namespace fathom::cli {
namespace {

identify::ColumnChoice column_choice(const std::vector<std::string>& texts) {
  identify::ColumnChoice choice;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      reject("--column", fmt::format("= {}, expected ROLE=NAME:UNIT", in_quotes(text)),
             "such as force=Thrust:kgf");
    if (!choice.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
      reject("--column", fmt::format("names {} twice", text.substr(0, equals)));
  }
  return choice;
}

std::string command_of(const ThrusterOptions& options) {
  std::string command = "identify --what thruster --table " + shell_word(options.table);
  for (const std::string& column : options.columns) command += " --column " + shell_word(column);
  for (const std::string& file : options.steps) command += " --steps " + shell_word(file);
  if (!options.law.empty()) command += " --law " + shell_word(options.law);
  if (options.neutral) command += fmt::format(" --neutral {}", *options.neutral);
  if (options.name != ThrusterOptions().name) command += " --name " + shell_word(options.name);
  return command;
}

/// What speaks of the table speaks of its file.
[[noreturn]] void throw_with_file(const InputError& error, const std::string& file) {
  Findings findings = error.findings();
  for (Finding& finding : findings)
    if (finding.file.empty() && finding.key == "table") {
      finding.file = file;
      finding.key.clear();
    }
  throw InputError(std::move(findings));
}

}  // namespace

void add_thruster_options(CLI::App& app, ThrusterOptions& options) {
  app.add_option(
         "--table", options.table,
         "With --what thruster: CSV of a bollard or towing test, a column of commands and one of forces")
      ->option_text("FILE");
  app.add_option("--column", options.columns,
                 "Which column is what, if its name does not say: command, force, voltage, speed, current, "
                 "inflow, time; NAME is a number where there is no header; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text("ROLE=NAME:UNIT");
  app.add_option("--steps", options.steps,
                 "CSV of a run in time beside the table: time, command, and speed, force or both; laws of the "
                 "transient are fitted to some runs or steps and judged on the others; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text("FILE");
  app.add_option("--law", options.law,
                 "Of the transient: force, shaft or motor, each perhaps with +flow; default the simplest that "
                 "foretells steps not seen as well as the best")
      ->option_text("LAW");
  app.add_option("--neutral", options.neutral, "Command that gives no force; default 1500 us, or 0")
      ->check(is_number("command"))
      ->option_text("X");
  app.add_option("--name", options.name, "Of the map in the robot file")->option_text("NAME=thruster");
}

int identify_thruster(const Verb& verb, const ThrusterOptions& options) {
  if (options.table.empty())
    reject("--table", "is missing: --what thruster learns from a bollard test", "--table FILE.csv");
  if (!is_plain_name(options.name))
    reject("--name", fmt::format("= {}, expected letters, digits, - and _", in_quotes(options.name)));
  const std::string& law = options.law;
  if (!law.empty() && options.steps.empty())
    reject("--law", "is of runs in time, and there is none", "--steps FILE.csv");
  std::vector<std::filesystem::path> inputs = {options.table};
  inputs.insert(inputs.end(), options.steps.begin(), options.steps.end());
  OutputFolder out(verb.out_folder(options.name),
                   {verb.name(), inputs, {"thruster.yaml", "report.html", "summary.json"}});
  const identify::ColumnChoice choice = column_choice(options.columns);
  const identify::BollardTable table = identify::bollard_table(log::read_number_table(options.table), choice);
  const std::string source = fmt::format("fathom identify --what thruster, from {}",
                                         std::filesystem::path(options.table).filename().string());
  ThrusterResult result{options.name, command_of(options), table.columns, {}};
  for (const std::string& file : options.steps)
    result.runs.push_back(identify::step_run(log::read_number_table(file), choice, table.unit));
  try {
    result.found = identify::identify_thruster(table, identify::command_of(table, options.neutral), source);
    if (!result.runs.empty())
      result.steps = identify::choose_step_law(
          result.found, result.runs, law.empty() ? std::nullopt : std::optional(identify::step_law_named(law)));
  } catch (const InputError& error) {
    throw_with_file(error, options.table);
  }
  finish(verb, summary_of(result), write_files(result, out), text_of(result), out);
  return Status::done;
}

}  // namespace fathom::cli
