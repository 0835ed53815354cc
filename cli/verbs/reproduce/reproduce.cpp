#include "studies/reproduce.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"

#include "cli/output.hpp"
#include "cli/shipped.hpp"
#include "cli/terminal/interrupt.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/table.hpp"
#include "cli/verb.hpp"
#include "cli/verbs/reproduce/study_text.hpp"

namespace fathom::cli {
namespace {

using studies::Study;

struct ReproduceOptions {
  std::vector<std::string> names;
  std::vector<std::string> settings;  ///< NAME=NUMBER in place of the study's own; for tests
  bool list = false;
};

struct KnownStudy {
  std::string_view name;
  void (*run)(Study& study, const studies::Host& host);
};
constexpr KnownStudy known[] = {{"arm", studies::reproduce_arm},
                                {"excitation", studies::reproduce_excitation},
                                {"identification", studies::reproduce_identification},
                                {"modular", studies::reproduce_modular},
                                {"real", studies::reproduce_real},
                                {"tank", studies::reproduce_tank},
                                {"thrusters", studies::reproduce_thrusters}};

const KnownStudy& find_study(const std::string& name) {
  std::vector<std::string_view> names;
  for (const KnownStudy& study : known) {
    if (study.name == name) return study;
    names.push_back(study.name);
  }
  reject("", fmt::format("there is no study {}", in_quotes(name)),
         did_you_mean(name, names, fmt::format("there are {}", join(names, ", "))));
}

int list_studies(const Verb& verb) {
  Table table({"study", "what it reproduces"});
  auto studies = nlohmann::ordered_json::array();
  for (const KnownStudy& one : known) {
    const Study study = Study::read(study_folder(std::string(one.name)));
    table.row({study.name(), study.title()});
    studies.push_back({{"name", study.name()}, {"title", study.title()}, {"folder", study.folder().string()}});
  }
  verb.print({{"studies", studies}}, table.text());
  return Status::done;
}

/// With progress on standard error.
void run_study(const KnownStudy& known_study, const CommonOptions& options, Study& study) {
  ThreadPool pool(options.threads, was_interrupted);
  Progress progress(study.name());
  known_study.run(study, {.pool = pool,
                          .seed = options.seed,
                          .shared = share_folder(),
                          .robot_folders = robot_folders(),
                          .data = data_folder(),
                          .progress = [&](double share, std::string_view news) { progress.at(share, news); }});
}

/// Returns the command that repeats the run: what moves no number, such as threads, is left out.
std::string command_of(const Verb& verb, const ReproduceOptions& options) {
  std::string command = verb.name();
  for (const std::string& name : options.names) command += " " + shell_word(name);
  for (const std::string& setting : options.settings) command += " --setting " + shell_word(setting);
  if (verb.common().seed != CommonOptions().seed) command += fmt::format(" --seed {}", verb.common().seed);
  return command;
}

int reproduce(const Verb& verb, const ReproduceOptions& options) {
  std::vector<const KnownStudy*> chosen;
  for (const std::string& name : options.names) chosen.push_back(&find_study(name));
  if (options.names.empty())
    for (const KnownStudy& study : known) chosen.push_back(&study);
  auto studies = nlohmann::ordered_json::array();
  std::string text;
  bool holds = true;
  std::vector<Study> done;
  std::optional<OutputFolder> out;
  if (!verb.common().out.empty())
    out.emplace(verb.common().out, OutputFolder::Run{verb.name(), {}, {"report.html", "summary.json"}});
  for (const KnownStudy* one : chosen) {
    Study study = Study::read(study_folder(std::string(one->name)));
    for (const std::string& setting : options.settings) study.change(setting);
    run_study(*one, verb.common(), study);
    holds = study.holds() && holds;
    studies.push_back(json_of(study));
    text += (text.empty() ? "" : "\n\n") + text_of(study);
    done.push_back(std::move(study));
  }
  const nlohmann::ordered_json summary =
      options.names.size() == 1 ? studies.front() : nlohmann::ordered_json{{"studies", studies}};
  if (out) {
    nlohmann::ordered_json kept = summary;
    kept["command"] = command_of(verb, options);
    out->write("report.html", report::to_html(page_of(done)));
    out->write("summary.json", to_text(kept));
    out->commit();
    for (const char* name : {"report.html", "summary.json"})
      text += fmt::format("\nwritten: {}", (out->target() / name).string());
    text += "\n";
  }
  if (!holds) text += "\nA CHECK FAILED: see the rows marked FAIL\n";
  verb.print(summary, text);
  return holds ? Status::done : Status::check_failed;
}

}  // namespace

void add_reproduce(CLI::App& program) {
  auto verb = std::make_shared<Verb>(
      program, "reproduce",
      "Repeats published tables of the source papers: published, ours, criterion, verdict",
      "fathom reproduce --list",
      Takes{.out = true, .seed = true, .threads = true, .out_folder = "none: nothing is written"});
  auto options = std::make_shared<ReproduceOptions>();
  verb->app().add_option("NAME", options->names, "Studies; without any, all of them")->option_text("...");
  verb->app().add_flag("--list", options->list, "List the studies");
  verb->app().add_option("--setting", options->settings)->group("");
  verb->app().footer(
      "fathom reproduce arm, excitation, modular, real, tank and thrusters take some seconds, fathom "
      "reproduce\n"
      "identification a minute or two; $FATHOM_DATA names the folder of measured data. Exit status: 1\n"
      "where a number misses its criterion.\n\n" +
      verb->app().get_footer());
  verb->runs([verb, options] { return options->list ? list_studies(*verb) : reproduce(*verb, *options); });
}

}  // namespace fathom::cli
