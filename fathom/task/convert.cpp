#include "fathom/task/convert.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/identify/vehicle/log_check.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/task/internal/json.hpp"
#include "fathom/task/internal/option_table.hpp"

namespace fathom {

template <>
const fields::Keys& fields::Table<task::ConvertOptions>::fields() {
  using task::ConvertOptions;
  static const Keys keys{field<&ConvertOptions::source>("source").positional().required().metavar("FILE").doc(
                             "Description of a log (docs/log-description.md); a bag: .db3, .mcap or its "
                             "folder; a folder of channels, such as simulate writes; or a model: SDF of "
                             "Gazebo Sim, URDF of UUV Simulator or RDML (docs/export.md)."),
                         field<&ConvertOptions::log>("log")
                             .metavar("DIR|FILE")
                             .by_default("the description's folder")
                             .doc("Folder of the files, or the one file."),
                         field<&ConvertOptions::allow_truncated>("allow_truncated")
                             .doc("Of a bag that was cut off while it was recorded, convert the messages that "
                                  "are whole, and say how many."),
                         field<&ConvertOptions::run>("run").metavar("WORD").doc(
                             "Replacement of {run} in the file names of the description."),
                         field<&ConvertOptions::robot>("robot")
                             .metavar("NAME|FILE")
                             .doc("Robot that ships, or path of a robot file: the sensor check then knows "
                                  "where the sensors are, and compares the commands too."),
                         field<&ConvertOptions::no_sensor_check>("no_sensor_check")
                             .doc("Do not compare the sensors with each other.")};
  return keys;
}

}  // namespace fathom

namespace fathom::task {
namespace {

namespace fs = std::filesystem;
using Channel = ConvertSummary::Channel;

bool is_description(const fs::path& path) { return path.extension() == ".yaml" || path.extension() == ".yml"; }

std::string shown(double seconds) {
  if (seconds >= 1 || seconds == 0) return fmt::format("{:.4g} s", seconds);
  return seconds >= 1e-3 ? fmt::format("{:.3g} ms", 1e3 * seconds) : fmt::format("{:.3g} us", 1e6 * seconds);
}

std::string first_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  if (names.size() <= most) return join(names, ", ");
  return fmt::format("{} and {} more", join(std::span(names).first(most), ", "), names.size() - most);
}

report::Table topics_table(const std::vector<log::Topic>& topics) {
  report::Table table{.title = "Topics", .columns = {"topic", "messages", "columns", "type"}};
  for (const log::Topic& topic : topics) {
    const bool is_known = !topic.columns.empty();
    table.rows.push_back({topic.name, topic.messages,
                          is_known ? std::to_string(topic.columns.size()) : std::string("-"),
                          is_known ? topic.type : fmt::format("{}: {}", topic.type, topic.why_not)});
  }
  return table;
}

std::vector<std::string> warnings_of(const Channel& channel) {
  std::vector<std::string> list;
  const auto count = [&](std::size_t number, const char* one, const char* many) {
    if (number > 0) list.push_back(fmt::format("{} {}", number, number == 1 ? one : many));
  };
  count(channel.dropped_lines, "line could not be read and was left out",
        "lines could not be read and were left out");
  count(channel.old_rows, "row was no later than the one before and was left out",
        "rows were no later than the one before and were left out");
  count(channel.other_rows, "row was left out by where", "rows were left out by where");
  count(channel.invalid_values, "invalid value is missing now", "invalid values are missing now");
  if (channel.repeated_times > 0)
    list.push_back(
        fmt::format("{} rows have the time of the row before; identify needs times that grow: drop_old: true",
                    channel.repeated_times));
  if (channel.repeated_rows > channel.rows / 100)
    list.push_back(fmt::format("{} rows repeat the row before", channel.repeated_rows));
  if (const auto& receive = channel.receive)
    list.push_back(
        fmt::format("made even at {:.6g} Hz from receive times, which are late by {} (median) to {}; {}",
                    receive->rate_hz, shown(receive->median_delay_s), shown(receive->longest_delay_s),
                    receive->losses == 0 ? "no loss seen"
                                         : fmt::format("samples are missing at {} place{}", receive->losses,
                                                       receive->losses == 1 ? "" : "s")));
  std::vector<std::string> stuck, saturated;
  for (const ConvertSummary::Column& column : channel.columns) {
    if (column.stuck)
      stuck.push_back(column.name);
    else if (column.saturation > 0)
      saturated.push_back(fmt::format("{} {:.1f} %", column.name, 100 * column.saturation));
  }
  if (!stuck.empty())
    list.push_back(fmt::format("never {}: {}", stuck.size() == 1 ? "changes" : "change", first_of(stuck)));
  if (!saturated.empty())
    list.push_back(fmt::format("samples at the very least or largest value: {}", first_of(saturated)));
  return list;
}

Channel summary_of(const log::ConvertedChannel& converted) {
  const log::Quality& q = converted.quality;
  Channel channel{converted.info.name,
                  converted.source,
                  converted.info.frame,
                  q.rows,
                  q.duration,
                  q.rate(),
                  q.jitter,
                  q.gaps,
                  q.longest_step,
                  q.repeated_rows,
                  q.repeated_times,
                  q.missing_values,
                  converted.invalid_values,
                  q.dropped_lines,
                  converted.old_rows,
                  converted.other_rows};
  if (const auto& receive = converted.receive)
    channel.receive = ConvertSummary::Receive{receive->rate_hz, receive->losses, receive->median_delay,
                                              receive->longest_delay};
  for (std::size_t k = 0; k < q.columns.size(); ++k)
    channel.columns.push_back({q.columns[k].name, converted.info.columns[k].unit, q.columns[k].least,
                               q.columns[k].largest, q.columns[k].missing, q.columns[k].stuck(q.rows),
                               q.columns[k].saturation(q.rows)});
  channel.warnings = warnings_of(channel);
  return channel;
}

/// Warnings are reported one by one; of notes, of which a bag has one for each topic that it cannot decode, the
/// first and their number.
void warn_of(const Findings& notes, const Context& context) {
  if (!context.warn) return;
  std::size_t count = 0;
  for (const Finding& note : notes)
    if (note.severity != Severity::note || count++ == 0) context.warn(note);
  if (count > 1)
    context.warn(
        {.severity = Severity::note, .message = fmt::format("and {} more, in the summary", count - 1)});
}

/// Returns the folder of channels that is meant, such as `log` in a folder of results; empty where it is none.
fs::path log_folder_in(const fs::path& source) {
  std::error_code error;
  for (const fs::path& folder : {source, source / "log"}) {
    if (!fs::is_directory(folder, error)) continue;
    bool has_channels = false;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const std::string extension = entry.path().extension().string();
      if (extension == ".db3" || extension == ".mcap" || extension == ".zstd") return {};
      has_channels |= extension == ".csv";
    }
    if (has_channels) return folder;
  }
  return {};
}

