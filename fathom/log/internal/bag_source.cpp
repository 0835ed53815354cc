#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/log/bag.hpp"
#include "fathom/log/internal/source.hpp"

namespace fathom::log::internal {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
constexpr std::size_t bytes_of_message = 100;  // a guess, for progress
constexpr std::size_t messages_between_news = 4096;
const ColumnName received{"receive_time", 0, ""};

class BagSource : public Source {
 public:
  BagSource(std::vector<const ChannelDescription*> channels, BagOptions options, fs::path path)
      : channels_(std::move(channels)), options_(std::move(options)), path_(std::move(path)) {}

  std::vector<Scouted> scout(Complaints& error_texts) override;
  std::vector<std::size_t> run(std::vector<ChannelConverter>& converters, const News& news) override;
  std::size_t bytes() const override { return messages_ * bytes_of_message; }
  Findings notes() const override { return notes_; }

 private:
  /// One channel of the bag.
  struct Part {
    std::size_t topic, clock;
    std::vector<std::size_t> picked;
  };
  std::size_t find_topic(const ChannelDescription& channel) const;
  std::size_t find_column(const Topic& topic, const ColumnName& name) const;
  std::size_t find_clock(const ChannelDescription& channel, const Topic& topic) const;
  void mend_clock(std::size_t k, std::span<const double> row);
  void find_times(std::vector<Scouted>& scouted);
  std::int64_t stamp_ns(const Part& part, std::span<const double> row) const;
  /// One pass: each row goes to every channel of its topic. Counts for each channel.
  template <class Sink>
  std::vector<TopicCounts> read(const Sink& sink) const;

  std::vector<const ChannelDescription*> channels_;
  BagOptions options_;
  fs::path path_;
  std::optional<Bag> bag_;
  std::vector<Part> parts_;
  Findings notes_;
  std::size_t messages_ = 0;
};

std::size_t BagSource::find_topic(const ChannelDescription& channel) const {
  const std::vector<Topic>& topics = bag_->topics();  // in order of their names
  const auto found =
      std::lower_bound(topics.begin(), topics.end(), channel.topic,
                       [](const Topic& topic, const std::string& name) { return topic.name < name; });
  if (found == topics.end() || found->name != channel.topic) {
    std::vector<std::string_view> names;
    for (const Topic& topic : topics) names.push_back(topic.name);
    reject("", fmt::format("= {}, which {} does not have", in_quotes(channel.topic), path_.string()),
           did_you_mean(channel.topic, names, fmt::format("it has {}", join(names, ", "))));
  }
  const auto place = static_cast<std::size_t>(found - topics.begin());
  if (topics[place].columns.empty())
    reject("", fmt::format("= {} cannot be decoded: {}", in_quotes(channel.topic), topics[place].why_not),
           "its type is " + topics[place].type);
  return place;
}

std::size_t BagSource::find_column(const Topic& topic, const ColumnName& name) const {
  const std::vector<std::string>& columns = topic.columns;
  if (name.number > 0 && static_cast<std::size_t>(name.number) <= columns.size())
    return static_cast<std::size_t>(name.number - 1);
  const auto found = std::find(columns.begin(), columns.end(), name.title);
  if (found != columns.end()) return static_cast<std::size_t>(found - columns.begin());
  const std::vector<std::string_view> names(columns.begin(), columns.end());
  const std::string nearest = nearest_word(name.title, names);
  reject("", fmt::format("{} is no column of {} ({})", in_quotes(name.title), topic.name, topic.type),
         (nearest.empty() ? "" : fmt::format("did you mean {}? ", nearest)) +
             fmt::format("it has {}", join(names, ", ")));
}

/// The stamp of the message; where it has none, and where bursts are to be made even, when it was received.
std::size_t BagSource::find_clock(const ChannelDescription& channel, const Topic& topic) const {
  const ClockDescription& clock = channel.clock;
  if (!clock.columns.empty()) return find_column(topic, clock.columns.front());
  if (clock.rate_hz > 0 && clock.kind == ClockDescription::Kind::own) return none;
  if (clock.kind != ClockDescription::Kind::receive)
    for (const char* stamp : {"header.stamp", "stamp"}) {
      const auto found = std::find(topic.columns.begin(), topic.columns.end(), stamp);
      if (found != topic.columns.end()) return static_cast<std::size_t>(found - topic.columns.begin());
    }
  return find_column(topic, received);
}

/// A driver that never sets its stamps leaves them in 1970: then the time of receipt is the better one.
void BagSource::mend_clock(std::size_t k, std::span<const double> row) {
  constexpr double month = 30 * 86400;  // s
  Part& part = parts_[k];
  if (part.clock == none || !channels_[k]->clock.columns.empty() || std::abs(row[part.clock]) < month) return;
  const Topic& topic = bag_->topics()[part.topic];
  notes_.push_back({Severity::warning, path_.string(), 0, topic.name,
                    fmt::format("does not set {}: its times are those of receipt", topic.columns[part.clock]),
                    "clock: {kind: receive} makes them even where they come in bursts"});
  part.clock = find_column(topic, received);
}

std::int64_t BagSource::stamp_ns(const Part& part, std::span<const double> row) const {
  if (part.clock == none) return 0;
  const double seconds = row[part.clock];
  constexpr double most = 8e9;  // s; 1e9 s are 30 years
  std::int64_t ns = 0;
  const bool fits =
      std::abs(seconds) < most && !__builtin_add_overflow(bag_->start_ns(), nanoseconds(seconds), &ns);
  if (!fits)
    reject(path_.string(), 0, "",
           fmt::format("{} has a message without a time", bag_->topics()[part.topic].name),
           "clock: {column: receive_time}");
  return ns;
}

template <class Sink>
std::vector<TopicCounts> BagSource::read(const Sink& sink) const {
  std::vector<std::size_t> topics;
  std::vector<std::vector<std::size_t>> parts;  // of each topic
  std::unordered_map<std::size_t, std::size_t> places;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const auto [place, is_new] = places.try_emplace(parts_[k].topic, topics.size());
    if (is_new) topics.push_back(parts_[k].topic), parts.emplace_back();
    parts[place->second].push_back(k);
  }
  const auto counts = bag_->read(topics, [&](std::size_t topic, std::span<const double> row) {
    for (const std::size_t k : parts[topic]) sink(k, row);
  });
  std::vector<TopicCounts> of_parts(parts_.size());
  for (std::size_t topic = 0; topic < topics.size(); ++topic)
    for (const std::size_t k : parts[topic]) of_parts[k] = counts[topic];
  return of_parts;
}

