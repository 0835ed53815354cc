#include "fathom/log/bag.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/log/internal/bag_file.hpp"
#include "fathom/log/internal/cdr.hpp"
#include "fathom/log/internal/mcap_records.hpp"

namespace fathom::log::internal {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view bag_hint = "expected a .db3 or .mcap file, or a folder of rosbag2 that holds some";

/// `bag_10.db3` comes after `bag_9.db3`: by the text without the digits at its end, then by what they say.
auto part_key(const fs::path& path) {
  const std::string stem = path.stem().string();
  const std::size_t digits = stem.find_last_not_of("0123456789") + 1;  // npos + 1 is 0
  const std::string number = stem.substr(std::min(stem.find_first_not_of('0', digits), stem.size()));
  return std::tuple(stem.substr(0, digits), number.size(), number, path.extension().string());
}

[[noreturn]] void reject_compressed(const fs::path& path) {
  reject(path.string(), 0, "", "is compressed as a whole",
         "unpack it first: zstd -d " + path.filename().string());
}

std::vector<fs::path> parts_of(const fs::path& folder) {
  std::vector<fs::path> parts;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const fs::path& path = entry.path();
    if (path.extension() == ".db3" || path.extension() == ".mcap") parts.push_back(path);
    if (path.extension() == ".zstd") reject_compressed(path);
  }
  if (error) reject(folder.string(), 0, "", "cannot be read: " + error.message(), "check its permissions");
  if (parts.empty()) reject(folder.string(), 0, "", "holds neither .db3 nor .mcap", std::string(bag_hint));
  std::sort(parts.begin(), parts.end(),
            [](const fs::path& a, const fs::path& b) { return part_key(a) < part_key(b); });
  return parts;
}

std::unique_ptr<BagFile> open_file(const fs::path& path, const BagOptions& options) {
  if (path.extension() == ".db3") return open_db3(path, options);
  if (path.extension() == ".mcap") return open_mcap(path, options);
  if (path.extension() == ".zstd") reject_compressed(path);
  if (path.extension() == ".bag")
    reject(path.string(), 0, "", "is a bag of ROS 1",
           "rosbags-convert (PyPI: rosbags) makes one of ROS 2 of it");
  reject(path.string(), 0, "", "is no bag by its name", std::string(bag_hint));
}

/// The file, or the files of the folder in the order of their numbers: rosbag2 splits a long recording.
std::vector<std::unique_ptr<BagFile>> open_files(const fs::path& path, const BagOptions& options) {
  std::error_code error;
  if (!fs::exists(path, error))
    reject(path.string(), 0, "", "does not exist", "check the path; it is relative to the current folder");
  std::vector<std::unique_ptr<BagFile>> files;
  if (!fs::is_directory(path, error)) {
    files.push_back(open_file(path, options));
  } else {
    for (const fs::path& part : parts_of(path)) files.push_back(open_file(part, options));
  }
  return files;
}

}  // namespace

}  // namespace fathom::log::internal

namespace fathom::log {
namespace {

using internal::BagChannel;
using internal::BagFile;
using internal::Decoded;
using internal::Definitions;
using internal::Layout;

std::string bytes_of(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte b : bytes.first(std::min<std::size_t>(bytes.size(), 4)))
    text += fmt::format("{}{:02x}", text.empty() ? "" : " ", std::to_integer<unsigned>(b));
  return text;
}

using Given = std::map<std::string, std::string>;

/// The definitions that `channel` may follow, the likeliest first.
std::vector<Definitions> definitions_of(const BagChannel& channel, const Given& given) {
  if (!channel.definition.empty()) return {internal::parse_definitions(channel.type, channel.definition)};
  if (const auto found = given.find(channel.type); found != given.end()) {
    Definitions definitions = internal::parse_definitions(channel.type, found->second);
    for (const auto& [type, text] : given) definitions.merge(internal::parse_definitions(type, text));
    definitions.merge(internal::usual_definitions());
    return {definitions};
  }
  std::vector<Definitions> usual = internal::usual_definitions(channel.type);
  if (!usual.empty()) return usual;
  reject("",
         channel.foreign.empty()
             ? "the file has no definition of it, and it is none of the usual ones"
             : fmt::format("its definition is in {}, not in ROS' text", in_quotes(channel.foreign)),
         "record it as MCAP, which brings definitions; or give its text under messages of a description");
}

void check_encoding(const BagChannel& channel) {
  if (channel.encoding != "cdr")
    reject("", fmt::format("its messages are encoded as {}, not as cdr", in_quotes(channel.encoding)));
  const std::span<const std::byte> first = channel.first;
  const bool plain_cdr =
      first.size() >= 4 && first[0] == std::byte{0} && std::to_integer<unsigned>(first[1]) <= 1;
  if (channel.messages > 0 && !plain_cdr)
    reject("", fmt::format("its first message begins with {}, not as CDR does", bytes_of(first)),
           "compressed one by one? ros2 bag convert writes it without");
}

Layout layout_of(const BagChannel& channel, const Given& given) {
  check_encoding(channel);
  const std::vector<Definitions> candidates = definitions_of(channel, given);
  for (std::size_t k = 0; k + 1 < candidates.size(); ++k) {
    try {
      return internal::layout_of(channel.type, candidates[k], channel.first);
    } catch (const InputError&) {  // of another release, then
    }
  }
  return internal::layout_of(channel.type, candidates.back(), channel.first);
}

}  // namespace

