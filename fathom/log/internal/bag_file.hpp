#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/error.hpp"
#include "fathom/log/bag.hpp"

namespace fathom::log::internal {

inline constexpr std::string_view truncated_hint =
    "copy it again, or read the messages that are whole: fathom convert --allow-truncated";

/// Messages of one topic in one file, as the file announces them.
struct BagChannel {
  std::string topic;
  std::string type;
  std::string encoding;       ///< of messages: cdr
  std::string definition;     ///< ROS' text; empty where the file has none
  std::string metadata = {};  ///< of MCAP: pairs of texts
  std::string foreign = {};   ///< the kind of definition that the file has instead, such as protobuf
  std::size_t messages = 0;
  std::vector<std::byte> first = {};  ///< the first message in the file
};

/// One file of a bag. What it says about itself is read when it is made; messages pass by one at a time.
class BagFile {
 public:
  using Sink = std::function<void(std::size_t channel, std::int64_t time_ns, std::span<const std::byte>)>;

  virtual ~BagFile() = default;

  const std::vector<BagChannel>& channels() const { return channels_; }
  std::int64_t start_ns() const { return start_ns_; }  ///< the earliest receive time
  std::size_t messages() const { return messages_; }   ///< of all channels
  const Findings& notes() const { return notes_; }

  /// Messages of the channels that are wanted, in the order of the file.
  virtual void read(const std::vector<bool>& wanted, const Sink& sink) const = 0;

 protected:
  std::vector<BagChannel> channels_;
  std::int64_t start_ns_ = 0;
  std::size_t messages_ = 0;
  Findings notes_;
};

std::unique_ptr<BagFile> open_db3(const std::filesystem::path& path, const BagOptions& options);
std::unique_ptr<BagFile> open_mcap(const std::filesystem::path& path, const BagOptions& options);
/// From memory that lives as long.
std::unique_ptr<BagFile> open_mcap(std::string_view bytes, const std::string& name, const BagOptions& options);

}  // namespace fathom::log::internal