/// First times, by reading on until every channel has spoken; all times of those that are to be made even.
void BagSource::find_times(std::vector<Scouted>& scouted) {
  struct Enough {};
  std::vector<std::vector<std::int64_t>> arrivals(parts_.size());
  std::size_t silent = 0;
  bool all = false;
  for (const Scouted& channel : scouted) all |= channel.channel->clock.kind == ClockDescription::Kind::receive;
  for (const Part& part : parts_) silent += bag_->topics()[part.topic].messages > 0 ? 1 : 0;
  try {
    read([&](std::size_t k, std::span<const double> row) {
      const bool keep = scouted[k].channel->clock.kind == ClockDescription::Kind::receive;
      if (arrivals[k].empty()) {
        --silent;
        mend_clock(k, row);
      }
      if (arrivals[k].empty() || keep) arrivals[k].push_back(stamp_ns(parts_[k], row));
      if (silent == 0 && !all) throw Enough();
    });
  } catch (const Enough&) {
  }
  for (std::size_t k = 0; k < scouted.size(); ++k) {
    if (parts_[k].clock == none || arrivals[k].empty()) continue;
    scouted[k].first_ns = arrivals[k].front();
    if (scouted[k].channel->clock.kind == ClockDescription::Kind::receive)
      scouted[k].even = scout_arrivals(arrivals[k], scouted[k].channel->clock.rate_hz, scouted[k].source);
  }
}