/// The files, and what topics their channels belong to.
class Bag::Contents {
 public:
  Contents(std::vector<std::unique_ptr<BagFile>> files, std::string name, const Given& given);

  const std::vector<Topic>& topics() const { return topics_; }
  std::int64_t start_ns() const { return start_ns_; }
  const Findings& notes() const { return notes_; }

  std::vector<TopicCounts> read(std::span<const std::size_t> wanted,
                                const std::function<void(std::size_t, std::span<const double>)>& sink) const;

 private:
  void add_topics(const Given& given);
  void add_topic(const std::string& name, const std::vector<const BagChannel*>& channels, const Given& given);
  void note(Severity severity, const std::string& key, std::string message) {
    notes_.push_back({severity, name_, 0, key, std::move(message), ""});
  }
  void check_wanted(std::span<const std::size_t> wanted) const;
  std::vector<std::vector<std::size_t>> places_of(const BagFile& file,
                                                  std::span<const std::size_t> wanted) const;

  std::string name_;
  std::vector<std::unique_ptr<BagFile>> files_;
  std::vector<Topic> topics_;
  std::vector<Layout> layouts_;                        ///< of each topic
  std::map<const BagChannel*, std::size_t> topic_of_;  ///< channels that a topic is read from
  std::int64_t start_ns_ = 0;
  Findings notes_;
};

Bag::Contents::Contents(std::vector<std::unique_ptr<BagFile>> files, std::string name, const Given& given)
    : name_(std::move(name)), files_(std::move(files)) {
  bool any = false;
  for (const auto& file : files_) {
    notes_.insert(notes_.end(), file->notes().begin(), file->notes().end());
    if (file->messages() == 0) continue;
    start_ns_ = any ? std::min(start_ns_, file->start_ns()) : file->start_ns();
    any = true;
  }
  if (!any)
    reject(name_, 0, "", "holds no messages", "was anything published while it was recorded? ros2 bag info");
  add_topics(given);
}

void Bag::Contents::add_topics(const Given& given) {
  std::map<std::string, std::vector<const BagChannel*>> by_name;
  for (const auto& file : files_)
    for (const BagChannel& channel : file->channels()) by_name[channel.topic].push_back(&channel);
  for (const auto& [name, channels] : by_name) add_topic(name, channels, given);
}

/// The first channel with messages decides what the topic is.
void Bag::Contents::add_topic(const std::string& name, const std::vector<const BagChannel*>& channels,
                              const Given& given) {
  const auto spoken =
      std::find_if(channels.begin(), channels.end(), [](const auto* c) { return c->messages > 0; });
  const BagChannel& model = spoken == channels.end() ? *channels.front() : **spoken;
  Topic topic{name, model.type, {}, 0, ""};
  std::size_t others = 0;
  for (const BagChannel* channel : channels) {
    const bool same = channel->type == model.type && channel->definition == model.definition &&
                      channel->encoding == model.encoding;
    (same ? topic.messages : others) += channel->messages;
    if (same) topic_of_[channel] = topics_.size();
  }
  layouts_.emplace_back();
  try {
    layouts_.back() = layout_of(model, given);
    topic.columns = {"receive_time"};
    topic.columns.insert(topic.columns.end(), layouts_.back().columns.begin(), layouts_.back().columns.end());
    if (auto written = internal::info_in(model.metadata, name, topic.columns.size() - 2)) {
      topic.info = std::move(written->info);
      topic.zero_ns = written->start_ns;
    }
  } catch (const InputError& error) {
    topic.why_not = error.what();
    if (topic.messages > 0)
      note(Severity::note, printable(name),
           fmt::format("{} messages of {} are left out: {}", topic.messages, printable(topic.type),
                       topic.why_not));
  }
  if (others > 0)
    note(Severity::warning, printable(name),
         fmt::format("{} messages are left out: they are not of {} as the first is", others,
                     printable(topic.type)));
  topics_.push_back(std::move(topic));
}