bool has_sensor(const std::vector<log::ConvertedChannel>& channels) {
  return std::any_of(channels.begin(), channels.end(), [](const log::ConvertedChannel& channel) {
    return channel.quality.rows > 0 && identify::is_sensor_channel(channel.info);
  });
}

/// The log may be in a folder that is temporary, and the remedy is in the description: messages name that.
void add_check(ConvertResult& result, const identify::LogCheck& check, const ConvertOptions& options,
               const Context& context) {
  const auto add = [&](Finding finding, std::vector<std::string>& to) {
    finding.file = options.source;
    finding.line = 0;
    if (finding.severity == Severity::error)
      finding.severity = Severity::warning;  // the log is written all the same
    to.push_back(finding.text());
    if (context.warn) context.warn(finding);
  };
  for (const Finding& finding : check.findings)
    add(finding, finding.severity == Severity::error ? result.summary.contradictions : result.summary.notes);
  for (const Finding& finding : check.skipped) add(finding, result.summary.not_compared);
}

/// `check` makes a LogCheck of options.
template <class Check>
void check_part(ConvertResult& result, const ConvertSource& source, const ConvertOptions& options,
                const Context& context, const Check& check) {
  if (options.no_sensor_check || !result.has_sensor) return;
  identify::LogCheckOptions checking;
  if (source.robot) {
    checking.robot = &*source.robot;
    if (const auto& identified = source.robot->identified())
      checking.environment = model::Environment(identified->density, identified->gravity);
  }
  context.at("comparing sensors", 0);
  identify::LogCheck found;
  try {
    found = check(checking);
  } catch (const InputError& error) {  // a log that cannot be compared is converted all the same
    found.skipped = {{.severity = source.robot ? Severity::warning : Severity::note,
                      .message = fmt::format("sensors were not compared: {}", error.what())}};
  }
  add_check(result, found, options, context);
}

