#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/error.hpp"
#include "fathom/log/internal/channel_converter.hpp"

namespace fathom::log::internal {

/// Errors with their place in the description.
class Complaints {
 public:
  explicit Complaints(const Description& description) : description_(&description) {}

  void add(const std::string& key, std::string message, std::string hint);
  /// What `action` gives, or nothing: its errors are kept, under the key where they name no file.
  template <class Action>
  auto keep(const std::string& key, const Action& action) -> std::optional<decltype(action())> {
    try {
      return action();
    } catch (const InputError& error) {
      take(key, error);
    }
    return std::nullopt;
  }
  void throw_if_any() const;

 private:
  void take(const std::string& key, const InputError& error);

  const Description* description_;
  Findings findings_;
};

/// Where the rows of one or more channels come from.
class Source {
 public:
  using News = std::function<void(std::size_t)>;  ///< is called with the number of bytes read

  virtual ~Source() = default;
  /// Finds columns and first times of its channels. What is wrong is told; then the channels may be fewer.
  virtual std::vector<Scouted> scout(Complaints& error_texts) = 0;
  /// Feeds the rows to the converters of what scout() gave, and returns how many lines of each were dropped.
  virtual std::vector<std::size_t> run(std::vector<ChannelConverter>& converters, const News& news) = 0;
  virtual std::size_t bytes() const = 0;
  virtual Findings notes() const { return {}; }
};

/// A table in a file.
std::unique_ptr<Source> table_source(const ChannelDescription& channel, const std::filesystem::path& path);
/// A table in memory, which must live as long.
std::unique_ptr<Source> table_source(const ChannelDescription& channel, std::string_view text);

/// Topics of one bag.
std::unique_ptr<Source> bag_source(std::vector<const ChannelDescription*> channels, BagOptions options,
                                   const std::filesystem::path& path);

/// Checks the times of arrival of one channel, and makes them even.
EvenClock scout_arrivals(const std::vector<std::int64_t>& arrivals_ns, double stated_rate_hz,
                         const std::string& source);

}  // namespace fathom::log::internal