void Bag::Contents::check_wanted(std::span<const std::size_t> wanted) const {
  for (const std::size_t k : wanted) {
    if (k >= topics_.size()) reject("wanted", fmt::format("topic {} of {}", k, topics_.size()));
    if (topics_[k].columns.empty())
      reject(name_, 0, printable(topics_[k].name), "cannot be decoded: " + topics_[k].why_not);
  }
}

/// Of each channel of the file: where its topic stands in `wanted`, more than once if it is wanted so.
std::vector<std::vector<std::size_t>> Bag::Contents::places_of(const BagFile& file,
                                                               std::span<const std::size_t> wanted) const {
  std::vector<std::vector<std::size_t>> of_topic(topics_.size()), places(file.channels().size());
  for (std::size_t k = 0; k < wanted.size(); ++k) of_topic[wanted[k]].push_back(k);
  for (std::size_t c = 0; c < places.size(); ++c)
    if (const auto topic = topic_of_.find(&file.channels()[c]); topic != topic_of_.end())
      places[c] = of_topic[topic->second];
  return places;
}

std::vector<TopicCounts> Bag::Contents::read(
    std::span<const std::size_t> wanted,
    const std::function<void(std::size_t, std::span<const double>)>& sink) const {
  check_wanted(wanted);
  std::vector<TopicCounts> counts(wanted.size());
  std::vector<std::vector<double>> rows;
  for (const std::size_t k : wanted) rows.emplace_back(topics_[k].columns.size());
  for (const auto& file : files_) {
    const std::vector<std::vector<std::size_t>> places = places_of(*file, wanted);
    std::vector<bool> channels(places.size());
    for (std::size_t c = 0; c < places.size(); ++c) channels[c] = !places[c].empty();
    file->read(channels, [&](std::size_t c, std::int64_t time_ns, std::span<const std::byte> message) {
      for (const std::size_t k : places[c]) {
        const std::span<double> row = rows[k];
        row[0] = internal::seconds(time_ns, start_ns_);
        const Decoded decoded = internal::decode(layouts_[wanted[k]], message, start_ns_, row.subspan(1));
        if (decoded == Decoded::unreadable) {
          ++counts[k].unreadable;
          continue;
        }
        ++counts[k].rows;
        if (decoded == Decoded::other_length) ++counts[k].other_length;
        sink(k, row);
      }
    });
  }
  return counts;
}

Bag::Bag(const std::filesystem::path& path, const BagOptions& options)
    : contents_(std::make_unique<Contents>(internal::open_files(path, options), path.string(),
                                           options.definitions)) {}

Bag::Bag(std::string_view mcap, const std::string& name, const BagOptions& options) {
  std::vector<std::unique_ptr<BagFile>> files;
  files.push_back(internal::open_mcap(mcap, name, options));
  contents_ = std::make_unique<Contents>(std::move(files), name, options.definitions);
}

Bag::Bag(Bag&&) noexcept = default;
Bag& Bag::operator=(Bag&&) noexcept = default;
Bag::~Bag() = default;

const std::vector<Topic>& Bag::topics() const { return contents_->topics(); }
std::int64_t Bag::start_ns() const { return contents_->start_ns(); }
const Findings& Bag::notes() const { return contents_->notes(); }

std::vector<TopicCounts> Bag::read(
    std::span<const std::size_t> wanted,
    const std::function<void(std::size_t, std::span<const double>)>& sink) const {
  return contents_->read(wanted, sink);
}

}  // namespace fathom::log
