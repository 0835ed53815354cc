#include "fathom/task/convert.hpp"

#include "fathom/base/error.hpp"
#include "fathom/log/log_folder.hpp"
#include "fathom/log/mcap_writer.hpp"
#include "fathom/task/exchange.hpp"

#include "cli/run_task.hpp"

namespace fathom::cli {
namespace {

namespace fs = std::filesystem;

int convert_model(const Verb& verb, const task::ConvertOptions& options) {
  if (!options.log.empty() || !options.run.empty() || !options.robot.empty() || options.allow_truncated ||
      options.no_sensor_check)
    reject(options.source, 0, "",
           "is a model: it goes with no --log, --run, --robot, --allow-truncated or --no-sensor-check",
           "fathom convert " + shell_word(options.source) + " --out robot.yaml");
  task::ImportResult result = task::import_robot(options.source, context_of(verb.common()));
  const std::string wanted = verb.common().out.extension().string();
  if (wanted == ".yaml" || wanted == ".yml") return finish_one_file(verb, std::move(result), {options.source});
  OutputFolder out(verb.out_folder(result.robot.name()),
                   {verb.name(), {options.source}, {result.robot.name() + ".yaml", "summary.json"}});
  return finish_task(verb, std::move(result), out);
}

/// One file with all channels, which must fit into memory.
int write_one_file(const Verb& verb, const task::ConvertSource& source, const task::ConvertOptions& options) {
  const fs::path file = verb.common().out;
  task::check_not_read(file, {source.log});
  log::DatasetSink sink;
  task::ConvertResult result = task::convert_log(source, options, sink, context_of(verb.common()));
  const log::Dataset dataset = std::move(sink).dataset();
  task::check_converted(result, dataset, source, options, context_of(verb.common()));
  log::write_mcap(file, dataset, {.start_ns = result.summary.zero_ns.value_or(0)});
  result.summary.files = {file.string()};
  return print_result(verb, result, fmt::format("\nwritten: {}\n", file.string()));
}

int convert(const Verb& verb, const task::ConvertOptions& options) {
  if (task::is_model_file(options.source)) return convert_model(verb, options);
  const task::ConvertSource source = task::open_source(options, context_of(verb.common()));
  if (verb.common().out.extension() == ".mcap") return write_one_file(verb, source, options);
  const std::string stem = source.is_log_folder ? log::name_of_log(source.log)
                                                : fs::path(options.source).lexically_normal().stem().string();
  OutputFolder out(verb.out_folder(options.run.empty() ? stem : stem + "-" + options.run),
                   {verb.name(), {options.source, source.log}, {"log", "summary.json"}});
  log::CsvSink sink(out.log_folder());
  task::ConvertResult result = task::convert_log(source, options, sink, context_of(verb.common()));
  task::check_converted(result, out.log_folder(), source, options, context_of(verb.common()));
  return finish_task(verb, std::move(result), out);
}

}  // namespace

void add_convert(CLI::App& program) {
  add_task<task::ConvertOptions>(
      program, "convert",
      "Converts any log to channels, by a description of its columns; bags and other simulators' models "
      "without one",
      "--out NAME.mcap writes one MCAP file in place of a folder; of a model, --out NAME.yaml the robot file "
      "alone.",
      "printf 'ms,alt\\n0,100\\n20,101\\n40,99\\n' > pool.csv\n"
      "  printf 'format: fathom-description-1\\nchannels:\\n  rov.depth:\\n    clock: {column: ms, unit: "
      "ms}\\n' > pool.yaml\n"
      "  printf '    columns: {depth: {from: alt, unit: cm}}\\n' >> pool.yaml\n"
      "  fathom convert pool.yaml --log pool.csv --out out/pool",
      Takes{.out = true, .out_folder = "out/convert-NAME"}, convert);
}

}  // namespace fathom::cli
