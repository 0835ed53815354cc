#include "fathom/task/align.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/identify/vehicle/log_alignment.hpp"
#include "fathom/log/csv_reader.hpp"
#include "fathom/log/sink.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/task/internal/json.hpp"
#include "fathom/task/internal/option_table.hpp"

namespace fathom {

template <>
const fields::Keys& fields::Table<task::AlignOptions>::fields() {
  using task::AlignOptions;
  static const Keys keys{
      field<&AlignOptions::log>("log").required().metavar("DIR").doc(
          "Folder of the log's channels (docs/log-files.md)."),
      field<&AlignOptions::robot>("robot")
          .metavar("NAME|FILE")
          .doc("Robot whose sensors they are: their places and latencies then do not count as offsets."),
      field<&AlignOptions::reference>("reference")
          .metavar("CHANNEL")
          .by_default("a gyro")
          .doc("Channel whose clock is right."),
      field<&AlignOptions::most>("most").unit("s").above(0).doc("Largest offset between two channels.")};
  return keys;
}

}  // namespace fathom

namespace fathom::task {
namespace {

using filter::Alignment;

AlignSummary::Channel summary_of(const filter::ChannelOffset& channel) {
  AlignSummary::Channel out{channel.channel, channel.why_not.empty()};
  if (!out.aligned) {
    out.why = channel.why_not;
    return out;
  }
  out.offset_s = channel.seconds;
  out.sigma_s = channel.sigma;
  if (channel.drift) {
    out.drift = *channel.drift;
    out.drift_sigma = *channel.drift_sigma;
    out.drift_taken_off = channel.certain_drift() != 0;
  }
  return out;
}

AlignSummary::Pair summary_of(const filter::PairOffset& pair) {
  AlignSummary::Pair out{pair.from, pair.to, pair.quantity, pair.correlation};
  if (pair.why_not.empty()) {
    out.offset_s = pair.seconds;
    out.sigma_s = pair.sigma;
  } else {
    out.why_not = pair.why_not;
  }
  return out;
}

/// Returns the channels that show no motion at all: commands, currents, events.
std::vector<std::string> others_of(const log::Dataset& dataset, const Alignment& alignment) {
  std::vector<std::string> others;
  for (const log::Channel& channel : dataset.channels())
    if (std::none_of(alignment.channels.begin(), alignment.channels.end(),
                     [&](const filter::ChannelOffset& known) { return known.channel == channel.info.name; }))
      others.push_back(channel.info.name);
  return others;
}

/// What was not aligned because the log does not have it: files that are no channels, and sensors of the robot.
Findings missing_channels(const log::Dataset& dataset, const model::Robot* robot, const std::string& log) {
  Findings findings = dataset.notes;
  if (!robot) return findings;
  std::vector<std::string> missing;
  for (const model::Sensor& sensor : robot->sensors())
    if (std::none_of(dataset.channels().begin(), dataset.channels().end(), [&](const log::Channel& channel) {
          return channel.info.name == sensor.name || channel.info.name.ends_with("." + sensor.name);
        }))
      missing.push_back(sensor.name);
  if (!missing.empty())
    findings.push_back({Severity::warning, log, 0, "",
                        fmt::format("has no channel of the robot's sensor{} {}", missing.size() == 1 ? "" : "s",
                                    join(missing, ", ")),
                        "what is not there is not aligned"});
  return findings;
}

/// Errors of the key `reference` are those of the flag.
Alignment aligned(const std::vector<filter::MotionSeries>& series, const std::string& reference, double most) {
  try {
    return filter::align_clocks(series, reference, {.most = most});
  } catch (const InputError& error) {
    Findings findings = error.findings();
    for (Finding& finding : findings)
      if (finding.key == "reference") finding.key = "--reference";
    throw InputError(std::move(findings));
  }
}

report::Cell milliseconds(const std::optional<double>& seconds, const std::optional<double>& sigma) {
  if (!seconds) return "-";
  return {1e3 * *seconds, 1e3 * *sigma};
}

}  // namespace

FATHOM_JSON(AlignSummary::Channel, channel, aligned, why, offset_s, sigma_s, drift, drift_sigma,
            drift_taken_off)
FATHOM_JSON(AlignSummary::Pair, from, to, quantity, correlation, offset_s, sigma_s, why_not)
FATHOM_SUMMARY(AlignSummary, reference, t0, channels, without_motion_columns, pairs, chi_square, loops,
               contradicts_itself, notes, command, files)

std::vector<std::string> AlignResult::reasons() const {
  const auto is_aligned = [&](const auto& c) { return c.channel != summary.reference && c.aligned; };
  std::vector<std::string> reasons;
  if (std::none_of(summary.channels.begin(), summary.channels.end(), is_aligned))
    reasons.push_back("no channel could be aligned with " + summary.reference);
  if (summary.contradicts_itself) reasons.emplace_back("the offsets of pairs contradict each other");
  return reasons;
}

report::Document AlignResult::report() const {
  const char* form = "{:.2f} +- {:.2f}";
  report::Table channels{
      .title = "Channels",
      .columns = {"channel", {"offset [ms]", form}, {"drift [ppm]", "{:.0f} +- {:.0f}"}, ""}};
  for (const AlignSummary::Channel& c : summary.channels) {
    if (c.channel == summary.reference) {
      channels.rows.push_back({c.channel, "0", "", "the reference"});
    } else if (!c.aligned) {
      channels.rows.push_back({c.channel, "-", "-", "not aligned: " + *c.why});
    } else {
      report::Cell drift("log too short");
      if (c.drift) drift = {1e6 * *c.drift, 1e6 * *c.drift_sigma};
      channels.rows.push_back({c.channel, milliseconds(c.offset_s, c.sigma_s), drift,
                               c.drift_taken_off.value_or(false) ? "drift taken off" : ""});
    }
  }
  report::Table pairs{.title = "Pairs",
                      .columns = {"from", "to", {"offset [ms]", form}, {"correlation", "{:.3f}"}, "by"}};
  for (const AlignSummary::Pair& p : summary.pairs)
    pairs.rows.push_back({p.from, p.to, milliseconds(p.offset_s, p.sigma_s), p.correlation,
                          p.why_not ? p.quantity + ": " + *p.why_not : p.quantity});
  report::Text text;
  const bool one = summary.loops == 1;
  if (summary.loops > 0)
    text.paragraphs.push_back(fmt::format(
        "{} loop{} of pairs close{} with chi-square {:.3g}{}", summary.loops, one ? "" : "s", one ? "s" : "",
        summary.chi_square, summary.contradicts_itself ? ": the pairs contradict each other" : ""));
  if (!summary.without_motion_columns.empty())
    text.paragraphs.push_back("times kept, for they show no motion: " +
                              join(summary.without_motion_columns, ", "));
  report::Document document{.title = "Clocks of a log"};
  document.add(std::move(channels));
  document.add(std::move(pairs));
  document.add_text(std::move(text));
  return document;
}

void AlignResult::save(OutputFolder& out) {
  log::CsvSink sink(out.log_folder());  // in a temporary folder: a part of it would be lost
  for (const log::Channel& channel : dataset.channels()) {
    const std::size_t number = sink.open(channel.info);
    for (std::size_t k = 0; k < channel.size(); ++k) sink.append(number, channel.t[k], channel.row(k));
    sink.close(number);
  }
  save_beside({"log"}, out);
}
AlignResult AlignResult::load(const std::filesystem::path& folder) {
  return {{load_summary(folder)}, log::read_dataset(folder / "log")};
}

AlignResult align(const AlignOptions& options, const Context& context) {
  fields::check_values(options);
  const log::Dataset dataset = log::read_dataset(options.log);
  std::optional<model::Robot> robot;
  if (!options.robot.empty()) robot = model::read_robot(context.paths.robot(options.robot));
  throw_if(context.stop);
  const Findings missing = missing_channels(dataset, robot ? &*robot : nullptr, options.log);
  if (context.warn)
    for (const Finding& finding : missing) context.warn(finding);
  const auto series = identify::shared_motion(dataset, robot ? &*robot : nullptr);
  if (series.empty())
    reject(options.log, 0, "", "has no channel that shows a motion",
           "columns such as rate_x, roll, velocity_x, position_x, depth; docs/log-files.md");
  const std::string reference =
      options.reference.empty() ? identify::usual_reference(series) : options.reference;
  const Alignment alignment = aligned(series, reference, options.most);
  AlignSummary summary{.reference = reference, .t0 = alignment.t0};
  for (const auto& channel : alignment.channels) summary.channels.push_back(summary_of(channel));
  for (const auto& pair : alignment.pairs) summary.pairs.push_back(summary_of(pair));
  summary.without_motion_columns = others_of(dataset, alignment);
  summary.chi_square = alignment.chi_square;
  summary.loops = alignment.loops;
  summary.contradicts_itself = alignment.contradicts_itself();
  for (const Finding& finding : missing) summary.notes.push_back(finding.text());
  summary.command = internal::command_of("align", options);
  return {{std::move(summary)}, identify::with_aligned_clocks(dataset, alignment)};
}

}  // namespace fathom::task
