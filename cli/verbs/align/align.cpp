#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/identify/vehicle/log_alignment.hpp"
#include "fathom/log/csv_reader.hpp"
#include "fathom/log/csv_writer.hpp"
#include "fathom/log/log_folder.hpp"

#include "cli/finish.hpp"
#include "cli/output.hpp"
#include "cli/shipped.hpp"
#include "cli/terminal/number_text.hpp"
#include "cli/terminal/table.hpp"
#include "cli/verb.hpp"

namespace fathom::cli {
namespace {

using Json = nlohmann::ordered_json;
using filter::Alignment;
using filter::ChannelOffset;
using filter::PairOffset;

struct AlignArguments {
  std::string log, reference, robot;
  double most = filter::AlignmentOptions{}.most;
};

std::string milliseconds(double seconds, double sigma) {
  return fmt::format("{:.2f} +- {:.2f}", 1e3 * seconds, 1e3 * sigma);
}

std::string parts_per_million(double drift, double sigma) {
  return fmt::format("{:.0f} +- {:.0f}", 1e6 * drift, 1e6 * sigma);
}

Json channel_json(const ChannelOffset& channel) {
  if (!channel.why_not.empty())
    return {{"channel", channel.channel}, {"aligned", false}, {"why", channel.why_not}};
  Json json = {{"channel", channel.channel},
               {"aligned", true},
               {"offset_s", channel.seconds},
               {"sigma_s", channel.sigma}};
  if (channel.drift) {
    json["drift"] = *channel.drift;
    json["drift_sigma"] = *channel.drift_sigma;
    json["drift_taken_off"] = channel.certain_drift() != 0;
  }
  return json;
}

Json pair_json(const PairOffset& pair) {
  Json json = {
      {"from", pair.from}, {"to", pair.to}, {"quantity", pair.quantity}, {"correlation", pair.correlation}};
  if (pair.why_not.empty())
    json.update({{"offset_s", pair.seconds}, {"sigma_s", pair.sigma}});
  else
    json["why_not"] = pair.why_not;
  return json;
}

/// Channels that show no motion at all: commands, currents, events.
std::vector<std::string> others_of(const log::Dataset& dataset, const Alignment& alignment) {
  std::vector<std::string> others;
  for (const log::Channel& channel : dataset.channels())
    if (std::none_of(alignment.channels.begin(), alignment.channels.end(),
                     [&](const ChannelOffset& known) { return known.channel == channel.info.name; }))
      others.push_back(channel.info.name);
  return others;
}

Json align_summary(const Alignment& alignment, const std::string& reference,
                   const std::vector<std::string>& others) {
  Json channels = Json::array(), pairs = Json::array();
  for (const ChannelOffset& channel : alignment.channels) channels.push_back(channel_json(channel));
  for (const PairOffset& pair : alignment.pairs) pairs.push_back(pair_json(pair));
  return {{"reference", reference},   {"t0", alignment.t0},
          {"channels", channels},     {"without_motion_columns", others},
          {"pairs", pairs},           {"chi_square", alignment.chi_square},
          {"loops", alignment.loops}, {"contradicts_itself", alignment.contradicts_itself()}};
}

std::string channels_text(const Alignment& alignment, const std::string& reference) {
  Table table({"channel", "offset [ms]", "drift [ppm]", ""});
  for (const ChannelOffset& channel : alignment.channels) {
    if (channel.channel == reference)
      table.row({channel.channel, "0", "", "the reference"});
    else if (!channel.why_not.empty())
      table.row({channel.channel, "-", "-", "not aligned: " + channel.why_not});
    else
      table.row({channel.channel, milliseconds(channel.seconds, channel.sigma),
                 channel.drift ? parts_per_million(*channel.drift, *channel.drift_sigma) : "log too short",
                 channel.certain_drift() != 0 ? "drift taken off" : ""});
  }
  return table.text();
}

std::string align_text(const Alignment& alignment, const std::string& reference,
                       const std::vector<std::string>& others) {
  Table pairs({"from", "to", "offset [ms]", "correlation", "by"});
  for (const PairOffset& pair : alignment.pairs)
    pairs.row({pair.from, pair.to, pair.why_not.empty() ? milliseconds(pair.seconds, pair.sigma) : "-",
               fixed(pair.correlation, 3),
               pair.why_not.empty() ? pair.quantity : pair.quantity + ": " + pair.why_not});
  std::string text = channels_text(alignment, reference) + "\n" + pairs.text() + "\n";
  if (alignment.loops > 0)
    text += fmt::format("{} loop{} of pairs close{} with chi-square {}{}\n", alignment.loops,
                        alignment.loops == 1 ? "" : "s", alignment.loops == 1 ? "s" : "",
                        significant(alignment.chi_square, 3),
                        alignment.contradicts_itself() ? ": the pairs contradict each other" : "");
  if (!others.empty())
    text += wrapped(fmt::format("times kept, for they show no motion: {}", join(others, ", ")));
  return text;
}

std::string command_of(const AlignArguments& arguments) {
  std::string command = "align --log " + shell_word(arguments.log);
  if (!arguments.robot.empty()) command += " --robot " + shell_word(arguments.robot);
  if (!arguments.reference.empty()) command += " --reference " + shell_word(arguments.reference);
  if (arguments.most != AlignArguments().most) command += fmt::format(" --most {}", arguments.most);
  return command;
}

Alignment aligned(const std::vector<filter::MotionSeries>& series, const std::string& reference, double most) {
  try {
    return filter::align_clocks(series, reference, {.most = most});
  } catch (const InputError& error) {
    throw said_of_option(error, "reference", "--reference");
  }
}

int align(const Verb& verb, const AlignArguments& arguments) {
  const log::Dataset dataset = log::read_dataset(arguments.log);
  std::optional<model::Robot> robot;
  if (!arguments.robot.empty()) robot = robot_named(arguments.robot);
  const auto series = identify::shared_motion(dataset, robot ? &*robot : nullptr);
  if (series.empty())
    reject(arguments.log, 0, "", "has no channel that shows a motion",
           "columns such as rate_x, roll, velocity_x, position_x, depth; docs/log-files.md");
  const std::string reference =
      arguments.reference.empty() ? identify::usual_reference(series) : arguments.reference;
  OutputFolder out(verb.out_folder(log::name_of_log(arguments.log)),
                   {verb.name(), {arguments.log}, {"log", "summary.json"}});
  const Alignment alignment = aligned(series, reference, arguments.most);
  log::write_dataset(out.log_folder(), identify::with_aligned_clocks(dataset, alignment));
  const std::vector<std::string> others = others_of(dataset, alignment);
  Json summary = align_summary(alignment, reference, others);
  summary["command"] = command_of(arguments);
  finish(verb, std::move(summary), {"log", "summary.json"}, align_text(alignment, reference, others), out);
  const auto is_aligned = [&](const ChannelOffset& channel) {
    return channel.channel != reference && channel.why_not.empty();
  };
  const bool any = std::any_of(alignment.channels.begin(), alignment.channels.end(), is_aligned);
  if (!any) warn("fathom: no channel could be aligned with " + reference);
  if (alignment.contradicts_itself()) warn("fathom: the offsets of pairs contradict each other");
  return any && !alignment.contradicts_itself() ? Status::done : Status::check_failed;
}

}  // namespace

void add_align(CLI::App& program) {
  auto verb = std::make_shared<Verb>(
      program, "align", "Finds how far the clocks of a log's channels are apart, by the motion that they share",
      "fathom simulate tank-waypoints --out out/swim\n"
      "  fathom align --log out/swim/log --robot bluerov2-heavy --out out/aligned",
      Takes{.out = true, .out_folder = "out/align-NAME"});
  auto arguments = std::make_shared<AlignArguments>();
  verb->app()
      .add_option("--log", arguments->log, "Folder of the log's channels (docs/log-files.md)")
      ->required()
      ->option_text("DIR REQUIRED");
  verb->app()
      .add_option("--robot", arguments->robot,
                  "Robot whose sensors they are: their places and latencies then do not count as offsets")
      ->option_text("NAME|FILE");
  verb->app()
      .add_option("--reference", arguments->reference, "Channel whose clock is right (default a gyro)")
      ->option_text("CHANNEL");
  verb->app()
      .add_option("--most", arguments->most, "Largest offset between two channels that is sought, s")
      ->check(is_time("offset"))
      ->option_text("S=2");
  verb->app().footer(
      "Exit status: 0 aligned, 1 no channel could be, or pairs contradict each other, 2 bad input.\n\n" +
      verb->app().get_footer());
  verb->runs([verb, arguments] { return align(*verb, *arguments); });
}

}  // namespace fathom::cli