std::vector<Scouted> BagSource::scout(Complaints& error_texts) {
  std::vector<Scouted> scouted;
  const std::string first_key = "channels." + channels_.front()->name;
  error_texts.keep(first_key, [&] {
    bag_.emplace(path_, options_);
    return true;
  });
  if (!bag_) return scouted;
  notes_ = bag_->notes();
  bool complete = true;
  for (const ChannelDescription* channel : channels_) {
    const std::string key = "channels." + channel->name;
    const auto topic = error_texts.keep(key + ".topic", [&] { return find_topic(*channel); });
    complete = complete && topic;
    if (!topic) continue;
    const Topic& of_bag = bag_->topics()[*topic];
    const auto find = [&](const ColumnName& name) {
      const auto place = error_texts.keep(name.key, [&] { return find_column(of_bag, name); });
      complete = complete && place;
      return place.value_or(0);
    };
    Scouted& found = scouted.emplace_back(
        Scouted{channel, path_.string() + " " + of_bag.name, RowPlan(*channel, find), std::nullopt});
    const auto clock = error_texts.keep(key + ".clock", [&] { return find_clock(*channel, of_bag); });
    complete = complete && clock;
    parts_.push_back({*topic, clock.value_or(none), found.plan.picked()});
    messages_ += of_bag.messages;
  }
  if (!complete) return {};
  error_texts.keep(first_key, [&] {
    find_times(scouted);
    return true;
  });
  return scouted;
}

std::vector<std::size_t> BagSource::run(std::vector<ChannelConverter>& converters, const News& news) {
  std::vector<std::vector<double>> raw;
  for (const Part& part : parts_) raw.emplace_back(part.picked.size());
  std::size_t messages = 0;
  const auto counts = read([&](std::size_t k, std::span<const double> row) {
    for (std::size_t j = 0; j < raw[k].size(); ++j) raw[k][j] = row[parts_[k].picked[j]];
    converters[k].take(stamp_ns(parts_[k], row), raw[k], 0);
    if (messages++ % messages_between_news == 0) news(messages * bytes_of_message);
  });
  std::vector<std::size_t> dropped;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    dropped.push_back(counts[k].unreadable);
    if (counts[k].other_length > 0)
      notes_.push_back(
          {Severity::warning, path_.string(), 0, bag_->topics()[parts_[k].topic].name,
           fmt::format("has {} messages with a sequence of another length", counts[k].other_length),
           "what they lack is missing, what they have more is left out"});
  }
  return dropped;
}

}  // namespace

std::unique_ptr<Source> bag_source(std::vector<const ChannelDescription*> channels, BagOptions options,
                                   const fs::path& path) {
  return std::make_unique<BagSource>(std::move(channels), std::move(options), path);
}

}  // namespace fathom::log::internal

namespace fathom::log {
namespace {

/// What may stand in the name of a channel or column: letters, digits, _ and . for the rest.
std::string plain_name(std::string_view name, char in_place) {
  std::string plain;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (letter || c == '.')
      plain += c;
    else if (c == '/' || c == '[' || c == '-')
      plain += in_place;
  }
  const std::size_t begin = plain.find_first_not_of("._");
  return begin == std::string::npos ? "topic" : plain.substr(begin);
}

}  // namespace

Description describe_bag(const Bag& bag, const std::string& file) {
  Description description;
  description.file = file;
  for (const Topic& topic : bag.topics()) {
    if (topic.columns.empty() || topic.messages == 0) continue;
    ChannelDescription channel;
    channel.name = plain_name(topic.name, '.');
    channel.topic = topic.name;
    channel.about = fmt::format("{}, {}", topic.name, topic.type);
    channel.clock.columns = {{"receive_time", 0, ""}};  // which every message has, whatever its stamp says
    channel.drop_old = true;
    if (topic.info) {
      channel.name = topic.info->name;
      channel.about = topic.info->about;
      channel.frame = topic.info->frame;
      channel.drop_old = false;
      description.zero_ns = topic.zero_ns;
      for (std::size_t k = 0; k < topic.info->columns.size(); ++k)
        channel.columns.push_back({topic.info->columns[k], {topic.columns[k + 2], 0, ""}});
    } else {
      for (const std::string& column : topic.columns)
        channel.columns.push_back({{plain_name(column, '_'), ""}, {column, 0, ""}});
    }
    description.channels.push_back(std::move(channel));
  }
  return description;
}

Dataset read_bag(const std::filesystem::path& path) {
  const Bag bag(path);
  DatasetSink sink;
  Conversion conversion = convert(describe_bag(bag, path.string()), path, sink);
  Dataset dataset = std::move(sink).dataset();
  dataset.notes = std::move(conversion.notes);
  return dataset;
}

}  // namespace fathom::log