ConvertSource open_log(const ConvertOptions& options) {
  const fs::path source = options.source;
  if (is_description(source)) {
    const fs::path beside = source.has_parent_path() ? source.parent_path() : fs::path(".");
    ConvertSource described{log::read_description(source),
                            options.log.empty() ? beside : fs::path(options.log)};
    const auto& channels = described.description.channels;
    if (options.allow_truncated && std::all_of(channels.begin(), channels.end(),
                                               [](const auto& channel) { return channel.topic.empty(); }))
      reject(options.source, 0, "", "describes tables: --allow-truncated is for bags",
             "leave --allow-truncated out");
    return described;
  }
  if (!options.log.empty())
    reject(options.source, 0, "", "is no description", "its name ends in .yaml; docs/log-description.md");
  if (source.extension() == ".csv")
    reject(
        options.source, 0, "", "is a table, and needs a description",
        "fathom convert DESCRIPTION.yaml --log " + shell_word(options.source) + "; docs/tutorial-your-log.md");
  if (const fs::path folder = log_folder_in(source); !folder.empty()) {
    if (options.allow_truncated)
      reject(options.source, 0, "", "is a folder of channels: --allow-truncated is for bags",
             "leave --allow-truncated out; a channel that was cut off ends in .part, and is left out");
    return {.description = {}, .log = folder, .is_log_folder = true};
  }
  const log::Bag bag(source, {.allow_truncated = options.allow_truncated});
  ConvertSource opened{log::describe_bag(bag, options.source), source, bag.topics()};
  if (opened.description.channels.empty()) {
    report::Document listing;
    listing.add(topics_table(opened.topics));
    reject(options.source, 0, "", "has no topic that can be decoded\n" + report::to_text(listing, 100) + "\n",
           "what each lacks stands beside it");
  }
  return opened;
}

}  // namespace

FATHOM_JSON(ConvertSummary::Column, name, unit, least, largest, missing, stuck, saturation)
FATHOM_JSON(ConvertSummary::Receive, rate_hz, losses, median_delay_s, longest_delay_s)
FATHOM_JSON(ConvertSummary::Channel, name, source, frame, rows, duration_s, rate_hz, jitter_s, gaps,
            longest_step_s, repeated_rows, repeated_times, missing_values, invalid_values, dropped_lines,
            old_rows, other_rows, receive, columns, warnings)
FATHOM_SUMMARY(ConvertSummary, zero_ns, channels, notes, contradictions, not_compared, command, files)

ConvertSource open_source(const ConvertOptions& options, const Context& context) {
  ConvertSource opened = open_log(options);
  if (!options.robot.empty()) opened.robot = model::read_robot(context.paths.robot(options.robot));
  return opened;
}

std::vector<std::string> ConvertResult::reasons() const {
  if (summary.contradictions.empty()) return {};
  return {
      fmt::format("the log is written, but its sensors contradict each other in {} place{} "
                  "(docs/sensor-check.md; --no-sensor-check converts without this check)",
                  summary.contradictions.size(), summary.contradictions.size() == 1 ? "" : "s")};
}

report::Document ConvertResult::report() const {
  report::Document document{.title = "Converted log"};
  if (!topics.empty()) document.add(topics_table(topics));
  report::Table table{.title = "Channels",
                      .columns = {"channel",
                                  "rows",
                                  "duration",
                                  {"mean rate", "{:.4g} Hz"},
                                  "jitter",
                                  "gaps",
                                  "longest step",
                                  "missing",
                                  "source"}};
  report::Text text;
  for (const Channel& c : summary.channels) {
    table.rows.push_back({c.name, c.rows, shown(c.duration_s), c.rate_hz, shown(c.jitter_s), c.gaps,
                          shown(c.longest_step_s), c.missing_values, c.source});
    for (const std::string& warning : c.warnings)
      text.paragraphs.push_back(fmt::format("{}: {}", c.name, warning));
  }
  document.add(std::move(table));
  document.add_text(std::move(text));
  return document;
}

ConvertResult convert_log(const ConvertSource& source, const ConvertOptions& options, log::Sink& sink,
                          const Context& context) {
  const std::string doing = "convert " + fs::path(options.source).filename().string();
  const auto progress = [&](double share) { context.at(doing, share); };
  const log::Conversion conversion = source.is_log_folder
                                         ? log::copy_log(source.log, sink, progress)
                                         : log::convert(source.description, source.log, sink,
                                                        {options.run, progress, options.allow_truncated});
  warn_of(conversion.notes, context);
  ConvertResult result{{{.zero_ns = conversion.zero_ns}}, source.topics, conversion.notes};
  for (const log::ConvertedChannel& channel : conversion.channels)
    result.summary.channels.push_back(summary_of(channel));
  for (const Finding& note : conversion.notes) result.summary.notes.push_back(note.text());
  result.summary.command = internal::command_of("convert", options);
  result.has_sensor = has_sensor(conversion.channels);
  return result;
}

void check_converted(ConvertResult& result, const fs::path& log, const ConvertSource& source,
                     const ConvertOptions& options, const Context& context) {
  check_part(result, source, options, context,
             [&](const identify::LogCheckOptions& how) { return identify::check_log(log, how); });
}

void check_converted(ConvertResult& result, const log::Dataset& log, const ConvertSource& source,
                     const ConvertOptions& options, const Context& context) {
  check_part(result, source, options, context, [&](const identify::LogCheckOptions& how) {
    return identify::check_log(log, options.source, how);
  });
}

}  // namespace fathom::task
