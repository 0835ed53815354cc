#include "fathom/log/convert.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/log/internal/source.hpp"

namespace fathom::log {
namespace {

namespace fs = std::filesystem;
using internal::ChannelConverter;
using internal::Complaints;
using internal::Scouted;
using internal::Source;

using Sources = std::vector<std::unique_ptr<Source>>;

/// What a folder has, for a hint.
std::string names_in(const fs::path& folder, std::string_view wanted) {
  std::error_code error;
  std::vector<std::string> names;
  constexpr std::size_t most = 1000;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end && names.size() < most;
       entry.increment(error))
    names.push_back(entry->path().filename().string());
  std::sort(names.begin(), names.end());
  const std::string nearest = nearest_word(wanted, std::vector<std::string_view>(names.begin(), names.end()));
  if (!nearest.empty()) return fmt::format("did you mean {}?", nearest);
  if (names.empty()) return "it is empty, or no folder";
  if (names.size() > 12) names.resize(12);
  return fmt::format("it has {}", join(names, ", "));
}

/// The file of a channel; nothing where there is none, which is told.
std::optional<fs::path> find_file(const ChannelDescription& channel, const fs::path& log,
                                  const std::string& run, Complaints& error_texts) {
  const std::string key = "channels." + channel.name;
  std::error_code error;
  if (channel.file.empty()) {
    if (channel.topic.empty() && fs::is_directory(log, error)) {
      error_texts.add(key, fmt::format("names no file, and {} is a folder", log.string()), "file: NAME.csv");
      return std::nullopt;
    }
    return log;
  }
  std::string name = channel.file;
  constexpr std::string_view place = "{run}";
  if (const std::size_t at = name.find(place); at != std::string::npos) {
    if (run.empty()) {
      error_texts.add(key + ".file", fmt::format("= {} leaves open which run", in_quotes(name)),
                      "--run says which");
      return std::nullopt;
    }
    name.replace(at, place.size(), run);
  }
  const fs::path folder = fs::is_directory(log, error) ? log : log.parent_path();
  if (fs::exists(folder / name, error)) return folder / name;
  error_texts.add(key + ".file", fmt::format("= {}, which {} does not have", in_quotes(name), folder.string()),
                  names_in(folder, name));
  return std::nullopt;
}

Sources make_sources(const Description& description, const fs::path& log, const std::string& run,
                     bool allow_truncated, Complaints& error_texts) {
  if (std::error_code error; !fs::exists(log, error))
    reject(log.string(), 0, "", "does not exist", "check the path; it is relative to the current folder");
  Sources sources;
  std::map<fs::path, std::vector<const ChannelDescription*>> bags;  // each is read once
  for (const ChannelDescription& channel : description.channels) {
    const auto path = find_file(channel, log, run, error_texts);
    if (path && channel.topic.empty()) sources.push_back(internal::table_source(channel, *path));
    if (path && !channel.topic.empty()) bags[*path].push_back(&channel);
  }
  for (auto& [path, channels] : bags)
    sources.push_back(internal::bag_source(
        std::move(channels), {.allow_truncated = allow_truncated, .definitions = description.messages}, path));
  return sources;
}

/// The earliest sample of all channels that share a clock. Clocks that are more than a month apart are not one.
std::optional<std::int64_t> shared_zero(const std::vector<std::vector<Scouted>>& scouted,
                                        Complaints& error_texts) {
  constexpr std::int64_t month_ns = 30LL * 86400 * 1'000'000'000;
  const Scouted *earliest = nullptr, *latest = nullptr;
  for (const std::vector<Scouted>& of_source : scouted)
    for (const Scouted& channel : of_source) {
      const auto start = channel.shared_start_ns();
      if (!start) continue;
      if (!earliest || *start < *earliest->shared_start_ns()) earliest = &channel;
      if (!latest || *start > *latest->shared_start_ns()) latest = &channel;
    }
  if (!earliest) return std::nullopt;
  const std::int64_t first = *earliest->shared_start_ns(), last = *latest->shared_start_ns();
  std::int64_t apart = 0;
  if (__builtin_sub_overflow(last, first, &apart) || apart > month_ns)
    error_texts.add(fmt::format("channels.{}.clock", latest->channel->name),
                    fmt::format("begins at {:.10g} s, that of {} at {:.10g} s: these are two clocks",
                                1e-9 * static_cast<double>(last), earliest->channel->name,
                                1e-9 * static_cast<double>(first)),
                    "is the unit right? kind: own is for a clock that no other channel has");
  return first;
}

Conversion convert_all(const Description& description, const Sources& sources, Complaints& error_texts,
                       Sink& sink, const std::function<void(double)>& progress) {
  std::vector<std::vector<Scouted>> scouted;
  std::size_t all_bytes = 1, done_bytes = 0;
  for (const auto& source : sources) {
    scouted.push_back(source->scout(error_texts));
    all_bytes += source->bytes();
  }
  Conversion conversion;
  conversion.zero_ns = shared_zero(scouted, error_texts);
  if (description.zero_ns) conversion.zero_ns = description.zero_ns;
  error_texts.throw_if_any();
  conversion.channels.resize(description.channels.size());
  for (std::size_t s = 0; s < sources.size(); ++s) {
    std::vector<ChannelConverter> converters;
    std::vector<std::size_t> numbers;
    for (const Scouted& channel : scouted[s]) {
      numbers.push_back(static_cast<std::size_t>(channel.channel - description.channels.data()));
      converters.emplace_back(channel, conversion.zero_ns.value_or(0), sink);
    }
    const auto dropped = sources[s]->run(converters, [&](std::size_t bytes) {
      if (progress) progress(static_cast<double>(done_bytes + bytes) / static_cast<double>(all_bytes));
    });
    const auto tell = [&](const Findings& notes) {
      conversion.notes.insert(conversion.notes.end(), notes.begin(), notes.end());
    };
    for (std::size_t k = 0; k < converters.size(); ++k) {
      tell(converters[k].far_cells());
      conversion.channels[numbers[k]] = converters[k].finish(dropped[k]);
    }
    done_bytes += sources[s]->bytes();
    tell(sources[s]->notes());
  }
  return conversion;
}

}  // namespace

Conversion convert(const Description& description, const fs::path& log, Sink& sink,
                   const ConvertOptions& options) {
  Complaints error_texts(description);
  const Sources sources = make_sources(description, log, options.run, options.allow_truncated, error_texts);
  return convert_all(description, sources, error_texts, sink, options.progress);
}

Conversion convert_text(const Description& description, std::string_view table, Sink& sink) {
  Complaints error_texts(description);
  Sources sources;
  for (const ChannelDescription& channel : description.channels)
    sources.push_back(internal::table_source(channel, table));
  return convert_all(description, sources, error_texts, sink, {});
}

}  // namespace fathom::log
