#include "fathom/log/convert.hpp"

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/log/mcap_writer.hpp"

#include "cli/finish.hpp"
#include "cli/output.hpp"
#include "cli/terminal/interrupt.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/verb.hpp"
#include "cli/verbs/convert/convert_model.hpp"
#include "cli/verbs/convert/convert_result.hpp"

namespace fathom::cli {
namespace {

namespace fs = std::filesystem;

struct ConvertArguments {
  std::string source, log, run;
};

/// What is converted, and how.
struct ConvertJob {
  log::Description description;
  fs::path log;
  std::string listing;  ///< what a bag holds, where it is converted as it is
};

bool is_description(const fs::path& path) { return path.extension() == ".yaml" || path.extension() == ".yml"; }

ConvertJob read_job(const ConvertArguments& arguments) {
  const fs::path source = arguments.source;
  if (is_description(source)) {
    const fs::path beside = source.has_parent_path() ? source.parent_path() : fs::path(".");
    return {log::read_description(source), arguments.log.empty() ? beside : fs::path(arguments.log), ""};
  }
  if (!arguments.log.empty())
    reject(arguments.source, 0, "", "is no description", "its name ends in .yaml; docs/log-description.md");
  if (source.extension() == ".csv")
    reject(arguments.source, 0, "", "is a table, and needs a description",
           "fathom convert DESCRIPTION.yaml --log " + shell_word(arguments.source) +
               "; docs/tutorial-your-log.md");
  const log::Bag bag(source);
  ConvertJob job{log::describe_bag(bag, arguments.source), source, topics_text(bag)};
  if (job.description.channels.empty())
    reject(arguments.source, 0, "", "has no topic that can be decoded\n" + job.listing,
           "what each lacks stands beside it");
  return job;
}

log::ConvertOptions options_of(const ConvertArguments& arguments, Progress& progress) {
  return {arguments.run, [&progress](double share) {
            throw_if_interrupted();
            progress.at(share);
          }};
}

std::string stem_of(const ConvertArguments& arguments) {
  const fs::path path = fs::path(arguments.source).lexically_normal();
  const std::string stem = path.stem().string();
  return arguments.run.empty() ? stem : stem + "-" + arguments.run;
}

std::string command_of(const ConvertArguments& arguments) {
  return fmt::format("convert {}{}{}", shell_word(arguments.source),
                     arguments.log.empty() ? "" : " --log " + shell_word(arguments.log),
                     arguments.run.empty() ? "" : " --run " + shell_word(arguments.run));
}

/// Warnings one by one; of notes, of which a bag has one for each topic that it cannot decode, the first and
/// how many.
void tell(const Findings& notes) {
  std::size_t count = 0;
  for (const Finding& note : notes) {
    if (note.severity != Severity::note || count++ == 0)
      warn(fmt::format("fathom: {}: {}", to_string(note.severity), note.text()));
  }
  if (count > 1) warn(fmt::format("fathom: and {} more notes, in the summary", count - 1));
}

log::Conversion convert_into(const ConvertJob& job, const ConvertArguments& arguments, log::Sink& sink) {
  Progress progress("convert " + fs::path(arguments.source).filename().string());
  log::Conversion conversion = log::convert(job.description, job.log, sink, options_of(arguments, progress));
  tell(conversion.notes);
  return conversion;
}

/// One file with all channels, which must fit into memory.
void write_one_file(const Verb& verb, const ConvertJob& job, const ConvertArguments& arguments) {
  const fs::path file = verb.common().out;
  check_not_read(file, {job.log});
  log::DatasetSink sink;
  const log::Conversion conversion = convert_into(job, arguments, sink);
  log::write_mcap(file, std::move(sink).dataset(), {.start_ns = conversion.zero_ns.value_or(0)});
  nlohmann::ordered_json summary = convert_summary(conversion);
  summary["command"] = command_of(arguments);
  summary["files"] = {file.string()};
  verb.print(summary, job.listing + convert_text(conversion) + fmt::format("written: {}\n", file.string()));
}

void write_folder(const Verb& verb, const ConvertJob& job, const ConvertArguments& arguments) {
  OutputFolder out(verb.out_folder(stem_of(arguments)),
                   {verb.name(), {arguments.source, job.log}, {"log", "summary.json"}});
  log::CsvSink sink(out.log_folder());
  const log::Conversion conversion = convert_into(job, arguments, sink);
  nlohmann::ordered_json summary = convert_summary(conversion);
  summary["command"] = command_of(arguments);
  finish(verb, std::move(summary), {"log", "summary.json"}, job.listing + convert_text(conversion), out);
}

int convert(const Verb& verb, const ConvertArguments& arguments) {
  if (is_model_file(arguments.source)) {
    if (!arguments.log.empty() || !arguments.run.empty())
      reject(arguments.source, 0, "", "is a model: it goes with no --log and no --run",
             "fathom convert " + shell_word(arguments.source) + " --out robot.yaml");
    return convert_model(verb, arguments.source);
  }
  const ConvertJob job = read_job(arguments);
  if (verb.common().out.extension() == ".mcap")
    write_one_file(verb, job, arguments);
  else
    write_folder(verb, job, arguments);
  return Status::done;
}

}  // namespace

void add_convert(CLI::App& program) {
  auto verb = std::make_shared<Verb>(
      program, "convert",
      "Converts any log to channels, by a description of its columns; bags and other simulators' models "
      "without one",
      "printf 'ms,alt\\n0,100\\n20,101\\n40,99\\n' > pool.csv\n"
      "  printf 'format: fathom-description-1\\nchannels:\\n  rov.depth:\\n    clock: {column: ms, unit: "
      "ms}\\n' > pool.yaml\n"
      "  printf '    columns: {depth: {from: alt, unit: cm}}\\n' >> pool.yaml\n"
      "  fathom convert pool.yaml --log pool.csv --out out/pool",
      Takes{.out = true, .out_folder = "out/convert-NAME"});
  auto arguments = std::make_shared<ConvertArguments>();
  verb->app()
      .add_option("description", arguments->source,
                  "Description of a log (docs/log-description.md); a bag: .db3, .mcap or its folder; or a "
                  "model: SDF of Gazebo Sim, URDF of UUV Simulator or RDML (docs/export.md)")
      ->required()
      ->option_text("FILE REQUIRED");
  verb->app()
      .add_option("--log", arguments->log,
                  "Folder of the files, or the one file (default the description's folder)")
      ->option_text("DIR|FILE");
  verb->app()
      .add_option("--run", arguments->run, "What {run} stands for in the names of files of the description")
      ->option_text("WORD");
  verb->app().footer(
      "--out NAME.mcap writes one MCAP file in place of a folder; of a model, --out NAME.yaml the robot file "
      "alone.\n\n" +
      verb->app().get_footer());
  verb->runs([verb, arguments] { return convert(*verb, *arguments); });
}

}  // namespace fathom::cli
