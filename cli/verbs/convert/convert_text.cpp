#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/text.hpp"

#include "cli/terminal/number_text.hpp"
#include "cli/terminal/table.hpp"
#include "cli/verbs/convert/convert_result.hpp"

namespace fathom::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string shown(double seconds) {
  if (seconds >= 1 || seconds == 0) return significant(seconds) + " s";
  return seconds >= 1e-3 ? significant(1e3 * seconds, 3) + " ms" : significant(1e6 * seconds, 3) + " us";
}

std::vector<std::string> stuck_columns(const log::Quality& quality) {
  std::vector<std::string> names;
  for (const log::ColumnQuality& column : quality.columns)
    if (column.stuck(quality.rows)) names.push_back(column.name);
  return names;
}

Json columns_json(const log::ConvertedChannel& channel) {
  const std::size_t rows = channel.quality.rows;
  Json columns = Json::array();
  for (std::size_t k = 0; k < channel.quality.columns.size(); ++k) {
    const log::ColumnQuality& column = channel.quality.columns[k];
    columns.push_back({{"name", column.name},
                       {"unit", channel.info.columns[k].unit},
                       {"least", column.least},
                       {"largest", column.largest},
                       {"missing", column.missing},
                       {"stuck", column.stuck(rows)},
                       {"saturation", column.saturation(rows)}});
  }
  return columns;
}

Json channel_json(const log::ConvertedChannel& channel) {
  const log::Quality& quality = channel.quality;
  Json json = {{"name", channel.info.name},
               {"source", channel.source},
               {"frame", channel.info.frame},
               {"rows", quality.rows},
               {"duration_s", quality.duration},
               {"rate_hz", quality.rate()},
               {"jitter_s", quality.jitter},
               {"gaps", quality.gaps},
               {"longest_step_s", quality.longest_step},
               {"repeated_rows", quality.repeated_rows},
               {"repeated_times", quality.repeated_times},
               {"missing_values", quality.missing_values},
               {"invalid_values", channel.invalid_values},
               {"dropped_lines", quality.dropped_lines},
               {"old_rows", channel.old_rows},
               {"other_rows", channel.other_rows}};
  if (channel.receive)
    json["receive"] = {{"rate_hz", channel.receive->rate_hz},
                       {"losses", channel.receive->losses},
                       {"median_delay_s", channel.receive->median_delay},
                       {"longest_delay_s", channel.receive->longest_delay}};
  json["columns"] = columns_json(channel);
  json["warnings"] = warnings_of(channel);
  return json;
}

std::string first_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  if (names.size() <= most) return join(names, ", ");
  return fmt::format("{} and {} more", join(std::span(names).first(most), ", "), names.size() - most);
}

}  // namespace

std::vector<std::string> warnings_of(const log::ConvertedChannel& channel) {
  const log::Quality& quality = channel.quality;
  std::vector<std::string> list;
  const auto count = [&](std::size_t number, const char* one, const char* many) {
    if (number > 0) list.push_back(fmt::format("{} {}", number, number == 1 ? one : many));
  };
  count(quality.dropped_lines, "line could not be read and was left out",
        "lines could not be read and were left out");
  count(channel.old_rows, "row was no later than the one before and was left out",
        "rows were no later than the one before and were left out");
  count(channel.other_rows, "row was left out by where", "rows were left out by where");
  count(channel.invalid_values, "invalid value is missing now", "invalid values are missing now");
  if (quality.repeated_times > 0)
    list.push_back(
        fmt::format("{} rows have the time of the row before; identify needs times that grow: drop_old: true",
                    quality.repeated_times));
  if (quality.repeated_rows > quality.rows / 100)
    list.push_back(fmt::format("{} rows repeat the row before", quality.repeated_rows));
  if (channel.receive)
    list.push_back(fmt::format("made even at {} Hz from receive times, which are late by {} (median) to {}; {}",
                               significant(channel.receive->rate_hz, 6), shown(channel.receive->median_delay),
                               shown(channel.receive->longest_delay),
                               channel.receive->losses == 0
                                   ? "no loss seen"
                                   : fmt::format("samples are missing at {} place{}", channel.receive->losses,
                                                 channel.receive->losses == 1 ? "" : "s")));
  if (const auto names = stuck_columns(quality); !names.empty())
    list.push_back(fmt::format("never {}: {}", names.size() == 1 ? "changes" : "change", first_of(names)));
  std::vector<std::string> saturated;
  for (const log::ColumnQuality& column : quality.columns)
    if (const double share = column.saturation(quality.rows); share > 0 && !column.stuck(quality.rows))
      saturated.push_back(fmt::format("{} {}", column.name, percent(share)));
  if (!saturated.empty())
    list.push_back(fmt::format("samples at the very least or largest value: {}", first_of(saturated)));
  return list;
}

nlohmann::ordered_json convert_summary(const log::Conversion& conversion) {
  Json channels = Json::array(), notes = Json::array();
  for (const log::ConvertedChannel& channel : conversion.channels) channels.push_back(channel_json(channel));
  for (const Finding& note : conversion.notes) notes.push_back(note.text());
  return {{"zero_ns", conversion.zero_ns ? Json(*conversion.zero_ns) : Json()},
          {"channels", std::move(channels)},
          {"notes", std::move(notes)}};
}

std::string convert_text(const log::Conversion& conversion) {
  Table table({"channel", "rows", "duration", "rate", "jitter", "gaps", "longest step", "missing", "source"});
  for (const log::ConvertedChannel& channel : conversion.channels) {
    const log::Quality& quality = channel.quality;
    table.row({channel.info.name, std::to_string(quality.rows), shown(quality.duration),
               significant(quality.rate()) + " Hz", shown(quality.jitter), std::to_string(quality.gaps),
               shown(quality.longest_step), std::to_string(quality.missing_values), channel.source});
  }
  std::string text = table.text();
  for (const log::ConvertedChannel& channel : conversion.channels)
    for (const std::string& warning : warnings_of(channel))
      text += wrapped(fmt::format("{}: {}", channel.info.name, warning));
  return text;
}

std::string topics_text(const log::Bag& bag) {
  Table table({"topic", "messages", "columns", "type"});
  for (const log::Topic& topic : bag.topics())
    table.row({topic.name, std::to_string(topic.messages),
               topic.columns.empty() ? "-" : std::to_string(topic.columns.size()),
               topic.columns.empty() ? fmt::format("{}: {}", topic.type, topic.why_not) : topic.type});
  return table.text() + "\n";
}

}  // namespace fathom::cli
